/*
 * The lines above every report: traces, commands, how much was recorded, what is missing.
 */
#include "tool/print/results.h"

#include "tool/analysis/grouping.h"
#include "tool/base/tool.h"
#include "tool/print/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH 11

static void print_label(FILE *out, const char *label)
{
    fputs(label, out);
    dft_format_pad(out, strlen(label), LABEL_WIDTH);
}

static void print_named(FILE *out, const struct dft_results *results, const char *label,
                        struct dft_text text, const char *more)
{
    size_t room = SIZE_MAX;

    if (results->width > 0)
        room = results->width > LABEL_WIDTH + strlen(more) + 8
                   ? results->width - LABEL_WIDTH - strlen(more)
                   : 8;
    print_label(out, label);
    dft_text_print_cut(out, text, room, DFT_CUT_END);
    fprintf(out, "%s\n", more);
}

#define NAMED_MAX 4

static void print_sources(FILE *out, const struct dft_results *results)
{
    const struct dft_profile_summary *summary = &results->summary;

    for (size_t i = 0; i < results->trace_count && i < NAMED_MAX; i++)
        print_named(out, results, i == 0 ? "trace" : "", dft_text(results->traces[i]), "");
    if (results->trace_count > NAMED_MAX)
        fprintf(out, "%*s… and %zu more\n", LABEL_WIDTH, "", results->trace_count - NAMED_MAX);
    for (size_t i = 0; i < summary->command_count && i < NAMED_MAX; i++) {
        char more[40] = "";

        if (summary->commands[i].processes > 1)
            snprintf(more, sizeof more, " (%" PRIu64 " times)", summary->commands[i].processes);
        print_named(out, results, i == 0 ? "command" : "", summary->commands[i].text, more);
    }
    if (summary->command_count > NAMED_MAX)
        fprintf(out, "%*s… and %zu more\n", LABEL_WIDTH, "", summary->command_count - NAMED_MAX);
}

static void print_count(FILE *out, uint64_t count, const char *one, const char *many)
{
    fprintf(out, "%" PRIu64 " %s", count, count == 1 ? one : many);
}

/* Prints ", 2 things" if there are any. */
static void print_more(FILE *out, uint64_t count, const char *one, const char *many)
{
    if (count == 0)
        return;
    fputs(", ", out);
    print_count(out, count, one, many);
}

/* Prints a line about `count` calls, if there are any. */
static void print_calls(FILE *out, const char *label, uint64_t count, const char *one,
                        const char *many, const char *rest)
{
    if (count == 0)
        return;
    print_label(out, label);
    print_count(out, count, one, many);
    fprintf(out, "%s\n", rest);
}

static void print_usage(FILE *out, const struct dft_profile_summary *summary)
{
    /* A short program may have no sample of its CPU time. */
    if (summary->cpu_ns <= 0 && summary->peak_rss_kb <= 0)
        return;
    print_label(out, "used");
    if (summary->cpu_ns > 0)
        fprintf(out, "%s of a processor on average",
                dft_format_share(summary->cpu_ns, summary->wall_ns).text);
    if (summary->peak_rss_kb > 0)
        fprintf(out, "%s%" PRId64 ".%" PRId64 " MiB of memory at most",
                summary->cpu_ns > 0 ? ", " : "", summary->peak_rss_kb / 1024,
                summary->peak_rss_kb % 1024 * 10 / 1024);
    if (summary->processes > 1)
        fputs(" in one process", out);
    fputc('\n', out);
}

#define SWITCHES_MAX 10

/* Calls that are in the table, but have no events. */
static void print_aggregated(FILE *out, const struct dft_profile_summary *summary)
{
    print_calls(out, "aggregated", summary->aggregated, "call has", "calls have",
                " no event: they are in the table, not on the time line");
    print_calls(out, "", summary->throttled, "of them was", "of them were",
                " counted, not timed: times with ~ are estimates");
    for (size_t i = 0; i < summary->switch_count && i < SWITCHES_MAX; i++) {
        const struct dft_profile_throttling *made = &summary->switches[i];

        print_label(out, i == 0 ? "counted" : "");
        dft_text_print_visible(out, made->function);
        fprintf(out, " from %s on", dft_format_time(made->after_ns).text);
        if (made->window_ns > 0)
            fprintf(out, ": recording %" PRId64 " calls cost %s in %s of CPU time", made->calls,
                    dft_format_time(made->cost_ns).text, dft_format_time(made->window_ns).text);
        fputc('\n', out);
    }
    if (summary->switch_count > SWITCHES_MAX)
        fprintf(out, "%*s… and %zu more\n", LABEL_WIDTH, "", summary->switch_count - SWITCHES_MAX);
    print_calls(out, "left out", summary->left_out, "call", "calls",
                ", nested deeper than DFTRACER_MAX_DEPTH");
}

