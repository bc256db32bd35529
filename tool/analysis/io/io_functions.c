/*
 * In which functions the time of I/O calls was spent: from the call tree of a profile in which each
 * file takes the place of the functions that were called on it. One thread of the tool uses it.
 */
#include "tool/analysis/call_tree.h"
#include "tool/analysis/io/io.h"
#include "tool/analysis/profile.h"
#include "tool/base/index.h"
#include "tool/base/tool.h"

#include <stdlib.h>

/* The time that a function spent on a file. */
struct share {
    uint32_t function, file;
    int64_t ns;
};

struct sums {
    struct dft_io_function *list;
    size_t count, room;
    struct dft_index index;
    struct share *shares;
    size_t share_count, share_room;
    struct dft_index share_index;
    uint32_t function, file; /* that are looked for */
};

static bool matches_function(const void *context, uint32_t number)
{
    const struct sums *sums = context;

    return sums->list[number].function == sums->function;
}

static bool matches_share(const void *context, uint32_t number)
{
    const struct sums *sums = context;

    return sums->shares[number].function == sums->function &&
           sums->shares[number].file == sums->file;
}

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static struct dft_io_function *find_or_add_function(struct sums *sums)
{
    uint64_t hash = dft_hash_number(0, sums->function);
    uint32_t found = dft_index_find(&sums->index, hash, matches_function, sums);

    if (found != DFT_INDEX_NONE)
        return &sums->list[found];
    sums->list = dft_tool_grow(sums->list, sums->count, &sums->room, sizeof *sums->list);
    sums->list[sums->count] =
        (struct dft_io_function){.function = sums->function, .file = UINT32_MAX};
    dft_index_add(&sums->index, hash, (uint32_t)sums->count);
    return &sums->list[sums->count++];
}

static struct share *find_or_add_share(struct sums *sums)
{
    uint64_t hash = dft_hash_number(dft_hash_number(1, sums->function), sums->file);
    uint32_t found = dft_index_find(&sums->share_index, hash, matches_share, sums);

    if (found != DFT_INDEX_NONE)
        return &sums->shares[found];
    sums->shares =
        dft_tool_grow(sums->shares, sums->share_count, &sums->share_room, sizeof *sums->shares);
    sums->shares[sums->share_count] = (struct share){sums->function, sums->file, 0};
    dft_index_add(&sums->share_index, hash, (uint32_t)sums->share_count);
    return &sums->shares[sums->share_count++];
}

static bool is_file(const struct dft_function *functions, size_t count, uint32_t number)
{
    return number < count && functions[number].line == DFT_IO_LINE;
}

/* The time of a call inside another I/O call is in that one's already. */
static void count_node(struct sums *sums, const struct dft_tree_node *node, uint32_t file,
                       bool has_time)
{
    sums->file = file;
    struct dft_io_function *function = find_or_add_function(sums);
    struct share *share = find_or_add_share(sums);
    int64_t time = has_time ? node->total_ns : 0;

    function->calls += node->calls;
    function->total_ns = add(function->total_ns, time);
    share->ns = add(share->ns, time);
    if (function->file == UINT32_MAX || share->ns > function->file_ns) {
        function->file = file;
        function->file_ns = share->ns;
    }
}

static int compare(const void *left, const void *right)
{
    const struct dft_io_function *a = left, *b = right;

    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return a->function < b->function ? -1 : a->function > b->function;
}

struct dft_io_function *dft_io_functions(struct dft_io *io, struct dft_profile *profile,
                                         size_t *count)
{
    const struct dft_call_tree *tree = dft_profile_tree(profile);
    struct sums sums = {0};
    size_t known;
    const struct dft_function *functions = dft_profile_functions(profile, &known);

    for (size_t i = 1; i < tree->count; i++) {
        const struct dft_tree_node *node = &tree->nodes[i];

        if (!is_file(functions, known, node->function))
            continue;
        uint32_t caller = node->parent;
        while (is_file(functions, known, tree->nodes[caller].function))
            caller = tree->nodes[caller].parent;
        sums.function = tree->nodes[caller].function;
        if (sums.function >= known)
            sums.function = UINT32_MAX;
        const struct dft_text name = functions[node->function].name;
        count_node(&sums, node,
                   dft_io_find_file(io, name.length > 0 ? name : dft_text(DFT_IO_NO_FILE)),
                   caller == node->parent);
    }
    if (sums.count > 1)
        qsort(sums.list, sums.count, sizeof *sums.list, compare);
    dft_index_free(&sums.index);
    dft_index_free(&sums.share_index);
    free(sums.shares);
    *count = sums.count;
    return sums.list;
}
