/*
 * Finds the group of a function. In a trace, descriptions of functions come before their calls;
 * names of threads come before or after them.
 */
#include "tool/analysis/grouping.h"

#include "tool/analysis/io/io_call.h"
#include "tool/base/tool.h"

#include <inttypes.h>
#include <stdlib.h>

#define NATIVE "native"

static const struct {
    const char *name;
    const char *many;
} groupings[DFT_GROUPING_COUNT] = {
    [DFT_BY_FUNCTION] = {"function", "functions"},
    [DFT_BY_THREAD] = {"thread", "threads"},
    [DFT_BY_CATEGORY] = {"category", "categories"},
    [DFT_BY_FILE] = {"file", "files"},
    [DFT_BY_MODULE] = {"module", "modules"},
    [DFT_BY_LANGUAGE] = {"language", "languages"},
    [DFT_BY_STEP] = {"step", "steps"},
};

struct dft_described_function {
    struct dft_function_key function;
    struct dft_text group; /* its module or language */
};

struct dft_thread_label {
    int64_t pid;
    int64_t tid;
    struct dft_text name;
};

const char *dft_grouping_name(size_t grouping)
{
    return grouping < DFT_GROUPING_COUNT ? groupings[grouping].name : NULL;
}

const char *dft_grouping_noun(enum dft_grouping grouping, bool is_one)
{
    if (grouping == DFT_BY_STEP) /* the profile's rows are functions */
        grouping = DFT_BY_FUNCTION;
    return is_one ? groupings[grouping].name : groupings[grouping].many;
}

/* --- modules and languages --- */

struct search {
    const struct dft_groups *groups;
    const struct dft_function_key *key;
};

static bool matches_function(const void *context, uint32_t number)
{
    const struct search *search = context;
    const struct dft_function_key *a = &search->groups->described[number].function;
    const struct dft_function_key *b = search->key;

    return a->line == b->line && dft_text_equal(a->name, b->name) &&
           dft_text_equal(a->category, b->category) && dft_text_equal(a->file, b->file);
}

static uint32_t find_described(const struct dft_groups *groups, const struct dft_function_key *key,
                               uint64_t *hash)
{
    struct search search = {groups, key};

    *hash = dft_functions_hash(key);
    return dft_index_find(&groups->described_index, *hash, matches_function, &search);
}

static size_t bytes_of(const struct dft_described_function *described)
{
    return 2 * sizeof *described + 48 + described->function.name.length +
           described->function.category.length + described->function.file.length +
           described->group.length + 4 * 24;
}

/* Descriptions of compiled functions have no language. */
static struct dft_text described_group(const struct dft_groups *groups, struct dft_reader *reader,
                                       const struct dft_event *event)
{
    if (groups->by == DFT_BY_MODULE)
        return dft_event_arg_text(reader, event, "module");
    struct dft_text language = dft_event_arg_text(reader, event, "language");
    return language.length > 0 ? language : dft_text(NATIVE);
}

static void add_described(struct dft_groups *groups, struct dft_reader *reader,
                          const struct dft_event *event)
{
    uint64_t hash;
    struct dft_function_key key = {
        .name = dft_event_arg_text(reader, event, "function"),
        .category = dft_event_arg_text(reader, event, "category"),
        .file = dft_event_arg_text(reader, event, "file"),
    };

    if (!dft_event_arg_int(event, "line", &key.line))
        key.line = 0;
    /* Functions for which there is no room are of an unknown module or language. */
    if (find_described(groups, &key, &hash) != DFT_INDEX_NONE ||
        dft_memory_limit_is_reached(groups->memory))
        return;
    struct dft_described_function described = {
        .function = {dft_text_copy(key.name), dft_text_copy(key.category), dft_text_copy(key.file),
                     key.line},
        .group = dft_text_copy(described_group(groups, reader, event)),
    };
    groups->described = dft_tool_grow(groups->described, groups->described_count,
                                      &groups->described_room, sizeof *groups->described);
    dft_index_add(&groups->described_index, hash, (uint32_t)groups->described_count);
    groups->described[groups->described_count++] = described;
    groups->memory->used += bytes_of(&described);
}

static void forget_described(struct dft_groups *groups)
{
    for (size_t i = 0; i < groups->described_count; i++) {
        struct dft_described_function *described = &groups->described[i];

        groups->memory->used -= bytes_of(described);
        dft_text_free(described->function.name);
        dft_text_free(described->function.category);
        dft_text_free(described->function.file);
        dft_text_free(described->group);
    }
    groups->described_count = 0;
    dft_index_free(&groups->described_index);
}

/* --- threads --- */

