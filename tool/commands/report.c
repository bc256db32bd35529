/*
 * dftrace report: prints where the time went, as a table or a call tree.
 */
#include "runtime/base/option_values.h"
#include "tool/analysis/call_tree.h"
#include "tool/analysis/frames.h"
#include "tool/analysis/function_info.h"
#include "tool/analysis/functions.h"
#include "tool/analysis/grouping.h"
#include "tool/analysis/io/io.h"
#include "tool/analysis/profile.h"
#include "tool/analysis/steps.h"
#include "tool/base/flags.h"
#include "tool/base/suggest.h"
#include "tool/base/tool.h"
#include "tool/print/columns.h"
#include "tool/print/io.h"
#include "tool/print/results.h"
#include "tool/print/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_TOP 30
#define DEFAULT_MEMORY ((uint64_t)1 << 30)

enum {
    FLAG_SORT,
    FLAG_TOP,
    FLAG_BY,
    FLAG_TREE,
    FLAG_FROM,
    FLAG_CALLERS,
    FLAG_CALLEES,
    FLAG_DEPTH,
    FLAG_FUNCTIONS,
    FLAG_IO,
    FLAG_JSON,
    FLAG_MAX_MEMORY,
};

static struct dft_flag flags[] = {
    [FLAG_SORT] = {"--sort", "KEY", NULL},
    [FLAG_TOP] = {"--top", "N",
                  "show the first N functions (default 30), of a call tree the N nodes with the\n"
                  "largest TOTAL; 0 shows all"},
    [FLAG_BY] = {"--by", "WHAT",
                 "a row for each thread, category, file, module or language; or\n"
                 "for each epoch and step, as regions and arguments of that name number them"},
    [FLAG_TREE] = {"--tree", NULL,
                   "the call tree: which functions called which, SHARE of the whole tree;\n"
                   "a recursive call belongs to the outermost call of its function"},
    [FLAG_FROM] = {"--from", "FUNCTION", "the call tree below FUNCTION"},
    [FLAG_CALLERS] = {"--callers", "FUNCTION",
                      "from where FUNCTION was called; times are those of FUNCTION"},
    [FLAG_CALLEES] = {"--callees", "FUNCTION", "which functions FUNCTION called"},
    [FLAG_DEPTH] = {"--depth", "N",
                    "levels of the tree below its first (default: all; 1 for --callers and\n"
                    "--callees)"},
    [FLAG_FUNCTIONS] =
        {"--functions", NULL,
         "what is known of the functions instead of their times: parameters, "
         "source,\n"
         "variables, executable or library, rule of the allowlist\n" DFT_FRAMES_HELP},
    [FLAG_IO] = {"--io", NULL,
                 "I/O calls by file, function and process, with advice: what dftrace run --io\n"
                 "records; --sort total, calls or name"},
    [FLAG_JSON] = {"--json", NULL, "all rows as JSON, times in nanoseconds"},
    [FLAG_MAX_MEMORY] =
        {"--max-memory", "SIZE",
         "for functions and the call tree (default 1G; 0: no limit); functions that come when it\n"
         "is used up share a row, " DFT_OTHER_FUNCTIONS ", as if they were one function"},
    {0},
};

static struct dft_help usage = {
    .command = "report",
    .synopsis = "[OPTIONS] TRACE...",
    .text =
        "Shows where the time of traced programs went, function by function. A TRACE is what a\n"
        "traced program wrote (.pfw, .pfw.gz, .pftrace), or another trace in Chrome's JSON or\n"
        "Perfetto's own format; - reads from stdin. Several traces are added up.",
    .flags = flags,
};

#define NOTES                                                                                      \
    "Calls without an event of their own (DFTRACER_AGGREGATE, _MIN_DURATION, _BUDGET) are in\n"    \
    "all of them; of those TOTAL counts recursive ones as well. They are not in a call tree. A "   \
    "~\n"                                                                                          \
    "marks estimates: times of calls of which only some were timed, and SELF of their callers."

/* Adds the texts that come from the table of columns. */
static void complete_help(void)
{
    char *sorts = dft_column_list_sorts(), *columns = dft_column_explain();

    flags[FLAG_SORT].help = dft_tool_format("%s (default: self; total in a call tree)", sorts);
    usage.notes = dft_tool_format("%s\n" NOTES, columns);
    free(sorts);
    free(columns);
}

static void free_help(void)
{
    free((char *)flags[FLAG_SORT].help);
    free((char *)usage.notes);
}

/* --- the command line --- */

