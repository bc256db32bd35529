/*
 * A call tree: as text with lines that show the branches, and as JSON.
 *
 * `--top` keeps the nodes with the largest totals. Deep trees are walked without recursion, because
 * their depth comes from files of others.
 */
#include "tool/analysis/call_tree.h"
#include "tool/analysis/functions.h"
#include "tool/base/tool.h"
#include "tool/print/columns.h"
#include "tool/print/results.h"

#include <inttypes.h>
#include <stdlib.h>

/* Columns of a name that stay when lines are cut to a terminal. */
#define NAME_MIN 16

/* A deeper node's branches are cut from the left. */
#define BRANCHES_MAX 40

struct view {
    const struct dft_tree_results *results;
    const struct dft_tree_node *nodes;
    size_t count;
    uint32_t *order; /* all nodes but the root: those with the same parent in a row, sorted */
    size_t *first;   /* of each node, where its children begin in `order`; one more at the end */
    size_t *depth;   /* of each node; 1: below the root */
    bool *is_kept;
    size_t kept;
    size_t hidden;
    int64_t whole;
};

/* A node as a row of the table. */
static struct dft_function make_row(const struct view *view, uint32_t number)
{
    const struct dft_tree_node *node = &view->nodes[number];
    struct dft_function row = {.name = dft_text("(no traced caller)")};

    if (node->function == DFT_TREE_OTHER_FUNCTIONS)
        row.name = dft_text(DFT_OTHER_FUNCTIONS);
    else if (node->function != DFT_TREE_NO_FUNCTION)
        row = view->results->functions[node->function];
    row.throttled = 0; /* calls in the tree were timed */
    row.calls = node->calls;
    row.total_ns = node->total_ns > 0 ? node->total_ns : 0;
    row.self_ns = node->self_ns > 0 ? node->self_ns : 0;
    return row;
}

/* --- order and choice --- */

static int compare_nodes(const void *left, const void *right, void *context)
{
    const struct view *view = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    if (view->nodes[a].parent != view->nodes[b].parent)
        return view->nodes[a].parent < view->nodes[b].parent ? -1 : 1;
    struct dft_function first = make_row(view, a), second = make_row(view, b);
    return dft_column_compare(view->results->sort, &first, &second);
}

static int compare_totals(const void *left, const void *right, void *context)
{
    const struct view *view = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int64_t first = view->nodes[a].total_ns, second = view->nodes[b].total_ns;

    return first != second ? (first > second ? -1 : 1) : (a < b ? -1 : a > b);
}

static void sort_nodes(struct view *view)
{
    size_t at = 0;

    for (uint32_t i = 1; i < view->count; i++)
        view->order[i - 1] = i;
    qsort_r(view->order, view->count - 1, sizeof *view->order, compare_nodes, view);
    for (size_t i = 0; i <= view->count; i++) {
        while (at < view->count - 1 && view->nodes[view->order[at]].parent < i)
            at++;
        view->first[i] = at;
    }
}

/* A node is never kept without the nodes above it. */
static void keep_node(struct view *view, uint32_t node)
{
    for (; node != DFT_TREE_ROOT && !view->is_kept[node]; node = view->nodes[node].parent) {
        view->is_kept[node] = true;
        view->kept++;
    }
}

static void choose_nodes(struct view *view, size_t top)
{
    size_t candidates = 0;

    for (uint32_t i = 1; i < view->count; i++) {
        view->depth[i] = view->depth[view->nodes[i].parent] + 1;
        if (view->depth[i] - 1 <= view->results->depth)
            view->order[candidates++] = i;
        if (view->nodes[i].parent == DFT_TREE_ROOT &&
            __builtin_add_overflow(view->whole, view->nodes[i].total_ns, &view->whole))
            view->whole = INT64_MAX;
    }
    if (top > 0 && top < candidates)
        qsort_r(view->order, candidates, sizeof *view->order, compare_totals, view);
    for (size_t i = 0; i < candidates && (top == 0 || view->kept < top); i++)
        keep_node(view, view->order[i]);
    view->hidden = candidates - view->kept;
}

