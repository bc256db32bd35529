/*
 * The memory of one allowlist: allocated piece by piece while the file is read, freed all at once.
 *
 * Runs on the thread that loads the list. Must not allocate once the list is loaded: then several
 * threads may read it.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 64 * 1024, ALIGNMENT = 8 };

struct dft_arena_block {
    struct dft_arena_block *next;
    size_t used;
    size_t size;
    _Alignas(ALIGNMENT) char bytes[];
};

static struct dft_arena_block *add_block(struct dft_arena *arena, size_t size)
{
    struct dft_arena_block *block = malloc(sizeof *block + size);
    if (!block)
        return NULL;
    block->used = 0;
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

static char *take_bytes(struct dft_arena *arena, size_t size, size_t alignment)
{
    struct dft_arena_block *block = arena->blocks;
    size_t start = block ? (block->used + alignment - 1) & ~(alignment - 1) : 0;
    if (!block || start > block->size || block->size - start < size) {
        block = add_block(arena, size > BLOCK_SIZE ? size : BLOCK_SIZE);
        if (!block)
            return NULL;
        start = 0;
    }
    block->used = start + size;
    return block->bytes + start;
}

void *dft_arena_take(struct dft_arena *arena, size_t size)
{
    return take_bytes(arena, size, ALIGNMENT);
}

char *dft_arena_copy(struct dft_arena *arena, const char *text, size_t length)
{
    char *copy = take_bytes(arena, length + 1, 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void dft_arena_free(struct dft_arena *arena)
{
    while (arena->blocks) {
        struct dft_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}