enum shape { SHAPE_TABLE, SHAPE_TREE, SHAPE_CALLERS, SHAPE_CALLEES, SHAPE_FUNCTIONS, SHAPE_IO };

static const char *const shape_flags[] = {"",          "--tree",      "--callers",
                                          "--callees", "--functions", "--io"};

struct request {
    enum shape shape;
    enum dft_grouping by;
    const char *function; /* of --from, --callers and --callees */
    bool has_sort;
    const char *sort_name;
    const struct dft_column *sort; /* NULL: by name */
    enum dft_steps_order order;    /* of steps */
    enum dft_io_order io_order;
    size_t top;
    size_t depth;
    bool has_depth;
    uint64_t memory; /* bytes; 0: no limit */
    bool json;
    const char **traces;
    size_t trace_count;
    bool incomplete; /* the end of a trace is missing */
};

/* "--by: unknown 'x', did you mean 'y'?" */
static int refuse_word(const char *format, const char *word, dft_suggest_candidate *candidate,
                       const char *expected)
{
    const char *nearest = dft_suggest_nearest(word, candidate, NULL);
    char *problem = dft_tool_format(format, word);
    int status = nearest ? dft_flags_refuse(&usage, "%s, did you mean '%s'?", problem, nearest)
                         : dft_flags_refuse(&usage, "%s, expected %s", problem, expected);

    free(problem);
    return status;
}

static int take_sort_key(struct request *request, const char *name)
{
    request->has_sort = true;
    request->sort_name = name;
    if (dft_column_find_sort(name, &request->sort))
        return DFT_EXIT_OK;
    char *sorts = dft_column_list_sorts();
    int status = refuse_word("cannot sort by '%s'", name, dft_column_sort_name, sorts);
    free(sorts);
    return status;
}

static const char *grouping_candidate(const void *context, size_t index)
{
    (void)context;
    return dft_grouping_name(index);
}

static int take_grouping(struct request *request, const char *name)
{
    const char *known;

    for (size_t i = 0; (known = dft_grouping_name(i)); i++) {
        if (strcmp(known, name) == 0) {
            request->by = (enum dft_grouping)i;
            return DFT_EXIT_OK;
        }
    }
    return refuse_word("cannot group by '%s'", name, grouping_candidate,
                       "thread, category, file, module, language or step");
}

static int take_number(const char *flag, const char *text, size_t *number)
{
    char *end;

    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0)
        return dft_flags_refuse(&usage, "%s %s: expected a whole number", flag, text);
    *number = value;
    return DFT_EXIT_OK;
}

static int take_memory(struct request *request, const char *text)
{
    const char *expected = NULL;

    if (strcmp(text, "0") == 0)
        request->memory = 0;
    else
        expected = dft_option_parse_SIZE(text, &request->memory);
    if (expected)
        return dft_flags_refuse(&usage, "--max-memory %s: expected %s", text, expected);
    return DFT_EXIT_OK;
}

/* Chooses the kind of report; there can be only one. */
static int take_shape(struct request *request, enum shape shape, const char *function)
{
    if (request->shape != SHAPE_TABLE && request->shape != shape)
        return dft_flags_refuse(&usage, "%s and %s cannot be combined", shape_flags[request->shape],
                                shape_flags[shape]);
    request->shape = shape;
    if (function)
        request->function = function;
    return DFT_EXIT_OK;
}

static int take_flag(struct request *request, size_t flag, const char *value)
{
    switch (flag) {
    case FLAG_SORT:
        return take_sort_key(request, value);
    case FLAG_TOP:
        return take_number("--top", value, &request->top);
    case FLAG_BY:
        return take_grouping(request, value);
    case FLAG_TREE:
        return take_shape(request, SHAPE_TREE, NULL);
    case FLAG_FROM:
        return take_shape(request, SHAPE_TREE, value);
    case FLAG_CALLERS:
        return take_shape(request, SHAPE_CALLERS, value);
    case FLAG_CALLEES:
        return take_shape(request, SHAPE_CALLEES, value);
    case FLAG_DEPTH:
        request->has_depth = true;
        return take_number("--depth", value, &request->depth);
    case FLAG_FUNCTIONS:
        return take_shape(request, SHAPE_FUNCTIONS, NULL);
    case FLAG_IO:
        return take_shape(request, SHAPE_IO, NULL);
    case FLAG_MAX_MEMORY:
        return take_memory(request, value);
    default:
        request->json = true;
        return DFT_EXIT_OK;
    }
}

static bool is_tree(const struct request *request)
{
    return request->shape == SHAPE_TREE || request->shape == SHAPE_CALLERS ||
           request->shape == SHAPE_CALLEES;
}

