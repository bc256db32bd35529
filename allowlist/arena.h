/*
 * Memory that is freed all at once. Used by one thread at a time.
 */
#ifndef DFT_ALLOWLIST_ARENA_H
#define DFT_ALLOWLIST_ARENA_H

#include <stddef.h>

/* All zero is an empty arena. */
struct dft_arena {
    struct dft_arena_block *blocks;
};

/* Both functions return NULL if there is no memory. */
void *dft_arena_take(struct dft_arena *arena, size_t size);
char *dft_arena_copy(struct dft_arena *arena, const char *text, size_t length);
void dft_arena_free(struct dft_arena *arena);

#endif
