/*
 * A hash index: from a key to a number in the caller's own array. It holds neither keys nor
 * values.
 */
#ifndef DFT_TOOL_BASE_INDEX_H
#define DFT_TOOL_BASE_INDEX_H

#include "tool/base/text.h"

struct dft_index_slot;

/* All zero is an empty index. */
struct dft_index {
    struct dft_index_slot *slots;
    size_t room; /* a power of two, or 0 */
    size_t used;
};

#define DFT_INDEX_NONE UINT32_MAX

/* Whether the caller's element `number` has the key that is looked for. */
typedef bool dft_index_matches(const void *context, uint32_t number);

/* The element with this key, DFT_INDEX_NONE where there is none. */
uint32_t dft_index_find(const struct dft_index *index, uint64_t hash, dft_index_matches *matches,
                        const void *context);

/* The key must not be in the index yet. */
void dft_index_add(struct dft_index *index, uint64_t hash, uint32_t number);
void dft_index_free(struct dft_index *index);

/* Start with 0, then chain. */
uint64_t dft_hash_text(uint64_t hash, struct dft_text text);
uint64_t dft_hash_number(uint64_t hash, uint64_t number);

#endif