/* Checks combinations of flags, and sets defaults. */
static int complete_request(struct request *request)
{
    if (request->trace_count == 0)
        return dft_flags_refuse(&usage, "no TRACE is given");
    if (request->by != DFT_BY_FUNCTION && request->shape != SHAPE_TABLE)
        return dft_flags_refuse(&usage, "--by and %s cannot be combined",
                                shape_flags[request->shape]);
    if (request->has_depth && !is_tree(request))
        return dft_flags_refuse(&usage, "--depth needs --tree, --from, --callers or --callees");
    if (is_tree(request) && request->sort && !request->sort->is_in_tree)
        return dft_flags_refuse(&usage, "a call tree cannot be sorted by %s", request->sort->sort);
    if (request->by == DFT_BY_STEP && request->has_sort &&
        !dft_steps_find_order(request->sort_name, &request->order))
        return dft_flags_refuse(&usage, "steps cannot be sorted by %s", request->sort_name);
    if (request->shape == SHAPE_IO && request->has_sort &&
        !dft_io_find_order(request->sort_name, &request->io_order))
        return dft_flags_refuse(&usage, "I/O cannot be sorted by %s", request->sort_name);
    if (!request->has_sort)
        dft_column_find_sort(is_tree(request) ? "total" : "self", &request->sort);
    if (!request->has_depth)
        request->depth = request->shape == SHAPE_TREE ? SIZE_MAX : 1;
    return DFT_EXIT_OK;
}

/* Returns DFT_EXIT_OK to go on; `*done` after --help. */
static int read_request(int argc, char **argv, struct request *request, bool *done)
{
    struct dft_flags line = {.usage = &usage, .argc = argc, .argv = argv};
    int status = DFT_EXIT_OK;

    complete_help();
    while (status == DFT_EXIT_OK && !*done) {
        switch (dft_flags_next(&line)) {
        case DFT_FLAG_WORD:
            request->traces[request->trace_count++] = line.value;
            continue;
        case DFT_FLAG_FOUND:
            status = take_flag(request, line.index, line.value);
            continue;
        case DFT_FLAG_HELP:
            *done = true;
            continue;
        case DFT_FLAG_WRONG:
            status = DFT_EXIT_USAGE;
            continue;
        case DFT_FLAG_END:
            break;
        }
        status = complete_request(request);
        break;
    }
    free_help();
    return status;
}

/* --- reading --- */

static void explain_empty(const struct dft_profile_summary *summary, bool incomplete)
{
    if (summary->pair_events > 0)
        dft_tool_note("no call is in %s: the ends of calls (\"E\") have no begin (\"B\")",
                      summary->traces == 1 ? "this trace" : "these traces");
    else if (summary->lost > 0)
        dft_tool_note("no call is in it: none could be written");
    else if (summary->dropped > 0)
        dft_tool_note("no call was recorded: all of them were dropped");
    else if (incomplete)
        dft_tool_note(
            "no call is in it yet: they are written when there are enough of them, when the "
            "program ends, or when dftrace ctl PID flush asks for them; dftrace recover "
            "finds those of a program that was killed");
    else
        dft_tool_note("no call was recorded: no function that the allowlist names was called; "
                      "dftrace check ALLOWLIST NAME tells what the allowlist says of a function");
}

