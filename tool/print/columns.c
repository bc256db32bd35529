/*
 * The table of columns. Numbers sort from the largest to the smallest.
 */
#include "tool/print/columns.h"

#include "tool/base/tool.h"

#include <inttypes.h>
#include <stdlib.h>

#define DEFINE_VALUE(field)                                                                        \
    static int64_t get_##field(const struct dft_function *row)                                     \
    {                                                                                              \
        return (int64_t)row->field;                                                                \
    }

DEFINE_VALUE(total_ns)
DEFINE_VALUE(self_ns)
DEFINE_VALUE(resumed)
DEFINE_VALUE(mean_ns)
DEFINE_VALUE(min_ns)
DEFINE_VALUE(max_ns)
DEFINE_VALUE(unfinished)
DEFINE_VALUE(threads)
DEFINE_VALUE(aggregated)
DEFINE_VALUE(throttled)

static int64_t get_calls(const struct dft_function *row)
{
    return (int64_t)(row->calls - row->resumed);
}

static bool has_min(const struct dft_function *row)
{
    return row->has_min;
}

static bool is_estimate(const struct dft_function *row)
{
    return row->throttled > 0;
}

static bool is_self_estimate(const struct dft_function *row)
{
    return row->throttled > 0 || row->self_estimated;
}

/* clang-format off: one line per property reads best. */
const struct dft_column dft_columns[] = {
    {
        .title = "WALL",
        .form = DFT_COLUMN_SHARE,
        .is_in_tree = true,
        .value = get_total_ns,
        .help = "share of the time from the first event to the last; with several threads the\n"
                "shares of functions that run at the same time add up to more than 100%",
    },
    {
        .title = "TOTAL",
        .key = "total_ns",
        .sort = "total",
        .form = DFT_COLUMN_TIME,
        .is_in_tree = true,
        .value = get_total_ns,
        .is_estimate = is_estimate,
        .help = "time between enter and exit, without what dftrace itself took or waited for;\n"
                "of recursive calls only the outermost counts",
    },
    {
        .title = "SELF",
        .key = "self_ns",
        .sort = "self",
        .form = DFT_COLUMN_TIME,
        .is_in_tree = true,
        .value = get_self_ns,
        .is_estimate = is_self_estimate,
        .help = "TOTAL without the traced functions that were called, and without what\n"
                "sampling their CPU time and memory took",
    },
    {
        .title = "CALLS",
        .key = "calls",
        .sort = "calls",
        .is_in_tree = true,
        .value = get_calls,
        .help = "how many calls there were, unfinished ones included; of a generator or coroutine\n"
                "of Python how many were begun, however often they were resumed",
    },
    {
        .title = "MEAN",
        .key = "mean_ns",
        .sort = "mean",
        .form = DFT_COLUMN_TIME,
        .value = get_mean_ns,
        .is_estimate = is_estimate,
        .help = "of single calls that have ended, recursive ones included",
    },
    {
        .title = "MIN",
        .key = "min_ns",
        .form = DFT_COLUMN_TIME,
        .value = get_min_ns,
        .is_known = has_min,
        .help = "of single calls that have ended",
    },
    {
        .title = "MAX",
        .key = "max_ns",
        .sort = "max",
        .form = DFT_COLUMN_TIME,
        .value = get_max_ns,
        .help = "of single calls",
    },
    {.key = "unfinished", .value = get_unfinished},
    {.key = "threads", .value = get_threads},
    {.key = "aggregated", .value = get_aggregated, .is_optional = true},
    {.key = "counted", .value = get_throttled, .is_optional = true},
    {.key = "resumed", .value = get_resumed, .is_optional = true},
};
/* clang-format on */

const size_t dft_column_count = sizeof dft_columns / sizeof dft_columns[0];

