/*
 * A chain of blocks. A reset keeps one block of ordinary size, so that a stream of ordinary events
 * allocates nothing and a single huge one leaves nothing behind.
 */
#include "tool/base/scratch.h"

#include "tool/base/tool.h"

#include <stdlib.h>

#define ORDINARY_BLOCK ((size_t)16 * 1024)

struct dft_scratch_block {
    struct dft_scratch_block *next;
    size_t size;
    char bytes[];
};

char *dft_scratch_take(struct dft_scratch *scratch, size_t size)
{
    struct dft_scratch_block *block = scratch->blocks;

    if (!block || size > block->size - scratch->used) {
        size_t room = size > ORDINARY_BLOCK ? size : ORDINARY_BLOCK;

        block = dft_tool_resize(NULL, sizeof *block + room, 1);
        block->next = scratch->blocks;
        block->size = room;
        scratch->blocks = block;
        scratch->used = 0;
    }
    scratch->used += size;
    return block->bytes + scratch->used - size;
}

void dft_scratch_reset(struct dft_scratch *scratch)
{
    struct dft_scratch_block *kept = NULL;

    while (scratch->blocks) {
        struct dft_scratch_block *block = scratch->blocks;

        scratch->blocks = block->next;
        if (!kept && block->size == ORDINARY_BLOCK)
            kept = block;
        else
            free(block);
    }
    if (kept)
        kept->next = NULL;
    scratch->blocks = kept;
    scratch->used = 0;
}

void dft_scratch_free(struct dft_scratch *scratch)
{
    dft_scratch_reset(scratch);
    free(scratch->blocks);
    scratch->blocks = NULL;
}
