/*
 * A profile as a header and a table, for people.
 *
 * On a terminal, lines are cut to its width: first the source position goes, then the category,
 * then the middle of a name. In a pipe or file nothing is cut.
 */
#include "tool/print/results.h"

#include "tool/base/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Names wider than this do not push the columns behind them further to the right. */
#define WIDEST_ALIGNED 48

/* What names and positions are left with before something else is dropped from a terminal's line.
 */
#define LEAST_NAME 24
#define LEAST_PLACE 12

enum column { WALL, TOTAL, SELF, CALLS, MEAN, MIN, MAX, NUMBERS };

static const char *const titles[NUMBERS] = {"WALL", "TOTAL", "SELF", "CALLS", "MEAN", "MIN", "MAX"};

struct cell {
    char text[24];
};

struct layout {
    size_t numbers[NUMBERS];
    size_t name;
    size_t category; /* 0: not shown */
    size_t place;    /* 0: not shown */
};

/* Three digits that count, with their unit. */
static struct cell format_time(int64_t ns)
{
    static const struct {
        uint64_t size;
        const char *name;
    } units[] = {{1000, "µs"}, {1000000, "ms"}, {1000000000, "s"}};
    struct cell cell;
    uint64_t value = (uint64_t)ns;

    if (value < 1000) {
        snprintf(cell.text, sizeof cell.text, "%" PRIu64 "ns", value);
        return cell;
    }
    for (size_t unit = 0;; unit++) {
        uint64_t step = units[unit].size / 100;

        for (int decimals = 2; decimals >= 0; decimals--, step *= 10) {
            uint64_t rounded = (value + step / 2) / step;
            uint64_t scale = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;

            if (rounded >= 1000 && !(unit == 2 && decimals == 0))
                continue;
            if (decimals == 0)
                snprintf(cell.text, sizeof cell.text, "%" PRIu64 "%s", rounded, units[unit].name);
            else
                snprintf(cell.text, sizeof cell.text, "%" PRIu64 ".%0*" PRIu64 "%s",
                         rounded / scale, decimals, rounded % scale, units[unit].name);
            return cell;
        }
    }
}

static struct cell format_share(int64_t part, int64_t whole)
{
    struct cell cell = {"-"};

    if (whole > 0) {
        uint64_t tenths = (uint64_t)(((__int128)part * 1000 + whole / 2) / whole);

        snprintf(cell.text, sizeof cell.text, "%" PRIu64 ".%" PRIu64 "%%", tenths / 10,
                 tenths % 10);
    }
    return cell;
}

/* "~1.23ms" where some of the calls were counted and not timed. */
static struct cell format_estimate(bool estimated, int64_t ns)
{
    struct cell cell = format_time(ns);

    if (estimated) {
        memmove(cell.text + 1, cell.text, sizeof cell.text - 1);
        cell.text[0] = '~';
        cell.text[sizeof cell.text - 1] = '\0';
    }
    return cell;
}

static struct cell format_cell(const struct dft_results *results, const struct dft_function *row,
                               enum column column)
{
    struct cell cell = {""};

    switch (column) {
    case WALL:
        return format_share(row->total_ns, results->summary.wall_ns);
    case TOTAL:
        return format_estimate(row->counted > 0, row->total_ns);
    case SELF:
        return format_estimate(row->counted > 0 || row->self_estimated, row->self_ns);
    case MEAN:
        return format_estimate(row->counted > 0, row->mean_ns);
    case MIN:
        return row->has_min ? format_time(row->min_ns) : (struct cell){"-"};
    case MAX:
        return format_time(row->max_ns);
    case CALLS:
        snprintf(cell.text, sizeof cell.text, "%" PRIu64, row->calls);
        break;
    case NUMBERS:
        break;
    }
    return cell;
}

/* "src/a.c:3", to be freed; empty where the trace does not tell. */
static char *format_place(const struct dft_function *row)
{
    if (row->file.length == 0)
        return dft_tool_copy("", 0);
    if (row->line <= 0)
        return dft_tool_copy(row->file.at, row->file.length);
    /* A NUL inside the name ends it here; it is no file's name then anyway. */
    return dft_tool_format("%s:%" PRId64, row->file.at, row->line);
}

