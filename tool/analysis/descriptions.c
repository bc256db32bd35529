/*
 * A set of hashes. Each function has two entries, with and without its place in the source, because
 * calls without metadata do not have it.
 */
#include "tool/analysis/descriptions.h"

#include "tool/base/tool.h"

#include <stdlib.h>

struct search {
    const struct dft_descriptions *descriptions;
    uint64_t hash;
};

static bool matches(const void *context, uint32_t number)
{
    const struct search *search = context;

    return search->descriptions->hashes[number] == search->hash;
}

static bool has_hash(const struct dft_descriptions *descriptions, uint64_t hash)
{
    struct search search = {descriptions, hash};

    return dft_index_find(&descriptions->index, hash, matches, &search) != DFT_INDEX_NONE;
}

static void add_hash(struct dft_descriptions *descriptions, uint64_t hash)
{
    if (has_hash(descriptions, hash))
        return;
    descriptions->hashes = dft_tool_grow(descriptions->hashes, descriptions->count,
                                         &descriptions->room, sizeof *descriptions->hashes);
    dft_index_add(&descriptions->index, hash, (uint32_t)descriptions->count);
    descriptions->hashes[descriptions->count++] = hash;
}

void dft_descriptions_add(struct dft_descriptions *descriptions, struct dft_reader *reader,
                          const struct dft_event *event)
{
    struct dft_function_key key = {
        .name = dft_event_arg_text(reader, event, "function"),
        .category = dft_event_arg_text(reader, event, "category"),
        .file = {"", 0},
    };

    add_hash(descriptions, dft_functions_hash(&key));
    key.file = dft_event_arg_text(reader, event, "file");
    if (!dft_event_arg_int(event, "line", &key.line))
        key.line = 0;
    add_hash(descriptions, dft_functions_hash(&key));
}

bool dft_descriptions_have(const struct dft_descriptions *descriptions,
                           const struct dft_function_key *key)
{
    return has_hash(descriptions, dft_functions_hash(key));
}

void dft_descriptions_free(struct dft_descriptions *descriptions)
{
    free(descriptions->hashes);
    dft_index_free(&descriptions->index);
    *descriptions = (struct dft_descriptions){0};
}