static struct view make_view(const struct dft_tree_results *results, size_t top)
{
    size_t count = results->tree->count;
    struct view view = {
        .results = results,
        .nodes = results->tree->nodes,
        .count = count,
        .order = dft_tool_zeroed(count, sizeof *view.order),
        .first = dft_tool_zeroed(count + 1, sizeof *view.first),
        .depth = dft_tool_zeroed(count, sizeof *view.depth),
        .is_kept = dft_tool_zeroed(count, sizeof *view.is_kept),
    };

    choose_nodes(&view, top);
    sort_nodes(&view);
    return view;
}

static void free_view(struct view *view)
{
    free(view->order);
    free(view->first);
    free(view->depth);
    free(view->is_kept);
}

/* --- walking --- */

/* The children of the nodes from the root to the one that is visited. */
struct level {
    size_t next; /* in `order` */
    size_t end;
};

struct walk {
    const struct view *view;
    struct level *levels;
    size_t depth; /* of the node that is visited, 1 below the root */
    size_t room;
};

static void enter_node(struct walk *walk, uint32_t node)
{
    walk->levels = dft_tool_grow(walk->levels, walk->depth, &walk->room, sizeof *walk->levels);
    walk->levels[walk->depth++] =
        (struct level){walk->view->first[node], walk->view->first[node + 1]};
}

/* Moves past nodes that are not kept. */
static bool has_more(const struct walk *walk, struct level *level)
{
    while (level->next < level->end && !walk->view->is_kept[walk->view->order[level->next]])
        level->next++;
    return level->next < level->end;
}

/* The next node, parents before children; DFT_TREE_NO_NODE behind the last one. */
static uint32_t next_node(struct walk *walk)
{
    while (walk->depth > 0) {
        struct level *level = &walk->levels[walk->depth - 1];

        if (has_more(walk, level)) {
            uint32_t node = walk->view->order[level->next++];
            enter_node(walk, node);
            return node;
        }
        walk->depth--;
    }
    return DFT_TREE_NO_NODE;
}

/* --- text --- */

static bool is_shown(const struct dft_column *column)
{
    return column->title && column->is_in_tree;
}

static const char *title_of(const struct dft_column *column)
{
    return column->form == DFT_COLUMN_SHARE ? "SHARE" : column->title;
}

