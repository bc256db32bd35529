/* Resident memory of this process. */
#ifndef DFT_RUNTIME_DETAIL_RESIDENT_MEMORY_H
#define DFT_RUNTIME_DETAIL_RESIDENT_MEMORY_H

#include <stdint.h>

/* In KiB; 0 where there is no /proc. Any thread and context; may change errno. */
uint64_t dft_statm_resident_kb(void);

/* The most that it ever was, in this process since its exec; UINT64_MAX where there is no /proc. */
uint64_t dft_statm_peak_kb(void);

/* In a forked child: what is kept open is the parent's. */
void dft_statm_in_child(void);

#endif