static size_t shown_rows(const struct dft_results *results)
{
    return results->top > 0 && results->top < results->row_count ? results->top
                                                                 : results->row_count;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* As wide as everything that is shown wants to be. */
static struct layout measure_rows(const struct dft_results *results)
{
    struct layout layout = {.name = strlen("FUNCTION")};

    for (size_t c = 0; c < NUMBERS; c++)
        layout.numbers[c] = strlen(titles[c]);
    for (size_t i = 0; i < shown_rows(results); i++) {
        const struct dft_function *row = results->rows[i];
        char *place = format_place(row);

        for (size_t c = 0; c < NUMBERS; c++) {
            struct cell cell = format_cell(results, row, (enum column)c);

            layout.numbers[c] = larger(layout.numbers[c], dft_text_width(dft_text(cell.text)));
        }
        layout.name = larger(layout.name, dft_text_width(row->name));
        layout.category = larger(layout.category, dft_text_width(row->category));
        layout.place = larger(layout.place, dft_text_width(dft_text(place)));
        free(place);
    }
    if (layout.category > 0)
        layout.category = larger(layout.category, strlen("CATEGORY"));
    if (layout.place > 0)
        layout.place = larger(layout.place, strlen("SOURCE"));
    return layout;
}

/* Makes the three texts fit into what the numbers leave of a terminal's line. */
static void fit_layout(struct layout *layout, size_t width)
{
    size_t numbers = 0;

    for (size_t c = 0; c < NUMBERS; c++)
        numbers += layout->numbers[c] + 2;
    size_t room = width > numbers + 8 ? width - numbers : 8;
    size_t category = layout->category > 0 ? layout->category + 2 : 0;
    size_t least_name = smaller(layout->name, LEAST_NAME);

    if (layout->place > 0 && least_name + category + 2 + smaller(layout->place, LEAST_PLACE) > room)
        layout->place = 0;
    if (least_name + category > room)
        layout->category = category = 0;
    if (layout->place > 0) {
        /* Both are cut where both are long: the name gets two thirds. */
        size_t both = room - category - 2;
        size_t least_place = smaller(layout->place, larger(LEAST_PLACE, both / 3));

        layout->name = smaller(layout->name, both - least_place);
        layout->place = smaller(layout->place, both - layout->name);
    } else {
        layout->name = smaller(layout->name, room - category);
    }
}

static void pad(FILE *out, size_t from, size_t to)
{
    for (; from < to; from++)
        fputc(' ', out);
}

static void print_texts(FILE *out, const struct layout *layout, struct dft_text name,
                        struct dft_text category, const char *place, bool cut)
{
    size_t limit = cut ? layout->name : SIZE_MAX;
    size_t used = dft_text_print_cut(out, name, limit, DFT_CUT_MIDDLE);
    bool has_place = layout->place > 0 && *place;

    if (layout->category > 0 && (category.length > 0 || has_place)) {
        pad(out, used, cut ? layout->name : smaller(layout->name, WIDEST_ALIGNED));
        fputs("  ", out);
        used = dft_text_print_cut(out, category, cut ? layout->category : SIZE_MAX, DFT_CUT_END);
    }
    if (has_place) {
        pad(out, used,
            layout->category > 0 ? layout->category
            : cut                ? layout->name
                                 : smaller(layout->name, WIDEST_ALIGNED));
        fputs("  ", out);
        dft_text_print_cut(out, dft_text(place), cut ? layout->place : SIZE_MAX, DFT_CUT_FRONT);
    }
    fputc('\n', out);
}

static void print_number(FILE *out, const char *text, size_t width)
{
    pad(out, dft_text_width(dft_text(text)), width);
    fputs(text, out);
    fputs("  ", out);
}

static void print_table(FILE *out, const struct dft_results *results)
{
    struct layout layout = measure_rows(results);
    bool cut = results->width > 0;

    if (cut)
        fit_layout(&layout, results->width);
    for (size_t c = 0; c < NUMBERS; c++)
        print_number(out, titles[c], layout.numbers[c]);
    print_texts(out, &layout, dft_text("FUNCTION"), dft_text("CATEGORY"), "SOURCE", cut);
    for (size_t i = 0; i < shown_rows(results); i++) {
        const struct dft_function *row = results->rows[i];
        char *place = format_place(row);

        for (size_t c = 0; c < NUMBERS; c++)
            print_number(out, format_cell(results, row, (enum column)c).text, layout.numbers[c]);
        print_texts(out, &layout, row->name, row->category, place, cut);
        free(place);
    }
    size_t hidden = results->row_count - shown_rows(results);
    if (hidden > 0)
        fprintf(out, "… and %zu more; --top 0 shows all\n", hidden);
}

/* --- the header --- */

#define LABEL_WIDTH 11

static void print_label(FILE *out, const char *label)
{
    fputs(label, out);
    pad(out, strlen(label), LABEL_WIDTH);
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

#define MOST_NAMED 4

static void print_sources(FILE *out, const struct dft_results *results)
{
    const struct dft_profile_summary *summary = &results->summary;

    for (size_t i = 0; i < results->trace_count && i < MOST_NAMED; i++)
        print_named(out, results, i == 0 ? "trace" : "", dft_text(results->traces[i]), "");
    if (results->trace_count > MOST_NAMED)
        fprintf(out, "%*s… and %zu more\n", LABEL_WIDTH, "", results->trace_count - MOST_NAMED);
    for (size_t i = 0; i < summary->command_count && i < MOST_NAMED; i++) {
        char more[40] = "";

        if (summary->commands[i].processes > 1)
            snprintf(more, sizeof more, " (%" PRIu64 " times)", summary->commands[i].processes);
        print_named(out, results, i == 0 ? "command" : "", summary->commands[i].text, more);
    }
    if (summary->command_count > MOST_NAMED)
        fprintf(out, "%*s… and %zu more\n", LABEL_WIDTH, "", summary->command_count - MOST_NAMED);
}

static void print_count(FILE *out, uint64_t count, const char *one, const char *many)
{
    fprintf(out, "%" PRIu64 " %s", count, count == 1 ? one : many);
}

/* A line of its own for so many calls, where there are any. */
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
    print_label(out, "used");
    fprintf(out, "%s of a processor on average",
            format_share(summary->cpu_ns, summary->wall_ns).text);
    if (summary->peak_rss_kb > 0)
        fprintf(out, ", %" PRId64 ".%" PRId64 " MiB of memory at most", summary->peak_rss_kb / 1024,
                summary->peak_rss_kb % 1024 * 10 / 1024);
    if (summary->processes > 1)
        fputs(" in one process", out);
    fputc('\n', out);
}

#define MOST_SWITCHES 10

/* Calls that are in counts and totals, and nowhere on a time line. */
static void print_aggregated(FILE *out, const struct dft_profile_summary *summary)
{
    print_calls(out, "aggregated", summary->aggregated, "call has", "calls have",
                " no event: they are in the table, not on the time line");
    print_calls(out, "", summary->counted, "of them was", "of them were",
                " counted, not timed: times with ~ are estimates");
    for (size_t i = 0; i < summary->switch_count && i < MOST_SWITCHES; i++) {
        const struct dft_profile_switch *made = &summary->switches[i];

        print_label(out, i == 0 ? "counted" : "");
        dft_text_print_visible(out, made->function);
        fprintf(out, " from %s on", format_time(made->after_ns).text);
        if (made->window_ns > 0)
            fprintf(out, ": recording %" PRId64 " calls cost %s in %s of CPU time", made->calls,
                    format_time(made->cost_ns).text, format_time(made->window_ns).text);
        fputc('\n', out);
    }
    if (summary->switch_count > MOST_SWITCHES)
        fprintf(out, "%*s… and %zu more\n", LABEL_WIDTH, "", summary->switch_count - MOST_SWITCHES);
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

#define MOST_TO_LEAVE_OUT 4
#define MANY_CALLS 80  /* percent: these functions are what the writer has to do */
#define SOME_CALLS 50  /* percent: fewer are not worth a rule of their own */
#define NOTICEABLE 100 /* one part in so many of the wall time */

static int compare_by_calls(const void *left, const void *right)
{
    const struct dft_function *a = *(const struct dft_function *const *)left;
    const struct dft_function *b = *(const struct dft_function *const *)right;

    if (a->calls != b->calls)
        return a->calls < b->calls ? 1 : -1;
    return strcmp(a->name.at, b->name.at);
}

/* The functions that most of the calls are of, where they are few. */
static void print_most_called(FILE *out, const struct dft_results *results, const char *before)
{
    const struct dft_function **rows = dft_tool_zeroed(results->row_count, sizeof *rows);
    uint64_t calls = 0, all = results->summary.calls;
    size_t count = 0;

    memcpy(rows, results->rows, results->row_count * sizeof *rows);
    qsort(rows, results->row_count, sizeof *rows, compare_by_calls);
    while (count < MOST_TO_LEAVE_OUT && count < results->row_count &&
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
        fprintf(out, "%s for the writer", format_time(summary->waited_ns).text);
        fputs(summary->has_budget ? "" : "; try -e BUDGET=5%", out);
        if (summary->calls > 0)
            print_most_called(out, results, summary->has_budget ? "; try to" : ", or");
        fputc('\n', out);
    }
    if (is_noticeable(summary, summary->bookkeeping_ns)) {
        print_label(out, "dftrace");
        fprintf(out, "took %s itself inside calls: subtracted from their times\n",
                format_time(summary->bookkeeping_ns).text);
    }
}

static void print_header(FILE *out, const struct dft_results *results)
{
    const struct dft_profile_summary *summary = &results->summary;

    print_sources(out, results);
    print_label(out, "recorded");
    print_count(out, summary->calls, "call of ", "calls of ");
    print_count(out, results->row_count, "function, ", "functions, ");
    print_count(out, summary->processes, "process, ", "processes, ");
    print_count(out, summary->threads, "thread\n", "threads\n");
    print_label(out, "wall time");
    fprintf(out, "%s\n", format_time(summary->wall_ns).text);
    if (summary->has_usage)
        print_usage(out, summary);
    print_calls(out, "unfinished", summary->unfinished, "call", "calls",
                ", counted with the time until the trace ended");
    print_aggregated(out, summary);
    print_pauses(out, results);
    if (summary->over_budget) {
        print_label(out, "warning");
        fprintf(out, "over budget: counting calls alone took %s of %s of CPU time\n",
                format_time((int64_t)summary->counting_ns).text, format_time(summary->cpu_ns).text);
    }
    print_missing(out, summary);
    print_calls(out, "warning", summary->disordered, "call does", "calls do",
                " not nest with the others of the same thread: self times are estimates");
}

void dft_results_print_text(FILE *out, const struct dft_results *results)
{
    print_header(out, results);
    if (results->row_count > 0) {
        fputc('\n', out);
        print_table(out, results);
    }
}
