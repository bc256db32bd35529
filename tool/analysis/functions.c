/*
 * A table of functions. One thread of the tool uses it.
 */
#include "tool/analysis/functions.h"

#include "allowlist/allowlist.h"
#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

/* Longer paths are not normalized. */
#define LONGEST_PATH 4096

struct search {
    const struct dft_function_table *table;
    const struct dft_function_key *key;
};

static bool matches(const void *context, uint32_t number)
{
    const struct search *search = context;
    const struct dft_function_key *key = search->key;
    const struct dft_function *function = &search->table->functions[number];

    return function->line == key->line && dft_text_equal(function->name, key->name) &&
           dft_text_equal(function->category, key->category) &&
           dft_text_equal(function->file, key->file);
}

static void grow(struct dft_function_table *table)
{
    size_t room = table->room ? table->room * 2 : 64;

    table->functions = dft_tool_resize(table->functions, room, sizeof *table->functions);
    table->times = dft_tool_resize(table->times, room, sizeof *table->times);
    table->nested = dft_tool_resize(table->nested, room, sizeof *table->nested);
    table->sums = dft_tool_resize(table->sums, room, sizeof *table->sums);
    table->room = room;
}

/* Whether a path is normalized, unlike "./a.c", "src//a.c" and "src/../a.c". */
static bool is_normal(struct dft_text path)
{
    size_t size;

    for (size_t at = path.length > 0 && path.at[0] == '/'; at <= path.length; at += size + 1) {
        const char *name = path.at + at;
        const char *slash = memchr(name, '/', path.length - at);

        size = slash ? (size_t)(slash - name) : path.length - at;
        if (size == 0 || (name[0] == '.' && (size == 1 || (size == 2 && name[1] == '.'))))
            return false;
    }
    return true;
}

/* Normalizes a path, in `room`, so that all spellings of a path are the same file. */
static struct dft_text normal_path(struct dft_text path, char room[2 * LONGEST_PATH])
{
    struct dft_path normal;
    char *copy = room + LONGEST_PATH;

    if (path.length == 0 || path.length > LONGEST_PATH - 3 || is_normal(path) ||
        memchr(path.at, '\0', path.length))
        return path;
    memcpy(copy, path.at, path.length);
    copy[path.length] = '\0';
    dft_path_make(NULL, copy, room, &normal);
    if (normal.absolute)
        return (struct dft_text){normal.text, normal.length};
    return normal.length > 1 ? (struct dft_text){normal.text + 1, normal.length - 1} : path;
}

struct dft_function_key dft_functions_key_of(struct dft_reader *reader,
                                             const struct dft_event *event)
{
    struct dft_function_key key = {.name = event->name, .category = event->cat};

    dft_event_place(reader, event, &key.file, &key.line);
    return key;
}

uint64_t dft_functions_hash(const struct dft_function_key *key)
{
    uint64_t hash =
        dft_hash_text(dft_hash_text(dft_hash_text(0, key->name), key->category), key->file);

    return dft_hash_number(hash, (uint64_t)key->line);
}

static uint32_t find_hashed(const struct dft_function_table *table,
                            const struct dft_function_key *key, uint64_t hash)
{
    struct search search = {table, key};

    return dft_index_find(&table->index, hash, matches, &search);
}

uint32_t dft_functions_find(const struct dft_function_table *table,
                            const struct dft_function_key *written)
{
    char room[2 * LONGEST_PATH];
    struct dft_function_key key = *written;

    key.file = normal_path(key.file, room);
    uint32_t found = find_hashed(table, &key, dft_functions_hash(&key));
    return found == DFT_INDEX_NONE && table->others ? table->others - 1 : found;
}

/* Includes its entries in the arrays and the index, and malloc's overhead for its texts. */
static size_t bytes_of(const struct dft_function_key *key)
{
    return sizeof(struct dft_function) + 2 * sizeof(struct dft_times) + sizeof(__int128) + 48 +
           key->name.length + key->category.length + key->file.length + 3 * 24;
}

static uint32_t add_function(struct dft_function_table *table, const struct dft_function_key *key,
                             uint64_t hash)
{
    uint32_t number = (uint32_t)table->count;

    if (table->count == table->room)
        grow(table);
    table->count++;
    table->functions[number] = (struct dft_function){
        .name = dft_text_copy(key->name),
        .category = dft_text_copy(key->category),
        .file = dft_text_copy(key->file),
        .line = key->line,
        .min_ns = INT64_MAX,
    };
    table->times[number] = table->nested[number] = (struct dft_times){0};
    table->sums[number] = 0;
    table->memory->used += bytes_of(key);
    dft_index_add(&table->index, hash, number);
    return number;
}

/* The row of all functions for which there was no memory. */
static uint32_t find_or_add_others(struct dft_function_table *table)
{
    struct dft_function_key key = {.name = dft_text(DFT_OTHER_FUNCTIONS)};

    if (table->others == 0)
        table->others = add_function(table, &key, dft_functions_hash(&key)) + 1;
    return table->others - 1;
}

uint32_t dft_functions_find_or_add(struct dft_function_table *table,
                                   const struct dft_function_key *written)
{
    char room[2 * LONGEST_PATH];
    struct dft_function_key key = *written;

    key.file = normal_path(key.file, room);
    uint64_t hash = dft_functions_hash(&key);
    uint32_t found = find_hashed(table, &key, hash);

    if (found != DFT_INDEX_NONE)
        return found;
    if (dft_memory_limit_is_reached(table->memory))
        return find_or_add_others(table);
    return add_function(table, &key, hash);
}

void dft_functions_forget_nested(struct dft_function_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        table->nested[i] = (struct dft_times){0};
}

void dft_functions_count_nested(struct dft_function_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        table->times[i].self += table->nested[i].self;
        table->times[i].total += table->nested[i].total;
    }
    dft_functions_forget_nested(table);
    table->memory->used -= table->thread_bytes;
    table->thread_bytes = 0;
}

static int64_t clip_time(__int128 time)
{
    return time < 0 ? 0 : time > INT64_MAX ? INT64_MAX : (int64_t)time;
}

void dft_functions_finish(struct dft_function_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        struct dft_function *function = &table->functions[i];
        __int128 calls = function->calls;

        function->total_ns = clip_time(table->times[i].total);
        function->self_ns = clip_time(table->times[i].self);
        __int128 ended = calls - function->unfinished;
        /* As for the minimum: an unfinished call would have gone on. */
        if (ended > 0)
            function->mean_ns =
                clip_time((table->sums[i] - function->unfinished_ns + ended / 2) / ended);
        else
            function->mean_ns = clip_time((table->sums[i] + calls / 2) / calls);
        function->has_min = function->min_ns != INT64_MAX; /* some call has ended */
        if (!function->has_min)
            function->min_ns = 0;
    }
}

void dft_functions_name_by_file(struct dft_function_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        struct dft_function *function = &table->functions[i];
        struct dft_text none = function->name;

        if (none.length > 0)
            continue;
        function->name = function->file;
        function->file = none;
    }
}

void dft_functions_free(struct dft_function_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        dft_text_free(table->functions[i].name);
        dft_text_free(table->functions[i].category);
        dft_text_free(table->functions[i].file);
    }
    dft_index_free(&table->index);
    free(table->functions);
    free(table->times);
    free(table->nested);
    free(table->sums);
}