/* The width of the terminal; 0 if stdout is not a terminal. */
static size_t terminal_width(void)
{
    struct winsize size;

    if (!isatty(STDOUT_FILENO))
        return 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* --- printing --- */

static int compare_rows(const void *left, const void *right, void *context)
{
    return dft_column_compare(context, *(const struct dft_function *const *)left,
                              *(const struct dft_function *const *)right);
}

struct function_search {
    const struct dft_function *functions;
    size_t count;
    struct dft_text name;
};

/* A name may be written without its parameters. */
static bool is_function(const struct dft_function *function, struct dft_text name)
{
    return dft_text_equal(function->name, name) ||
           (function->name.length > name.length && function->name.at[name.length] == '(' &&
            memcmp(function->name.at, name.at, name.length) == 0);
}

static bool matches_function(const void *context, uint32_t function)
{
    const struct function_search *search = context;

    return function < search->count && is_function(&search->functions[function], search->name);
}

static const char *function_candidate(const void *context, size_t index)
{
    const struct function_search *search = context;

    return index < search->count ? search->functions[index].name.at : NULL;
}

static bool find_function(const struct function_search *search)
{
    for (uint32_t i = 0; i < search->count; i++) {
        if (matches_function(search, i))
            return true;
    }
    const char *nearest = dft_suggest_nearest(search->name.at, function_candidate, search);
    if (nearest)
        dft_tool_error("no call of '%s' is in the trace, did you mean '%s'?", search->name.at,
                       nearest);
    else
        dft_tool_error("no call of '%s' is in the trace; dftrace report --top 0 --sort name lists "
                       "all functions",
                       search->name.at);
    return false;
}

static int print_tree(const struct dft_profile *profile, const struct request *request,
                      const struct dft_results *table, const struct function_search *search)
{
    const struct dft_call_tree *whole = dft_profile_tree(profile);
    struct dft_call_tree *part = NULL;

    if (request->function && !find_function(search))
        return DFT_EXIT_FAILED;
    if (request->shape == SHAPE_CALLERS)
        part = dft_call_tree_callers(whole, matches_function, search, request->depth);
    else if (request->function)
        part = dft_call_tree_from(whole, matches_function, search);
    struct dft_tree_results results = {
        .results = table,
        .tree = part ? part : whole,
        .functions = search->functions,
        .sort = request->sort,
        .depth = request->depth,
        .what = request->shape == SHAPE_CALLERS ? "FUNCTION AND ITS CALLERS" : "FUNCTION",
    };
    if (request->json)
        dft_tree_print_json(stdout, &results);
    else
        dft_tree_print_text(stdout, &results);
    if (results.tree->has_others || whole->has_others)
        dft_tool_note("not all calls have a node of their own: the others are "
                      "in " DFT_OTHER_FUNCTIONS "; --max-memory SIZE allows more");
    if (part)
        dft_call_tree_free(part);
    return DFT_EXIT_OK;
}

static struct dft_steps_results list_steps(struct dft_steps *steps, const struct request *request,
                                           const struct dft_results *results)
{
    struct dft_steps_results list = {.results = results, .order = request->order};

    list.steps = dft_steps_list(steps, &list.step_count);
    list.epochs = dft_steps_epochs(steps, &list.epoch_count);
    return list;
}

static void print_steps(struct dft_steps *steps, const struct request *request,
                        const struct dft_results *results)
{
    struct dft_steps_results list = list_steps(steps, request, results);

    if (request->json)
        dft_steps_print_json(stdout, &list);
    else
        dft_steps_print_text(stdout, &list);
    if (list.epoch_count == 0)
        dft_tool_note("no call has a step or an epoch: a region or traced argument with that name, "
                      "and a whole number");
    if (dft_steps_left_out(steps) > 0)
        dft_tool_note("%llu calls of further steps were left out; --max-memory SIZE allows more",
                      (unsigned long long)dft_steps_left_out(steps));
}

static void print_rows(struct dft_steps *steps, const struct request *request,
                       const struct dft_results *results)
{
    if (request->json) {
        dft_results_print_json(stdout, results);
        return;
    }
    struct dft_steps_results list = list_steps(steps, request, results);
    dft_results_print_text(stdout, results);
    if (request->by == DFT_BY_FUNCTION)
        dft_steps_print_summary(stdout, &list);
}

static void print_io(struct dft_io *io, struct dft_profile *profile, const struct request *request,
                     const struct dft_results *results)
{
    struct dft_io_results list = {.results = results, .order = request->io_order};
    size_t functions;

    list.files = dft_io_files(io, &list.file_count);
    list.processes = dft_io_processes(io, &list.process_count);
    list.functions = dft_profile_functions(profile, &functions);
    struct dft_io_function *made_by = dft_io_functions(io, profile, &list.made_by_count);
    struct dft_io_advice *advice = dft_io_advise(list.files, list.file_count, &list.advice_count);

    list.made_by = made_by;
    list.advice = advice;
    if (request->json)
        dft_io_print_json(stdout, &list);
    else
        dft_io_print_text(stdout, &list);
    if (list.file_count == 0)
        dft_tool_note("no I/O call was recorded; dftrace run --io records them");
    if (dft_io_has_others(io) || dft_profile_tree(profile)->has_others)
        dft_tool_note("not all files and functions are listed; --max-memory SIZE allows more");
    free(made_by);
    free(advice);
}

static int print_profile(struct dft_profile *profile, struct dft_steps *steps, struct dft_io *io,
                         const struct request *request)
{
    size_t all, count = 0;
    const struct dft_function *functions = dft_profile_functions(profile, &all);
    const struct dft_function **rows = dft_tool_zeroed(all, sizeof *rows);
    const char **names = dft_tool_zeroed(request->trace_count, sizeof *names);
    static const char *const titles[] = {
        [DFT_BY_FUNCTION] = "FUNCTION", [DFT_BY_THREAD] = "THREAD", [DFT_BY_CATEGORY] = "CATEGORY",
        [DFT_BY_FILE] = "FILE",         [DFT_BY_MODULE] = "MODULE", [DFT_BY_LANGUAGE] = "LANGUAGE",
        [DFT_BY_STEP] = "STEP",
    };
    int status = DFT_EXIT_OK;

    for (size_t i = 0; i < all; i++)
        if (!functions[i].is_own && functions[i].line != DFT_IO_LINE)
            rows[count++] = &functions[i];
    for (size_t i = 0; i < request->trace_count; i++)
        names[i] = dft_walk_name(request->traces[i]);
    qsort_r(rows, count, sizeof *rows, compare_rows, (void *)request->sort);

    struct dft_results results = {
        .traces = names,
        .trace_count = request->trace_count,
        .summary = dft_profile_summarize(profile),
        .title = titles[request->by],
        .rows = rows,
        .row_count = count,
        .top = request->top,
        .width = terminal_width(),
    };
    struct function_search search = {functions, all,
                                     dft_text(request->function ? request->function : "")};
    if (is_tree(request))
        status = print_tree(profile, request, &results, &search);
    else if (request->shape == SHAPE_IO)
        print_io(io, profile, request, &results);
    else if (request->by == DFT_BY_STEP)
        print_steps(steps, request, &results);
    else
        print_rows(steps, request, &results);
    if (results.summary.has_others)
        dft_tool_note(
            "not all functions have a row of their own: the others are in " DFT_OTHER_FUNCTIONS
            "; --max-memory SIZE allows more");
    if (count == 0 && status == DFT_EXIT_OK && request->shape != SHAPE_IO)
        explain_empty(&results.summary, request->incomplete);
    free(names);
    free(rows);
    return status;
}

static void print_function_info(struct dft_function_info *info, const struct request *request)
{
    size_t count = request->json ? dft_function_info_print_json(stdout, info)
                                 : dft_function_info_print_text(stdout, info, request->top);

    if (dft_function_info_left_out(info) > 0)
        dft_tool_note("%zu descriptions of functions were left out; --max-memory SIZE allows more",
                      dft_function_info_left_out(info));
    if (count == 0)
        dft_tool_note("no function is described: no call was recorded, or DFTRACER_INC_METADATA "
                      "was 0");
}

int dft_cmd_report_check(int argc, char **argv)
{
    struct request request = {0};
    bool done = false;

    request.traces = dft_tool_zeroed((size_t)argc, sizeof *request.traces);
    int status = read_request(argc, argv, &request, &done);
    free(request.traces);
    return status;
}

static int make_report(struct request *request)
{
    struct dft_profile *profile = dft_profile_new();
    struct dft_steps *steps = dft_steps_new(request->memory);
    struct dft_io *io = dft_io_new(request->memory);
    struct dft_function_info *info = dft_function_info_new(request->memory);
    int status = DFT_EXIT_OK;

    dft_profile_limit_memory(profile, request->memory);
    dft_profile_group_by(profile, request->by);
    if (request->shape == SHAPE_IO)
        dft_profile_separate_io(profile);
    if (is_tree(request) || request->shape == SHAPE_IO)
        dft_profile_make_tree(profile);
    struct dft_visitor visitor = request->shape == SHAPE_FUNCTIONS ? dft_function_info_visitor(info)
                                                                   : dft_profile_visitor(profile);
    if (request->shape == SHAPE_TABLE)
        visitor = dft_steps_visitor(steps, &visitor);
    else if (request->shape == SHAPE_IO)
        visitor = dft_io_visitor(io, &visitor);

    if (!dft_walk_traces(request->traces, request->trace_count, &visitor, &request->incomplete))
        status = DFT_EXIT_FAILED;
    else if (request->shape == SHAPE_FUNCTIONS)
        print_function_info(info, request);
    else
        status = print_profile(profile, steps, io, request);
    dft_function_info_free(info);
    dft_io_free(io);
    dft_steps_free(steps);
    dft_profile_free(profile);
    return status;
}

int dft_cmd_report(int argc, char **argv)
{
    struct request request = {.top = DEFAULT_TOP, .memory = DEFAULT_MEMORY};
    bool done = false;

    request.traces = dft_tool_zeroed((size_t)argc, sizeof *request.traces);
    int status = read_request(argc, argv, &request, &done);
    if (status == DFT_EXIT_OK && !done)
        status = make_report(&request);
    free(request.traces);
    return status;
}
