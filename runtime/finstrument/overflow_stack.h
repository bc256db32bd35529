/*
 * Calls of the fallback that are nested too deeply for the shadow stack, or deeper than asked for.
 * Any context; no heap.
 */
#ifndef DFT_RUNTIME_FINSTRUMENT_OVERFLOW_STACK_H
#define DFT_RUNTIME_FINSTRUMENT_OVERFLOW_STACK_H

#include "spool/spool.h"

/* The plugins' calls keep their start in a token; those of the fallback have it here. */
void dft_overflow_stack_push(uint32_t site, uint64_t start, uint64_t stack);

/*
 * The start of the innermost one if it is of this site and can be the one that ends here; or 0.
 * `around` is the call they all lie in. Those that have been left are forgotten.
 */
uint64_t dft_overflow_stack_pop(uint32_t site, uint64_t stack, const struct dft_frame *around);

uint32_t dft_overflow_stack_count(void);

/* All are left: the frames below them have been closed. */
void dft_overflow_stack_clear(void);

/* The thread ends. */
void dft_overflow_stack_end(void);

#endif
