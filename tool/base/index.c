/*
 * Open addressing with linear probing, at most two thirds full.
 */
#include "tool/base/index.h"

#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

struct dft_index_slot {
    uint64_t hash;
    uint32_t number;
    bool taken;
};

uint32_t dft_index_find(const struct dft_index *index, uint64_t hash, dft_index_matches *matches,
                        const void *context)
{
    size_t mask = index->room - 1;

    if (index->room == 0)
        return DFT_INDEX_NONE;
    for (size_t at = hash & mask; index->slots[at].taken; at = (at + 1) & mask) {
        const struct dft_index_slot *slot = &index->slots[at];

        if (slot->hash == hash && matches(context, slot->number))
            return slot->number;
    }
    return DFT_INDEX_NONE;
}

static void put_slot(struct dft_index *index, struct dft_index_slot slot)
{
    size_t mask = index->room - 1;
    size_t at = slot.hash & mask;

    while (index->slots[at].taken)
        at = (at + 1) & mask;
    index->slots[at] = slot;
}

static void grow_index(struct dft_index *index)
{
    struct dft_index_slot *old = index->slots;
    size_t old_room = index->room;

    index->room = old_room ? old_room * 2 : 8;
    index->slots = dft_tool_zeroed(index->room, sizeof *index->slots);
    for (size_t i = 0; i < old_room; i++) {
        if (old[i].taken)
            put_slot(index, old[i]);
    }
    free(old);
}

void dft_index_add(struct dft_index *index, uint64_t hash, uint32_t number)
{
    if (index->used >= index->room / 3 * 2)
        grow_index(index);
    put_slot(index, (struct dft_index_slot){hash, number, true});
    index->used++;
}

void dft_index_free(struct dft_index *index)
{
    free(index->slots);
    *index = (struct dft_index){0};
}

uint64_t dft_hash_number(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

uint64_t dft_hash_text(uint64_t hash, struct dft_text text)
{
    uint64_t word;

    hash = dft_hash_number(hash, text.length);
    for (; text.length >= sizeof word; text.at += sizeof word, text.length -= sizeof word) {
        memcpy(&word, text.at, sizeof word);
        hash = dft_hash_number(hash, word);
    }
    word = 0;
    if (text.length > 0) /* the address of an empty text may be NULL */
        memcpy(&word, text.at, text.length);
    return dft_hash_number(hash, word);
}
