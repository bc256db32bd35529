/*
 * An arena: memory that one event needs beyond its own text, freed all at once.
 */
#ifndef DFT_TOOL_BASE_SCRATCH_H
#define DFT_TOOL_BASE_SCRATCH_H

#include <stddef.h>

struct dft_scratch_block;

/* All zero is empty. */
struct dft_scratch {
    struct dft_scratch_block *blocks; /* the newest first */
    size_t used;                      /* of the newest */
};

/* Bytes without alignment, valid until the next reset. */
char *dft_scratch_take(struct dft_scratch *scratch, size_t size);
void dft_scratch_reset(struct dft_scratch *scratch);
void dft_scratch_free(struct dft_scratch *scratch);

#endif
