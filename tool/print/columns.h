/*
 * The columns of a report: one table for the text, the JSON, --sort and --help. A new column is a
 * new entry of it.
 */
#ifndef DFT_TOOL_PRINT_COLUMNS_H
#define DFT_TOOL_PRINT_COLUMNS_H

#include "tool/analysis/profile.h"
#include "tool/print/format.h"

enum dft_column_form {
    DFT_COLUMN_COUNT,
    DFT_COLUMN_TIME,
    DFT_COLUMN_SHARE, /* of a whole, which whoever prints it knows */
};

struct dft_column {
    const char *title; /* NULL: only in JSON */
    const char *key;   /* of JSON; NULL: not in it */
    const char *sort;  /* what --sort calls it; NULL: no order */
    enum dft_column_form form;
    bool is_in_tree;
    bool is_optional; /* in JSON only where it is not 0 */
    int64_t (*value)(const struct dft_function *row);
    bool (*is_known)(const struct dft_function *row);    /* NULL: always */
    bool (*is_estimate)(const struct dft_function *row); /* NULL: never */
    const char *help;
};

extern const struct dft_column dft_columns[];
extern const size_t dft_column_count;

/* As the table shows it. */
struct dft_cell dft_column_format(const struct dft_column *column, const struct dft_function *row,
                                  int64_t whole);

/* Members of a JSON object, each with a comma before it: numbers of calls, times, and then what most
 * rows do not have. */
void dft_columns_print_json(FILE *out, const struct dft_function *row, bool is_tree);

/* --- orders: a column, or NULL for the name --- */

/* What --sort takes, "name" last; NULL behind the last one. */
const char *dft_column_sort_name(const void *unused, size_t index);

/* False: there is no such order. */
bool dft_column_find_sort(const char *name, const struct dft_column **column);

/* Never 0 for two different functions, so that the same traces always give the same order. */
int dft_column_compare(const struct dft_column *column, const struct dft_function *a,
                       const struct dft_function *b);

/* "a, b or c", and what the columns mean; both to be freed. */
char *dft_column_list_sorts(void);
char *dft_column_explain(void);

#endif