struct dft_cell dft_column_format(const struct dft_column *column, const struct dft_function *row,
                                  int64_t whole)
{
    int64_t value = column->value(row);
    struct dft_cell cell = {"-"};

    if (column->is_known && !column->is_known(row))
        return cell;
    switch (column->form) {
    case DFT_COLUMN_COUNT:
        snprintf(cell.text, sizeof cell.text, "%" PRIu64, (uint64_t)value);
        break;
    case DFT_COLUMN_TIME:
        cell = dft_format_time(value);
        break;
    case DFT_COLUMN_SHARE:
        cell = dft_format_share(value, whole);
        break;
    }
    if (column->is_estimate && column->is_estimate(row)) {
        struct dft_cell marked = {"~"};

        snprintf(marked.text + 1, sizeof marked.text - 1, "%.*s", (int)sizeof marked.text - 2,
                 cell.text);
        return marked;
    }
    return cell;
}

static void print_member(FILE *out, const struct dft_column *column, const struct dft_function *row)
{
    if (column->is_known && !column->is_known(row))
        fprintf(out, ",\"%s\":null", column->key);
    else if (column->form == DFT_COLUMN_COUNT)
        fprintf(out, ",\"%s\":%" PRIu64, column->key, (uint64_t)column->value(row));
    else
        fprintf(out, ",\"%s\":%" PRId64, column->key, column->value(row));
}

void dft_columns_print_json(FILE *out, const struct dft_function *row, bool is_tree)
{
    for (int turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < dft_column_count; i++) {
            const struct dft_column *column = &dft_columns[i];
            int its_turn = column->is_optional ? 2 : column->form == DFT_COLUMN_TIME ? 1 : 0;

            if (column->key && its_turn == turn && (column->is_in_tree || !is_tree) &&
                !(column->is_optional && column->value(row) == 0))
                print_member(out, column, row);
        }
    }
}

/* --- orders --- */

#define BY_NAME "name"

const char *dft_column_sort_name(const void *unused, size_t index)
{
    (void)unused;
    for (size_t i = 0; i < dft_column_count; i++) {
        if (dft_columns[i].sort && index-- == 0)
            return dft_columns[i].sort;
    }
    return index == 0 ? BY_NAME : NULL;
}

bool dft_column_find_sort(const char *name, const struct dft_column **column)
{
    *column = NULL;
    for (size_t i = 0; i < dft_column_count && !*column; i++) {
        if (dft_columns[i].sort && strcmp(dft_columns[i].sort, name) == 0)
            *column = &dft_columns[i];
    }
    return *column || strcmp(name, BY_NAME) == 0;
}

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

int dft_column_compare(const struct dft_column *column, const struct dft_function *a,
                       const struct dft_function *b)
{
    int order =
        column ? compare_numbers((uint64_t)column->value(a), (uint64_t)column->value(b)) : 0;

    if (order == 0)
        order = compare_texts(a->name, b->name);
    if (order == 0)
        order = compare_texts(a->file, b->file);
    if (order == 0)
        order = a->line < b->line ? -1 : a->line > b->line;
    return order != 0 ? order : compare_texts(a->category, b->category);
}

/* --- help --- */

char *dft_column_list_sorts(void)
{
    char *list = dft_tool_copy("", 0);
    const char *name;

    for (size_t i = 0; (name = dft_column_sort_name(NULL, i)); i++) {
        const char *between = i == 0 ? "" : dft_column_sort_name(NULL, i + 1) ? ", " : " or ";
        char *longer = dft_tool_format("%s%s%s", list, between, name);

        free(list);
        list = longer;
    }
    return list;
}

#define TITLE_WIDTH 7

char *dft_column_explain(void)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return dft_tool_copy("", 0);
    for (size_t i = 0; i < dft_column_count && dft_columns[i].title; i++) {
        fprintf(out, "%s%-*s", i > 0 ? "\n" : "", TITLE_WIDTH, dft_columns[i].title);
        for (const char *c = dft_columns[i].help; *c; c++) {
            fputc(*c, out);
            if (*c == '\n')
                fprintf(out, "%*s", TITLE_WIDTH, "");
        }
    }
    fclose(out);
    return text;
}
