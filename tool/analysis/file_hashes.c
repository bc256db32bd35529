/*
 * See file_hashes.h. One thread of the tool uses it.
 */
#include "tool/analysis/file_hashes.h"

#include "tool/base/tool.h"

#include <stdlib.h>

struct dft_file_hash {
    struct dft_text hash, name;
};

struct search {
    const struct dft_file_hashes *hashes;
    struct dft_text hash;
};

static bool matches(const void *context, uint32_t number)
{
    const struct search *search = context;

    return dft_text_equal(search->hashes->list[number].hash, search->hash);
}

static uint32_t find(const struct dft_file_hashes *hashes, struct dft_text hash)
{
    struct search search = {hashes, hash};

    if (hashes->count == 0)
        return DFT_INDEX_NONE;
    return dft_index_find(&hashes->index, dft_hash_text(0, hash), matches, &search);
}

void dft_file_hashes_note(struct dft_file_hashes *hashes, struct dft_memory_limit *memory,
                          struct dft_reader *reader, const struct dft_event *event)
{
    if (!dft_text_is(event->name, "FH") || dft_memory_limit_is_reached(memory))
        return;
    struct dft_text hash = dft_text_copy(dft_event_arg_text(reader, event, "value"));
    if (hash.length == 0 || find(hashes, hash) != DFT_INDEX_NONE) {
        dft_text_free(hash);
        return;
    }
    hashes->list = dft_tool_grow(hashes->list, hashes->count, &hashes->room, sizeof *hashes->list);
    hashes->list[hashes->count] =
        (struct dft_file_hash){hash, dft_text_copy(dft_event_arg_text(reader, event, "name"))};
    memory->used +=
        2 * sizeof *hashes->list + 96 + hash.length + hashes->list[hashes->count].name.length;
    dft_index_add(&hashes->index, dft_hash_text(0, hash), (uint32_t)hashes->count++);
}

struct dft_text dft_file_hashes_resolve(const struct dft_file_hashes *hashes, struct dft_text text)
{
    uint32_t found = find(hashes, text);

    return found == DFT_INDEX_NONE ? text : hashes->list[found].name;
}

void dft_file_hashes_free(struct dft_file_hashes *hashes)
{
    for (size_t i = 0; i < hashes->count; i++) {
        dft_text_free(hashes->list[i].hash);
        dft_text_free(hashes->list[i].name);
    }
    dft_index_free(&hashes->index);
    free(hashes->list);
}
