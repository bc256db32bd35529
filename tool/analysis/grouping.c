/*
 * Finds the group of a function. In a trace, descriptions of functions come before their calls;
 * names of threads come before or after them.
 */
#include "tool/analysis/grouping.h"

#include "tool/base/tool.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct {
    const char *name;
    const char *many;
} groupings[DFT_GROUPING_COUNT] = {
    [DFT_BY_FUNCTION] = {"function", "functions"},  [DFT_BY_THREAD] = {"thread", "threads"},
    [DFT_BY_CATEGORY] = {"category", "categories"}, [DFT_BY_FILE] = {"file", "files"},
    [DFT_BY_MODULE] = {"module", "modules"},        [DFT_BY_STEP] = {"step", "steps"},
};

struct dft_module_of_function {
    struct dft_function_key function;
    struct dft_text module;
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

/* --- modules --- */

struct search {
    const struct dft_groups *groups;
    const struct dft_function_key *key;
};

static bool matches_function(const void *context, uint32_t number)
{
    const struct search *search = context;
    const struct dft_function_key *a = &search->groups->modules[number].function;
    const struct dft_function_key *b = search->key;

    return a->line == b->line && dft_text_equal(a->name, b->name) &&
           dft_text_equal(a->category, b->category) && dft_text_equal(a->file, b->file);
}

static uint32_t find_module(const struct dft_groups *groups, const struct dft_function_key *key,
                            uint64_t *hash)
{
    struct search search = {groups, key};

    *hash = dft_functions_hash(key);
    return dft_index_find(&groups->module_index, *hash, matches_function, &search);
}

static size_t bytes_of(const struct dft_module_of_function *module)
{
    return 2 * sizeof *module + 48 + module->function.name.length +
           module->function.category.length + module->function.file.length + module->module.length +
           4 * 24;
}

static void add_module(struct dft_groups *groups, struct dft_reader *reader,
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
    /* Functions for which there is no room are of an unknown module. */
    if (find_module(groups, &key, &hash) != DFT_INDEX_NONE ||
        dft_memory_limit_is_reached(groups->memory))
        return;
    struct dft_module_of_function module = {
        .function = {dft_text_copy(key.name), dft_text_copy(key.category), dft_text_copy(key.file),
                     key.line},
        .module = dft_text_copy(dft_event_arg_text(reader, event, "module")),
    };
    groups->modules = dft_tool_grow(groups->modules, groups->module_count, &groups->module_room,
                                    sizeof *groups->modules);
    dft_index_add(&groups->module_index, hash, (uint32_t)groups->module_count);
    groups->modules[groups->module_count++] = module;
    groups->memory->used += bytes_of(&module);
}

static void forget_modules(struct dft_groups *groups)
{
    for (size_t i = 0; i < groups->module_count; i++) {
        struct dft_module_of_function *module = &groups->modules[i];

        groups->memory->used -= bytes_of(module);
        dft_text_free(module->function.name);
        dft_text_free(module->function.category);
        dft_text_free(module->function.file);
        dft_text_free(module->module);
    }
    groups->module_count = 0;
    dft_index_free(&groups->module_index);
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
    if (groups->by == DFT_BY_MODULE && event->kind == DFT_TRACE_FUNCTION)
        add_module(groups, reader, event);
    else if (groups->by == DFT_BY_THREAD && event->kind == DFT_TRACE_THREAD_NAME)
        add_thread_name(groups, reader, event);
}

static struct dft_function_key named_key(struct dft_text name, const char *without)
{
    return (struct dft_function_key){.name = name.length > 0 ? name : dft_text(without)};
}

struct dft_function_key dft_groups_key(struct dft_groups *groups,
                                       const struct dft_function_key *function,
                                       const struct dft_event *event)
{
    uint64_t hash;

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
    case DFT_BY_MODULE: {
        uint32_t found = find_module(groups, function, &hash);

        return named_key(found == DFT_INDEX_NONE ? dft_text("") : groups->modules[found].module,
                         "(unknown module)");
    }
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
    forget_modules(groups);
}

void dft_groups_free(struct dft_groups *groups)
{
    forget_threads(groups);
    forget_modules(groups);
    free(groups->threads);
    free(groups->modules);
}
