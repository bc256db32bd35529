/* Whose memory this is: a process of its own, a forked copy, or a guest in its parent's. */
#ifndef DFT_RUNTIME_BASE_ADDRESS_SPACE_H
#define DFT_RUNTIME_BASE_ADDRESS_SPACE_H

enum dft_address_space {
    DFT_ADDRESS_SPACE_OWN,
    DFT_ADDRESS_SPACE_FORKED, /* a copy that libc did not tell us of: fork by the system call itself */
    DFT_ADDRESS_SPACE_SHARED, /* after vfork or clone(CLONE_VM): what it changes, its parent sees */
};

/* The calling process owns its memory from now on: at the start, and in a forked child. */
void dft_address_space_claim(void);

/* Any context. Before anything was claimed, every process owns its memory. */
enum dft_address_space dft_address_space_kind(void);

#endif
