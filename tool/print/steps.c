/*
 * Steps and epochs, as tables for people and as JSON.
 */
#include "tool/print/steps.h"

#include "tool/base/tool.h"
#include "tool/print/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 12
#define SUMMARY_EPOCHS 4

/* --- numbers -------------------------------------------------------------------------------- */

static struct dft_cell format_number(int64_t number)
{
    struct dft_cell cell = {"-"};

    if (number != DFT_STEP_NONE)
        snprintf(cell.text, sizeof cell.text, "%" PRId64, number);
    return cell;
}

static double per_second(uint64_t steps, int64_t span_ns)
{
    return span_ns > 0 ? (double)steps * 1e9 / (double)span_ns : 0;
}

/* Three significant digits. */
static struct dft_cell format_rate(uint64_t steps, int64_t span_ns)
{
    struct dft_cell cell = {"-"};
    double rate = per_second(steps, span_ns);

    if (rate >= 0.1)
        snprintf(cell.text, sizeof cell.text, "%.*f", rate < 10 ? 2 : rate < 100 ? 1 : 0, rate);
    else if (rate > 0)
        snprintf(cell.text, sizeof cell.text, "%.2g", rate);
    return cell;
}

static int64_t mean(const struct dft_step *step)
{
    return step->calls > 0 ? (int64_t)((uint64_t)step->sum_ns / step->calls) : 0;
}

/* The time that the processes of an epoch had. */
static int64_t process_time(const struct dft_epoch *epoch)
{
    __int128 time = (__int128)dft_step_span(&epoch->all) * (int64_t)epoch->processes;

    return time > INT64_MAX ? INT64_MAX : (int64_t)time;
}

/* --- tables --------------------------------------------------------------------------------- */

struct table {
    const char *titles[COLUMNS_MAX];
    size_t column_count;
    struct dft_cell (*cells)[COLUMNS_MAX];
    size_t row_count;
};

static void print_cells(FILE *out, const struct table *table, const size_t *widths, size_t row)
{
    for (size_t c = 0; c < table->column_count; c++) {
        const char *text = row == SIZE_MAX ? table->titles[c] : table->cells[row][c].text;
        dft_format_pad(out, dft_text_width(dft_text(text)), widths[c]);
        fprintf(out, "%s%s", text, c + 1 < table->column_count ? "  " : "\n");
    }
}

