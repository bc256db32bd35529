/*
 * Prints a profile as a header and a table.
 *
 * On a terminal, lines are cut to its width: first the source position is dropped, then the
 * category, then names are cut in the middle. In a pipe or file nothing is cut.
 */
#include "tool/print/results.h"

#include "tool/base/tool.h"
#include "tool/print/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Wider names do not widen their column. */
#define WIDEST_ALIGNED 48

/* The least room for names and positions before a column is dropped. */
#define LEAST_NAME 24
#define LEAST_PLACE 12

struct layout {
    size_t *numbers; /* width of each column; 0: not in the table */
    size_t name;
    size_t category; /* 0: not shown */
    size_t place;    /* 0: not shown */
};

/* "src/a.c:3" or "src/a.c:3 (region)", to be freed; empty if unknown. */
static char *format_place(const struct dft_function *row)
{
    const char *mark = row->is_region ? "(region)" : "";

    if (row->file.length == 0)
        return dft_tool_copy(mark, strlen(mark));
    /* A NUL ends the name here; file names contain none. */
    if (row->line <= 0)
        return dft_tool_format("%s%s%s", row->file.at, *mark ? " " : "", mark);
    return dft_tool_format("%s:%" PRId64 "%s%s", row->file.at, row->line, *mark ? " " : "", mark);
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

/* The width of each column without limits. */
static struct layout measure_rows(const struct dft_results *results)
{
    struct layout layout = {
        .numbers = dft_tool_zeroed(dft_column_count, sizeof *layout.numbers),
        .name = strlen(results->title),
    };

    for (size_t c = 0; c < dft_column_count; c++)
        layout.numbers[c] = dft_columns[c].title ? strlen(dft_columns[c].title) : 0;
    for (size_t i = 0; i < shown_rows(results); i++) {
        const struct dft_function *row = results->rows[i];
        char *place = format_place(row);

        for (size_t c = 0; c < dft_column_count; c++) {
            struct dft_cell cell =
                dft_column_format(&dft_columns[c], row, results->summary.wall_ns);

            if (layout.numbers[c] > 0)
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

/* Fits the three texts into the width that the numbers leave. */
static void fit_layout(struct layout *layout, size_t width)
{
    size_t numbers = 0;

    for (size_t c = 0; c < dft_column_count; c++)
        numbers += layout->numbers[c] > 0 ? layout->numbers[c] + 2 : 0;
    size_t room = width > numbers + 8 ? width - numbers : 8;
    size_t category = layout->category > 0 ? layout->category + 2 : 0;
    size_t least_name = smaller(layout->name, LEAST_NAME);

    if (layout->place > 0 && least_name + category + 2 + smaller(layout->place, LEAST_PLACE) > room)
        layout->place = 0;
    if (least_name + category > room)
        layout->category = category = 0;
    if (layout->place > 0) {
        /* If both are long, both are cut; the name gets two thirds. */
        size_t both = room - category - 2;
        size_t least_place = smaller(layout->place, larger(LEAST_PLACE, both / 3));

        layout->name = smaller(layout->name, both - least_place);
        layout->place = smaller(layout->place, both - layout->name);
    } else {
        layout->name = smaller(layout->name, room - category);
    }
}

static void print_texts(FILE *out, const struct layout *layout, struct dft_text name,
                        struct dft_text category, const char *place, bool cut)
{
    size_t limit = cut ? layout->name : SIZE_MAX;
    size_t used = dft_text_print_cut(out, name, limit, DFT_CUT_MIDDLE);
    bool has_place = layout->place > 0 && *place;

    if (layout->category > 0 && (category.length > 0 || has_place)) {
        dft_format_pad(out, used, cut ? layout->name : smaller(layout->name, WIDEST_ALIGNED));
        fputs("  ", out);
        used = dft_text_print_cut(out, category, cut ? layout->category : SIZE_MAX, DFT_CUT_END);
    }
    if (has_place) {
        dft_format_pad(out, used,
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
    if (width == 0)
        return;
    dft_format_pad(out, dft_text_width(dft_text(text)), width);
    fputs(text, out);
    fputs("  ", out);
}

static void print_table(FILE *out, const struct dft_results *results)
{
    struct layout layout = measure_rows(results);
    bool cut = results->width > 0;

    if (cut)
        fit_layout(&layout, results->width);
    for (size_t c = 0; c < dft_column_count; c++)
        print_number(out, dft_columns[c].title, layout.numbers[c]);
    print_texts(out, &layout, dft_text(results->title), dft_text("CATEGORY"), "SOURCE", cut);
    for (size_t i = 0; i < shown_rows(results); i++) {
        const struct dft_function *row = results->rows[i];
        char *place = format_place(row);

        for (size_t c = 0; c < dft_column_count; c++)
            print_number(out,
                         dft_column_format(&dft_columns[c], row, results->summary.wall_ns).text,
                         layout.numbers[c]);
        print_texts(out, &layout, row->name, row->category, place, cut);
        free(place);
    }
    free(layout.numbers);
    size_t hidden = results->row_count - shown_rows(results);
    if (hidden > 0)
        fprintf(out, "… and %zu more; --top 0 shows all\n", hidden);
}

void dft_results_print_text(FILE *out, const struct dft_results *results)
{
    dft_results_print_header(out, results);
    if (results->row_count > 0) {
        fputc('\n', out);
        print_table(out, results);
    }
}
