/*
 * A table of command lines. One thread of the tool uses it.
 */
#include "tool/analysis/command_lines.h"

#include "tool/base/tool.h"

#include <stdlib.h>

struct key {
    const struct dft_command_lines *lines;
    struct dft_text text;
};

static bool matches(const void *context, uint32_t number)
{
    const struct key *key = context;

    return dft_text_equal(key->lines->list[number].text, key->text);
}

void dft_command_lines_add(struct dft_command_lines *lines, struct dft_text text)
{
    struct key key = {lines, text};
    uint64_t hash = dft_hash_text(1, text);

    if (text.length == 0)
        return;
    uint32_t found = dft_index_find(&lines->index, hash, matches, &key);
    if (found == DFT_INDEX_NONE) {
        lines->list = dft_tool_grow(lines->list, lines->count, &lines->room, sizeof *lines->list);
        found = (uint32_t)lines->count++;
        lines->list[found] = (struct dft_profile_command){dft_text_copy(text), 0};
        dft_index_add(&lines->index, hash, found);
    }
    lines->list[found].processes++;
}

void dft_command_lines_free(struct dft_command_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        dft_text_free(lines->list[i].text);
    dft_index_free(&lines->index);
    free(lines->list);
}