static void print_table(FILE *out, const struct table *table)
{
    size_t widths[COLUMNS_MAX];

    for (size_t c = 0; c < table->column_count; c++) {
        widths[c] = strlen(table->titles[c]);
        for (size_t row = 0; row < table->row_count; row++) {
            size_t width = dft_text_width(dft_text(table->cells[row][c].text));
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
    print_cells(out, table, widths, SIZE_MAX);
    for (size_t row = 0; row < table->row_count; row++)
        print_cells(out, table, widths, row);
}

static size_t shown(size_t count, size_t top)
{
    return top > 0 && top < count ? top : count;
}

static void print_hidden(FILE *out, size_t count, size_t top)
{
    if (count > shown(count, top))
        fprintf(out, "… and %zu more; --top 0 shows all\n", count - shown(count, top));
}

/* The columns that steps and epochs share, from the third. */
#define TIME_COLUMNS "CALLS", "TOTAL", "MEAN", "SPAN", "STEPS/S"
#define TIME_COLUMN_COUNT 5

static void fill_times(struct dft_cell *cells, const struct dft_step *step, uint64_t steps)
{
    cells[0] = dft_format_count(step->calls);
    cells[1] = dft_format_time(step->total_ns);
    cells[2] = dft_format_time(mean(step));
    cells[3] = dft_format_time(dft_step_span(step));
    cells[4] = format_rate(steps, dft_step_span(step));
}

static bool has_work(const struct dft_steps_results *results)
{
    for (size_t i = 0; i < results->epoch_count; i++)
        for (size_t work = 0; work < DFT_WORK_COUNT; work++)
            if (results->epochs[i].work_ns[work] > 0)
                return true;
    return false;
}

static void print_epochs(FILE *out, const struct dft_steps_results *results, size_t top)
{
    struct table table = {
        .titles = {"EPOCH", "STEPS", TIME_COLUMNS, "COMPUTE", "DATA", "COMM", "CHECKPOINT"},
        .column_count = 2 + TIME_COLUMN_COUNT + (has_work(results) ? DFT_WORK_COUNT : 0),
        .row_count = shown(results->epoch_count, top),
    };

    table.cells = dft_tool_zeroed(table.row_count, sizeof *table.cells);
    for (size_t row = 0; row < table.row_count; row++) {
        const struct dft_epoch *epoch = &results->epochs[row];
        struct dft_cell *cells = table.cells[row];

        cells[0] = format_number(epoch->all.epoch);
        cells[1] = dft_format_count(epoch->steps);
        fill_times(cells + 2, &epoch->all, epoch->steps);
        for (size_t work = 0; work < DFT_WORK_COUNT; work++)
            cells[2 + TIME_COLUMN_COUNT + work] =
                dft_format_share(epoch->work_ns[work], process_time(epoch));
    }
    print_table(out, &table);
    print_hidden(out, results->epoch_count, top);
    free(table.cells);
}

/* --- orders --------------------------------------------------------------------------------- */

static const char *const orders[] = {
    [DFT_STEPS_BY_NUMBER] = "name",
    [DFT_STEPS_BY_TOTAL] = "total",
    [DFT_STEPS_BY_CALLS] = "calls",
    [DFT_STEPS_BY_MEAN] = "mean",
};

bool dft_steps_find_order(const char *sort, enum dft_steps_order *order)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (strcmp(orders[i], sort) == 0) {
            *order = (enum dft_steps_order)i;
            return true;
        }
    return false;
}

static uint64_t order_key(const struct dft_step *step, enum dft_steps_order order)
{
    switch (order) {
    case DFT_STEPS_BY_TOTAL:
        return (uint64_t)step->total_ns;
    case DFT_STEPS_BY_CALLS:
        return step->calls;
    case DFT_STEPS_BY_MEAN:
        return (uint64_t)mean(step);
    case DFT_STEPS_BY_NUMBER:
        break;
    }
    return 0;
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct dft_step *a = *(const struct dft_step *const *)left;
    const struct dft_step *b = *(const struct dft_step *const *)right;
    enum dft_steps_order order = *(const enum dft_steps_order *)context;
    uint64_t key_a = order_key(a, order), key_b = order_key(b, order);

    if (key_a != key_b)
        return key_a > key_b ? -1 : 1;
    return a < b ? -1 : a > b; /* by number, as the list is */
}

/* To be freed. */
static const struct dft_step **sort_steps(const struct dft_steps_results *results)
{
    const struct dft_step **rows = dft_tool_zeroed(results->step_count, sizeof *rows);
    enum dft_steps_order order = results->order;

    for (size_t i = 0; i < results->step_count; i++)
        rows[i] = &results->steps[i];
    if (results->step_count > 1)
        qsort_r(rows, results->step_count, sizeof *rows, compare_rows, &order);
    return rows;
}

static void print_steps(FILE *out, const struct dft_steps_results *results, size_t top)
{
    const struct dft_step **rows = sort_steps(results);
    struct table table = {
        .titles = {"EPOCH", "STEP", TIME_COLUMNS},
        .column_count = 2 + TIME_COLUMN_COUNT,
        .row_count = shown(results->step_count, top),
    };

    table.cells = dft_tool_zeroed(table.row_count, sizeof *table.cells);
    for (size_t row = 0; row < table.row_count; row++) {
        table.cells[row][0] = format_number(rows[row]->epoch);
        table.cells[row][1] = format_number(rows[row]->step);
        fill_times(table.cells[row] + 2, rows[row], 1);
    }
    print_table(out, &table);
    print_hidden(out, results->step_count, top);
    free(table.cells);
    free(rows);
}

void dft_steps_print_text(FILE *out, const struct dft_steps_results *results)
{
    dft_results_print_header(out, results->results);
    if (results->epoch_count > 0) {
        fputc('\n', out);
        print_epochs(out, results, results->results->top);
    }
    if (results->step_count > 0) {
        fputc('\n', out);
        print_steps(out, results, results->results->top);
    }
}

/* --- summary -------------------------------------------------------------------------------- */

static void print_shares(FILE *out, const struct dft_epoch *epoch)
{
    const char *separator = ": ";

    for (size_t work = 0; work < DFT_WORK_COUNT; work++) {
        if (epoch->work_ns[work] <= 0)
            continue;
        fprintf(out, "%s%s %s", separator, dft_step_work_name((enum dft_step_work)work),
                dft_format_share(epoch->work_ns[work], process_time(epoch)).text);
        separator = ", ";
    }
    fputc('\n', out);
}

void dft_steps_print_summary(FILE *out, const struct dft_steps_results *results)
{
    if (results->step_count == 0)
        return;
    fputc('\n', out);
    for (size_t i = 0; i < shown(results->epoch_count, SUMMARY_EPOCHS); i++) {
        const struct dft_epoch *epoch = &results->epochs[i];

        if (epoch->all.epoch == DFT_STEP_NONE)
            fputs("no epoch", out);
        else
            fprintf(out, "epoch %" PRId64, epoch->all.epoch);
        fprintf(out, "  %" PRIu64 " step%s in %s, %s/s", epoch->steps, epoch->steps == 1 ? "" : "s",
                dft_format_time(dft_step_span(&epoch->all)).text,
                format_rate(epoch->steps, dft_step_span(&epoch->all)).text);
        print_shares(out, epoch);
    }
    if (results->epoch_count > SUMMARY_EPOCHS)
        fprintf(out, "… and %zu more epochs", results->epoch_count - SUMMARY_EPOCHS);
    fprintf(out, "%sdftrace report --by step shows every step\n",
            results->epoch_count > SUMMARY_EPOCHS ? "; " : "");
}

/* --- JSON ----------------------------------------------------------------------------------- */

static void print_json_number(FILE *out, const char *key, int64_t number)
{
    if (number == DFT_STEP_NONE)
        fprintf(out, "\"%s\":null", key);
    else
        fprintf(out, "\"%s\":%" PRId64, key, number);
}

static void print_json_times(FILE *out, const struct dft_step *step, uint64_t steps)
{
    fprintf(out,
            ",\"calls\":%" PRIu64 ",\"total_ns\":%" PRId64 ",\"mean_ns\":%" PRId64
            ",\"span_ns\":%" PRId64 ",\"steps_per_second\":%.6g",
            step->calls, step->total_ns, mean(step), dft_step_span(step),
            per_second(steps, dft_step_span(step)));
}

void dft_steps_print_json(FILE *out, const struct dft_steps_results *results)
{
    const struct dft_step **rows = sort_steps(results);

    dft_results_print_json_summary(out, results->results);
    fputs(",\n\"by\":\"step\",\"epochs\":[", out);
    for (size_t i = 0; i < results->epoch_count; i++) {
        const struct dft_epoch *epoch = &results->epochs[i];

        fputs(i > 0 ? ",\n{" : "\n{", out);
        print_json_number(out, "epoch", epoch->all.epoch);
        fprintf(out, ",\"steps\":%" PRIu64 ",\"processes\":%" PRIu64, epoch->steps,
                epoch->processes);
        print_json_times(out, &epoch->all, epoch->steps);
        for (size_t work = 0; work < DFT_WORK_COUNT; work++)
            fprintf(out, ",\"%s_ns\":%" PRId64, dft_step_work_name((enum dft_step_work)work),
                    epoch->work_ns[work]);
        fputc('}', out);
    }
    fputs("\n],\n\"steps\":[", out);
    for (size_t i = 0; i < results->step_count; i++) {
        fputs(i > 0 ? ",\n{" : "\n{", out);
        print_json_number(out, "epoch", rows[i]->epoch);
        fputc(',', out);
        print_json_number(out, "step", rows[i]->step);
        print_json_times(out, rows[i], 1);
        fputc('}', out);
    }
    fputs("\n]}\n", out);
    free(rows);
}
