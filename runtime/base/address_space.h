/* Whose memory the calling process runs in: its own, a forked copy, or its parent's. */
#ifndef DFT_RUNTIME_BASE_ADDRESS_SPACE_H
#define DFT_RUNTIME_BASE_ADDRESS_SPACE_H

#include <stdbool.h>

enum dft_address_space {
    DFT_ADDRESS_SPACE_OWN,
    DFT_ADDRESS_SPACE_FORKED, /* a copy that libc did not report: fork by the system call itself */
    DFT_ADDRESS_SPACE_SHARED, /* after vfork or clone(CLONE_VM): the parent sees every change */
};

/* Makes the calling process the owner of its memory: at the start, and in a forked child. */
void dft_address_space_claim(void);

/* Any context. Before the first claim, every process counts as the owner. */
enum dft_address_space dft_address_space_kind(void);

/* Whether that is DFT_ADDRESS_SPACE_FORKED, without a system call. */
bool dft_address_space_is_forked(void);

#endif
