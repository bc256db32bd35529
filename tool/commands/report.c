/*
 * dftrace report: reads traces, adds up their calls, prints the result.
 */
#include "runtime/base/option_values.h"
#include "tool/analysis/frames.h"
#include "tool/analysis/function_info.h"
#include "tool/analysis/functions.h"
#include "tool/analysis/profile.h"
#include "tool/base/flags.h"
#include "tool/base/progress.h"
#include "tool/base/suggest.h"
#include "tool/base/tool.h"
#include "tool/print/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_TOP 30
#define DEFAULT_MEMORY ((uint64_t)1 << 30)

enum { FLAG_SORT, FLAG_TOP, FLAG_FUNCTIONS, FLAG_JSON, FLAG_MAX_MEMORY };

static const struct dft_flag flags[] = {
    {"--sort", "KEY", "self (default), total, calls, mean, max or name"},
    {"--top", "N", "show the first N functions (default 30); 0 shows all"},
    {"--functions", NULL,
     "what is known of the functions instead of their times: parameters, source,\n"
     "variables, executable or library, rule of the allowlist\n" DFT_FRAMES_HELP},
    {"--json", NULL, "all functions as JSON, times in nanoseconds"},
    {"--max-memory", "SIZE",
     "for names of functions (default 1G; 0: without a limit): those that come when it is\n"
     "used up are one row, " DFT_OTHER_FUNCTIONS ", as if they were one function"},
    {0},
};

static const struct dft_help usage = {
    .command = "report",
    .synopsis = "[OPTIONS] TRACE...",
    .text = "Shows where the time of traced programs went, function by function. A TRACE is what\n"
            "a traced program wrote (.pfw or .pfw.gz), or any JSON trace with complete (\"X\")\n"
            "events; - reads from stdin. Several traces are added up.",
    .flags = flags,
    .notes =
        "WALL   share of the time from the first event to the last; with several threads the\n"
        "       shares of functions that run at the same time add up to more than 100%\n"
        "TOTAL  time between enter and exit, without what dftrace itself took or waited for;\n"
        "       of recursive calls only the outermost counts\n"
        "SELF   TOTAL without the traced functions that were called, and without what\n"
        "       sampling their CPU time and memory took\n"
        "MEAN, MIN, MAX  of single calls, recursive ones included; MIN without unfinished ones\n"
        "Calls without an event of their own (DFTRACER_AGGREGATE, _MIN_DURATION, _BUDGET) are in\n"
        "all of them; of those TOTAL counts recursive ones as well. A ~ marks estimates: times of\n"
        "calls of which only some were timed, and SELF of their callers.",
};

/* --- sorting --- */

typedef int compare_rows(const void *, const void *);

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a > b ? -1 : a < b ? 1 : 0;
}

static int compare_texts(struct dft_text a, struct dft_text b)
{
    size_t length = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.at, b.at, length);

    return order != 0 ? order : -compare_numbers(a.length, b.length);
}

static const struct dft_function *row_of(const void *element)
{
    return *(const struct dft_function *const *)element;
}

/* Ends every comparison, so that the same traces always give the same order. */
static int compare_by_name(const void *left, const void *right)
{
    const struct dft_function *a = row_of(left);
    const struct dft_function *b = row_of(right);
    int order = compare_texts(a->name, b->name);

    if (order == 0)
        order = compare_texts(a->file, b->file);
    if (order == 0)
        order = a->line < b->line ? -1 : a->line > b->line;
    return order != 0 ? order : compare_texts(a->category, b->category);
}

#define DEFINE_COMPARISON(name, field)                                                             \
    static int compare_by_##name(const void *left, const void *right)                              \
    {                                                                                              \
        int order =                                                                                \
            compare_numbers((uint64_t)row_of(left)->field, (uint64_t)row_of(right)->field);        \
                                                                                                   \
        return order != 0 ? order : compare_by_name(left, right);                                  \
    }

DEFINE_COMPARISON(self, self_ns)
DEFINE_COMPARISON(total, total_ns)
DEFINE_COMPARISON(calls, calls)
DEFINE_COMPARISON(mean, mean_ns)
DEFINE_COMPARISON(max, max_ns)

static const struct {
    const char *name;
    compare_rows *compare;
} sort_keys[] = {
    {"self", compare_by_self}, {"total", compare_by_total}, {"calls", compare_by_calls},
    {"mean", compare_by_mean}, {"max", compare_by_max},     {"name", compare_by_name},
};

#define SORT_KEY_COUNT (sizeof sort_keys / sizeof sort_keys[0])

static const char *sort_candidate(const void *context, size_t index)
{
    (void)context;
    return index < SORT_KEY_COUNT ? sort_keys[index].name : NULL;
}

/* --- the command line --- */

struct request {
    compare_rows *compare;
    size_t top;
    uint64_t memory; /* bytes; 0: without a limit */
    bool functions;
    bool json;
    const char **traces;
    size_t trace_count;
    bool incomplete; /* a trace was */
};