static void add_thread_name(struct dft_groups *groups, struct dft_reader *reader,
                            const struct dft_event *event)
{
    struct dft_text name = dft_event_arg_text(reader, event, "name");

    if (name.length == 0 || dft_memory_limit_is_reached(groups->memory))
        return;
    groups->threads = dft_tool_grow(groups->threads, groups->thread_count, &groups->thread_room,
                                    sizeof *groups->threads);
    groups->threads[groups->thread_count++] =
        (struct dft_thread_label){event->pid, event->tid, dft_text_copy(name)};
}

/* Threads of two traces are never the same, even if they have the same numbers. */
static struct dft_function_key thread_key(struct dft_groups *groups, int64_t pid, int64_t tid)
{
    int length =
        snprintf(groups->label, sizeof groups->label, "tid %" PRId64 ", pid %" PRId64, tid, pid);

    return (struct dft_function_key){.name = {groups->label, (size_t)length},
                                     .line = groups->trace};
}

static struct dft_function_key process_key(struct dft_groups *groups, int64_t pid)
{
    int length =
        snprintf(groups->label, sizeof groups->label, "(aggregated calls of pid %" PRId64 ")", pid);

    return (struct dft_function_key){.name = {groups->label, (size_t)length},
                                     .line = groups->trace};
}

static void name_thread(struct dft_groups *groups, struct dft_function_table *table,
                        const struct dft_thread_label *thread)
{
    struct dft_function_key key = thread_key(groups, thread->pid, thread->tid);
    uint32_t number = dft_functions_find(table, &key);

    if (number == DFT_INDEX_NONE || number + 1 == table->others)
        return;
    char *name = dft_tool_format("%s (%s)", thread->name.at, groups->label);
    dft_text_free(table->functions[number].name);
    table->functions[number].name = dft_text(name);
}

/* --- all --- */

void dft_groups_open_trace(struct dft_groups *groups)
{
    groups->trace++;
}

void dft_groups_note(struct dft_groups *groups, struct dft_reader *reader,
                     const struct dft_event *event)
{
    if ((groups->by == DFT_BY_MODULE || groups->by == DFT_BY_LANGUAGE) &&
        event->kind == DFT_TRACE_FUNCTION)
        add_described(groups, reader, event);
    else if (groups->by == DFT_BY_THREAD && event->kind == DFT_TRACE_THREAD_NAME)
        add_thread_name(groups, reader, event);
}

static struct dft_function_key named_key(struct dft_text name, const char *without)
{
    return (struct dft_function_key){.name = name.length > 0 ? name : dft_text(without)};
}

/* Of the function's description, or else this one. */
static struct dft_function_key described_key(const struct dft_groups *groups,
                                             const struct dft_function_key *function,
                                             const char *without)
{
    uint64_t hash;
    uint32_t found = find_described(groups, function, &hash);

    return named_key(found == DFT_INDEX_NONE ? dft_text("") : groups->described[found].group,
                     without);
}

struct dft_function_key dft_groups_key(struct dft_groups *groups,
                                       const struct dft_function_key *function,
                                       const struct dft_event *event)
{
    switch (groups->by) {
    case DFT_BY_THREAD:
        return event->kind == DFT_TRACE_CALL ? thread_key(groups, event->pid, event->tid)
                                             : process_key(groups, event->pid);
    case DFT_BY_CATEGORY:
        return named_key(function->category, "(no category)");
    case DFT_BY_FILE:
        return (struct dft_function_key){
            .name = function->file.length > 0 ? dft_text("") : dft_text("(unknown file)"),
            .file = function->file};
    case DFT_BY_MODULE:
        return described_key(groups, function, "(unknown module)");
    case DFT_BY_LANGUAGE: /* I/O calls, which have no description, are functions of libc */
        return described_key(groups, function,
                             dft_io_is_call(event) ? NATIVE : "(unknown language)");
    case DFT_BY_FUNCTION:
    case DFT_BY_STEP:
    case DFT_GROUPING_COUNT:
        break;
    }
    return *function;
}

static void forget_threads(struct dft_groups *groups)
{
    for (size_t i = 0; i < groups->thread_count; i++)
        dft_text_free(groups->threads[i].name);
    groups->thread_count = 0;
}

void dft_groups_close_trace(struct dft_groups *groups, struct dft_function_table *table)
{
    for (size_t i = 0; i < groups->thread_count; i++)
        name_thread(groups, table, &groups->threads[i]);
    forget_threads(groups);
    forget_described(groups);
}

void dft_groups_free(struct dft_groups *groups)
{
    forget_threads(groups);
    forget_described(groups);
    free(groups->threads);
    free(groups->described);
}