static size_t *measure_columns(const struct view *view)
{
    size_t *widths = dft_tool_zeroed(dft_column_count, sizeof *widths);

    for (size_t c = 0; c < dft_column_count; c++) {
        if (!is_shown(&dft_columns[c]))
            continue;
        widths[c] = strlen(title_of(&dft_columns[c]));
        for (uint32_t i = 1; i < view->count; i++) {
            if (!view->is_kept[i])
                continue;
            struct dft_function row = make_row(view, i);
            struct dft_cell cell = dft_column_format(&dft_columns[c], &row, view->whole);
            size_t width = dft_text_width(dft_text(cell.text));
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
    return widths;
}

static void print_number(FILE *out, const char *text, size_t width)
{
    dft_format_pad(out, dft_text_width(dft_text(text)), width);
    fprintf(out, "%s  ", text);
}

/* Two columns for each level: "│ " beside further siblings of a node above, "├─" or "└─" before the
 * name. Returns how many columns they took. */
static size_t print_branches(FILE *out, struct walk *walk)
{
    size_t levels = walk->depth - 1; /* above the children of the node */
    size_t first = 1;

    if (levels > BRANCHES_MAX / 2) {
        first = levels - BRANCHES_MAX / 2;
        fputs("… ", out);
    }
    for (size_t i = first; i < levels; i++) {
        bool more = has_more(walk, &walk->levels[i]);

        if (i + 1 < levels)
            fputs(more ? "│ " : "  ", out);
        else
            fputs(more ? "├─" : "└─", out);
    }
    return (levels - first) * 2 + (first > 1 ? 2 : 0);
}

static void print_node(FILE *out, struct walk *walk, uint32_t node, const size_t *widths)
{
    const struct view *view = walk->view;
    struct dft_function row = make_row(view, node);
    size_t width = view->results->results->width, used = 0;

    for (size_t c = 0; c < dft_column_count; c++) {
        if (!is_shown(&dft_columns[c]))
            continue;
        print_number(out, dft_column_format(&dft_columns[c], &row, view->whole).text, widths[c]);
        used += widths[c] + 2;
    }
    used += print_branches(out, walk);
    size_t room = width > used + NAME_MIN ? width - used : NAME_MIN;
    dft_text_print_cut(out, row.name, width > 0 ? room : SIZE_MAX, DFT_CUT_MIDDLE);
    fputc('\n', out);
}

void dft_tree_print_text(FILE *out, const struct dft_tree_results *results)
{
    struct view view = make_view(results, results->results->top);
    struct walk walk = {.view = &view};
    size_t *widths = measure_columns(&view);
    uint64_t aggregated = results->results->summary.aggregated;
    uint32_t node;

    dft_results_print_header(out, results->results);
    if (view.kept > 0) {
        fputc('\n', out);
        for (size_t c = 0; c < dft_column_count; c++) {
            if (is_shown(&dft_columns[c]))
                print_number(out, title_of(&dft_columns[c]), widths[c]);
        }
        fprintf(out, "%s\n", results->what);
    }
    enter_node(&walk, DFT_TREE_ROOT);
    while ((node = next_node(&walk)) != DFT_TREE_NO_NODE)
        print_node(out, &walk, node, widths);
    if (view.hidden > 0)
        fprintf(out, "… and %zu more; --top 0 shows all\n", view.hidden);
    if (aggregated > 0)
        fprintf(out,
                "%" PRIu64 " aggregated or throttled %s not in the tree: nothing is known of %s\n",
                aggregated, aggregated == 1 ? "call is" : "calls are",
                aggregated == 1 ? "its caller" : "their callers");
    free(walk.levels);
    free(widths);
    free_view(&view);
}

/* --- JSON --- */

static void print_json_node(FILE *out, const struct view *view, uint32_t node, size_t depth)
{
    struct dft_function row = make_row(view, node);

    fprintf(out, "{\"id\":%" PRIu32 ",\"parent\":", node);
    if (view->nodes[node].parent == DFT_TREE_ROOT)
        fputs("null", out);
    else
        fprintf(out, "%" PRIu32, view->nodes[node].parent);
    fprintf(out, ",\"depth\":%zu,\"function\":", depth);
    dft_text_print_json(out, row.name);
    fputs(",\"category\":", out);
    dft_text_print_json(out, row.category);
    fputs(",\"file\":", out);
    dft_text_print_json(out, row.file);
    fprintf(out, ",\"line\":%" PRId64, row.line);
    dft_columns_print_json(out, &row, true);
    fputs(row.self_estimated ? ",\"self_estimated\":true" : "", out);
    fputc('}', out);
}

void dft_tree_print_json(FILE *out, const struct dft_tree_results *results)
{
    struct view view = make_view(results, 0);
    struct walk walk = {.view = &view};
    const char *between = "\n";
    uint32_t node;

    dft_results_print_json_summary(out, results->results);
    fprintf(out, ",\n\"whole_ns\":%" PRId64 ",\"not_in_tree\":%" PRIu64 ",\"tree\":[", view.whole,
            results->results->summary.aggregated);
    enter_node(&walk, DFT_TREE_ROOT);
    while ((node = next_node(&walk)) != DFT_TREE_NO_NODE) {
        fputs(between, out);
        print_json_node(out, &view, node, walk.depth - 2);
        between = ",\n";
    }
    fputs("\n]}\n", out);
    free(walk.levels);
    free_view(&view);
}