static int take_sort_key(struct request *request, const char *name)
{
    for (size_t i = 0; i < SORT_KEY_COUNT; i++) {
        if (strcmp(sort_keys[i].name, name) == 0) {
            request->compare = sort_keys[i].compare;
            return DFT_EXIT_OK;
        }
    }
    const char *nearest = dft_suggest_nearest(name, sort_candidate, NULL);
    if (nearest)
        return dft_flags_refuse(&usage, "cannot sort by '%s', did you mean '%s'?", name, nearest);
    return dft_flags_refuse(
        &usage, "cannot sort by '%s', expected self, total, calls, mean, max or name", name);
}

static int take_top(struct request *request, const char *text)
{
    char *end;

    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0)
        return dft_flags_refuse(&usage, "--top %s: expected a whole number", text);
    request->top = value;
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

/* Returns DFT_EXIT_OK to go on; `*done` after --help. */
static int read_request(int argc, char **argv, struct request *request, bool *done)
{
    struct dft_flags line = {.usage = &usage, .argc = argc, .argv = argv};
    int status = DFT_EXIT_OK;

    while (status == DFT_EXIT_OK) {
        switch (dft_flags_next(&line)) {
        case DFT_FLAG_WORD:
            request->traces[request->trace_count++] = line.value;
            break;
        case DFT_FLAG_FOUND:
            if (line.index == FLAG_SORT)
                status = take_sort_key(request, line.value);
            else if (line.index == FLAG_TOP)
                status = take_top(request, line.value);
            else if (line.index == FLAG_MAX_MEMORY)
                status = take_memory(request, line.value);
            else if (line.index == FLAG_FUNCTIONS)
                request->functions = true;
            else
                request->json = true;
            break;
        case DFT_FLAG_HELP:
            *done = true;
            return DFT_EXIT_OK;
        case DFT_FLAG_WRONG:
            return DFT_EXIT_USAGE;
        case DFT_FLAG_END:
            if (request->trace_count == 0)
                return dft_flags_refuse(&usage, "no TRACE is given");
            return DFT_EXIT_OK;
        }
    }
    return status;
}

/* --- reading --- */

static void tell_why_empty(const struct dft_profile_summary *summary, bool incomplete)
{
    if (summary->pair_events > 0)
        dft_tool_note(
            "no complete (\"X\") event in %s; begin and end (\"B\", \"E\") events are not "
            "counted",
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

/* Columns of the terminal that stdout is, 0 where it is none. */
static size_t terminal_width(void)
{
    struct winsize size;

    if (!isatty(STDOUT_FILENO))
        return 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void print_profile(struct dft_profile *profile, const struct request *request)
{
    size_t all, count = 0;
    const struct dft_function *functions = dft_profile_functions(profile, &all);
    const struct dft_function **rows = dft_tool_zeroed(all, sizeof *rows);
    const char **names = dft_tool_zeroed(request->trace_count, sizeof *names);

    for (size_t i = 0; i < all; i++)
        if (!functions[i].is_own)
            rows[count++] = &functions[i];
    for (size_t i = 0; i < request->trace_count; i++)
        names[i] = dft_walk_name(request->traces[i]);
    qsort(rows, count, sizeof *rows, request->compare);

    struct dft_results results = {
        .traces = names,
        .trace_count = request->trace_count,
        .summary = dft_profile_summarize(profile),
        .rows = rows,
        .row_count = count,
        .top = request->top,
        .width = terminal_width(),
    };
    if (request->json)
        dft_results_print_json(stdout, &results);
    else
        dft_results_print_text(stdout, &results);
    if (results.summary.has_others)
        dft_tool_note(
            "not all functions have a row of their own: the others are in " DFT_OTHER_FUNCTIONS
            "; --max-memory SIZE allows more");
    if (count == 0)
        tell_why_empty(&results.summary, request->incomplete);
    free(names);
    free(rows);
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

int dft_cmd_report(int argc, char **argv)
{
    struct request request = {
        .compare = compare_by_self, .top = DEFAULT_TOP, .memory = DEFAULT_MEMORY};
    bool done = false;

    request.traces = dft_tool_zeroed((size_t)argc, sizeof *request.traces);
    int status = read_request(argc, argv, &request, &done);
    if (status == DFT_EXIT_OK && !done) {
        struct dft_profile *profile = dft_profile_new();
        struct dft_function_info *info =
            request.functions ? dft_function_info_new(request.memory) : NULL;
        struct dft_visitor visitor =
            info ? dft_function_info_visitor(info) : dft_profile_visitor(profile);

        dft_profile_limit_memory(profile, request.memory);
        if (!dft_walk_traces(request.traces, request.trace_count, &visitor, &request.incomplete))
            status = DFT_EXIT_FAILED;
        if (status == DFT_EXIT_OK && info)
            print_function_info(info, &request);
        else if (status == DFT_EXIT_OK)
            print_profile(profile, &request);
        if (info)
            dft_function_info_free(info);
        dft_profile_free(profile);
    }
    free(request.traces);
    return status;
}