static void print_missing(FILE *out, const struct dft_profile_summary *summary)
{
    if (summary->unwritable > 0) {
        print_label(out, "warning");
        print_count(out, summary->unwritable, "call is", "calls are");
        fputs(" missing, counts and times are too low: the trace could not be written", out);
        if (summary->reason.length > 0) {
            fputs(" (", out);
            dft_text_print_visible(out, summary->reason);
            fputc(')', out);
        }
        if (summary->lost > 0)
            fprintf(out, "; `dftrace recover` adds %" PRIu64 " of them from the spool",
                    summary->lost);
        fputc('\n', out);
    }
    print_calls(out, "warning", summary->dropped + summary->lost - summary->unwritable, "call was",
                "calls were", " dropped (spool full): counts and times are too low");
}

/* --- time that tracing itself has taken --- */

#define TO_LEAVE_OUT_MAX 4
#define MANY_CALLS 80  /* percent of the calls that the named functions should have */
#define SOME_CALLS 50  /* percent: fewer calls are not worth a rule */
#define NOTICEABLE 100 /* one hundredth of the wall time */

static int compare_by_calls(const void *left, const void *right)
{
    const struct dft_function *a = *(const struct dft_function *const *)left;
    const struct dft_function *b = *(const struct dft_function *const *)right;

    if (a->calls != b->calls)
        return a->calls < b->calls ? 1 : -1;
    return strcmp(a->name.at, b->name.at);
}

/* Names the functions with most of the calls, if they are few. */
static void print_most_called(FILE *out, const struct dft_results *results, const char *before)
{
    const struct dft_function **rows = dft_tool_zeroed(results->row_count, sizeof *rows);
    uint64_t calls = 0, all = results->summary.calls;
    size_t count = 0;

    memcpy(rows, results->rows, results->row_count * sizeof *rows);
    qsort(rows, results->row_count, sizeof *rows, compare_by_calls);
    while (count < TO_LEAVE_OUT_MAX && count < results->row_count &&
           (__int128)calls * 100 < (__int128)all * MANY_CALLS)
        calls += rows[count++]->calls;
    if ((__int128)calls * 100 >= (__int128)all * SOME_CALLS) {
        fprintf(out, "%s leave out ", before);
        for (size_t i = 0; i < count; i++) {
            fputs(i > 0 ? ", " : "", out);
            dft_text_print_visible(out, rows[i]->name);
        }
        fprintf(out, " (%.0f%% of the calls)", 100.0 * (double)calls / (double)all);
    }
    free(rows);
}

static bool is_noticeable(const struct dft_profile_summary *summary, int64_t ns)
{
    return ns > 0 && ns >= summary->wall_ns / NOTICEABLE;
}

static void print_pauses(FILE *out, const struct dft_results *results)
{
    const struct dft_profile_summary *summary = &results->summary;

    if (is_noticeable(summary, summary->waited_ns)) {
        print_label(out, "waited");
        fprintf(out, "%s for the writer", dft_format_time(summary->waited_ns).text);
        fputs(summary->has_budget ? "" : "; try -e BUDGET=5%", out);
        if (summary->calls > 0)
            print_most_called(out, results, summary->has_budget ? "; try to" : ", or");
        fputc('\n', out);
    }
    if (is_noticeable(summary, summary->bookkeeping_ns)) {
        print_label(out, "dftrace");
        fprintf(out, "took %s itself inside calls: subtracted from their times\n",
                dft_format_time(summary->bookkeeping_ns).text);
    }
}

void dft_results_print_header(FILE *out, const struct dft_results *results)
{
    const struct dft_profile_summary *summary = &results->summary;

    print_sources(out, results);
    print_label(out, "recorded");
    print_count(out, summary->calls, "call of ", "calls of ");
    print_count(out, results->row_count, dft_grouping_noun(summary->by, true),
                dft_grouping_noun(summary->by, false));
    fputs(", ", out);
    print_count(out, summary->processes, "process, ", "processes, ");
    print_count(out, summary->threads - summary->tracks, "thread", "threads");
    print_more(out, summary->tracks, "track", "tracks");
    print_more(out, summary->instants, "instant", "instants");
    print_more(out, summary->counters, "value of a counter", "values of counters");
    print_more(out, summary->flows, "point of a flow", "points of flows");
    fputc('\n', out);
    print_label(out, "wall time");
    fprintf(out, "%s\n", dft_format_time(summary->wall_ns).text);
    if (summary->has_usage)
        print_usage(out, summary);
    print_calls(out, "unfinished", summary->unfinished, "call", "calls",
                ", counted with the time until the trace ended");
    print_aggregated(out, summary);
    print_pauses(out, results);
    if (summary->over_budget) {
        print_label(out, "warning");
        fprintf(out, "over budget: counting calls alone took %s of %s of CPU time\n",
                dft_format_time((int64_t)summary->counting_ns).text,
                dft_format_time(summary->cpu_ns).text);
    }
    print_missing(out, summary);
    print_calls(out, "warning", summary->disordered, "call does", "calls do",
                " not nest with the others of the same thread: self times are estimates");
}
