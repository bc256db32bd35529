/*
 * Descriptions of functions, sorted by name, so that the same traces always give the same list. A
 * function of several processes is listed once.
 */
#include "tool/analysis/function_info.h"

#include "tool/analysis/frames.h"
#include "tool/base/tool.h"

#include <inttypes.h>
#include <stdlib.h>

enum field {
    FUNCTION,
    LINKAGE_NAME,
    FILE_NAME,
    CATEGORY,
    PARAMETERS,
    TYPES,
    LOCALS,
    RULE,
    MODULE,
    BUILD_ID,
    LANGUAGE, /* empty: it is compiled */
    FIELD_COUNT,
};

static const char *const keys[FIELD_COUNT] = {"function",   "linkage_name", "file",    "category",
                                              "parameters", "types",        "locals",  "rule",
                                              "module",     "build_id",     "language"};

struct function {
    char *fields[FIELD_COUNT];
    int64_t line;
    int64_t rule_line;
    int64_t stack_size; /* values on the stack of its interpreter */
    uint64_t frame;     /* bytes; 0: not known */
};

struct dft_function_info {
    struct function *functions;
    size_t count;
    size_t room;
    size_t bytes;
    size_t most_bytes; /* 0: no limit */
    size_t left_out;
};

struct dft_function_info *dft_function_info_new(size_t most_bytes)
{
    struct dft_function_info *info = dft_tool_zeroed(1, sizeof *info);

    info->most_bytes = most_bytes;
    return info;
}

size_t dft_function_info_left_out(const struct dft_function_info *info)
{
    return info->left_out;
}

static void add_event(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct dft_function_info *info = context;

    if (event->kind != DFT_TRACE_FUNCTION)
        return;
    if (info->most_bytes && info->bytes >= info->most_bytes) {
        info->left_out++;
        return;
    }
    info->functions =
        dft_tool_grow(info->functions, info->count, &info->room, sizeof *info->functions);
    struct function *function = &info->functions[info->count++];
    *function = (struct function){.line = 0};
    info->bytes += sizeof *function;
    dft_event_arg_int(event, "line", &function->line);
    dft_event_arg_int(event, "rule_line", &function->rule_line);
    dft_event_arg_int(event, "stack_size", &function->stack_size);
    for (int i = 0; i < FIELD_COUNT; i++) {
        struct dft_text text = dft_event_arg_text(reader, event, keys[i]);
        function->fields[i] = dft_tool_copy(text.at, text.length);
        info->bytes += text.length + 24; /* including malloc's overhead */
    }
}

struct dft_visitor dft_function_info_visitor(struct dft_function_info *info)
{
    return (struct dft_visitor){.context = info, .event = add_event};
}

static void free_function(struct function *function)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        free(function->fields[i]);
}

static int compare(const void *left, const void *right)
{
    const struct function *a = left, *b = right;

    for (int i = 0; i < FIELD_COUNT; i++) {
        int order = strcmp(a->fields[i], b->fields[i]);
        if (order != 0)
            return order;
    }
    return a->line < b->line ? -1 : a->line > b->line;
}

static void sort(struct dft_function_info *info)
{
    size_t kept = 0;

    qsort(info->functions, info->count, sizeof *info->functions, compare);
    for (size_t i = 0; i < info->count; i++) {
        if (kept > 0 && compare(&info->functions[kept - 1], &info->functions[i]) == 0)
            free_function(&info->functions[i]);
        else
            info->functions[kept++] = info->functions[i];
    }
    info->count = kept;
}

/* The length up to the next comma or closing parenthesis outside of brackets. */
static size_t type_length(const char *text)
{
    int depth = 0;
    size_t i = 0;

    for (; text[i]; i++) {
        if (strchr("(<[{", text[i]))
            depth++;
        else if (depth == 0 && (text[i] == ',' || text[i] == ')'))
            break;
        else if (strchr(")>]}", text[i]))
            depth--;
    }
    return i;
}

/* "f(int a, char*)": the types, each with the name that belongs to it; to be freed. */
static char *signature(const struct function *function)
{
    const char *types = function->fields[TYPES], *names = function->fields[PARAMETERS];

    if (function->fields[LANGUAGE][0])
        return dft_tool_format("%s(%s)", function->fields[FUNCTION], names);
    char *text = dft_tool_format("%s%.1s", function->fields[FUNCTION], types);

    if (*types == '(')
        types++;
    while (*types && *types != ')') {
        size_t type = type_length(types), name = strcspn(names, ",");
        char *more = dft_tool_format("%s%.*s%s%.*s", text, (int)type, types, name ? " " : "",
                                     (int)name, names);

        free(text);
        text = more;
        types += type;
        names += name + (names[name] == ',');
        if (*types == ',') {
            types += strspn(types, ", ");
            more = dft_tool_format("%s, ", text);
            free(text);
            text = more;
        }
    }
    char *whole = dft_tool_format("%s%s", text, types);
    free(text);
    return whole;
}

static char *source(const struct function *function)
{
    if (!function->fields[FILE_NAME][0])
        return dft_tool_format("%s", "");
    return dft_tool_format("%s:%" PRId64, function->fields[FILE_NAME], function->line);
}

static void find_frames(struct dft_function_info *info)
{
    struct dft_frames *frames = dft_frames_new();

    for (size_t i = 0; i < info->count; i++) {
        struct function *function = &info->functions[i];
        if (function->fields[LANGUAGE][0]) /* its module is not a file */
            continue;
        function->frame =
            dft_frames_size(frames, function->fields[MODULE], function->fields[BUILD_ID],
                            function->fields[LINKAGE_NAME]);
    }
    dft_frames_free(frames);
}

enum column {
    COLUMN_FUNCTION,
    COLUMN_CATEGORY,
    COLUMN_SOURCE,
    COLUMN_FRAME,
    COLUMN_MODULE,
    COLUMN_RULE,
    COLUMN_VARIABLES,
    COLUMNS,
};

static const char *const titles[COLUMNS] = {"FUNCTION", "CATEGORY", "SOURCE",   "FRAME",
                                            "MODULE",   "RULE",     "VARIABLES"};

/* To be freed. */
static char *make_cell(const struct function *function, enum column column)
{
    switch (column) {
    case COLUMN_FUNCTION:
        return signature(function);
    case COLUMN_SOURCE:
        return source(function);
    case COLUMN_FRAME:
        return function->frame ? dft_tool_format("%" PRIu64, function->frame)
                               : dft_tool_format("%s", "");
    case COLUMN_CATEGORY:
        return dft_tool_format("%s", function->fields[CATEGORY]);
    case COLUMN_MODULE:
        return dft_tool_format("%s", function->fields[MODULE]);
    case COLUMN_RULE:
        return dft_tool_format("%s", function->fields[RULE]);
    default:
        return dft_tool_format("%s", function->fields[LOCALS]);
    }
}

/* Wider cells do not widen their column. */
#define WIDEST_COLUMN 60

static bool is_shown(int column)
{
    return column != COLUMN_FRAME || DFT_FRAMES_ARE_KNOWN;
}

static void print_row(FILE *out, char *const cells[COLUMNS], const size_t widths[COLUMNS])
{
    int last = COLUMNS;

    while (last > 1 && !cells[last - 1][0]) /* no spaces at the end of a line */
        last--;
    for (int i = 0; i < last; i++) {
        if (!is_shown(i))
            continue;
        dft_text_print_visible(out, dft_text(cells[i]));
        for (size_t used = dft_text_width(dft_text(cells[i])); i + 1 < last && used < widths[i];
             used++)
            fputc(' ', out);
        fputs(i + 1 < last ? "  " : "", out);
    }
    fputc('\n', out);
}

size_t dft_function_info_print_text(FILE *out, struct dft_function_info *info, size_t top)
{
    size_t widths[COLUMNS];

    sort(info);
    find_frames(info);
    size_t shown = top > 0 && top < info->count ? top : info->count;
    char *(*rows)[COLUMNS] = dft_tool_zeroed(shown + 1, sizeof *rows);
    for (int column = 0; column < COLUMNS; column++) {
        rows[0][column] = dft_tool_format("%s", titles[column]);
        widths[column] = strlen(titles[column]);
        for (size_t i = 0; i < shown; i++) {
            rows[i + 1][column] = make_cell(&info->functions[i], column);
            size_t width = dft_text_width(dft_text(rows[i + 1][column]));
            if (width > widths[column] && width <= WIDEST_COLUMN)
                widths[column] = width;
        }
    }
    for (size_t i = 0; i < shown + 1; i++) {
        if (info->count > 0)
            print_row(out, rows[i], widths);
        for (int column = 0; column < COLUMNS; column++)
            free(rows[i][column]);
    }
    free(rows);
    if (shown < info->count)
        fprintf(out, "… and %zu more; --top 0 shows all\n", info->count - shown);
    return info->count;
}

size_t dft_function_info_print_json(FILE *out, struct dft_function_info *info)
{
    sort(info);
    find_frames(info);
    fputs("{\"functions\":[", out);
    for (size_t i = 0; i < info->count; i++) {
        const struct function *function = &info->functions[i];
        fputs(i > 0 ? ",\n{" : "\n{", out);
        for (int field = 0; field < FIELD_COUNT; field++) {
            if (field == LANGUAGE && !function->fields[LANGUAGE][0])
                continue;
            fprintf(out, "\"%s\":", keys[field]);
            dft_text_print_json(out, dft_text(function->fields[field]));
            fputc(',', out);
        }
        if (function->stack_size)
            fprintf(out, "\"stack_size\":%" PRId64 ",", function->stack_size);
        if (function->frame)
            fprintf(out, "\"frame_bytes\":%" PRIu64 ",", function->frame);
        fprintf(out, "\"line\":%" PRId64 ",\"rule_line\":%" PRId64 "}", function->line,
                function->rule_line);
    }
    fputs("\n]}\n", out);
    return info->count;
}

void dft_function_info_free(struct dft_function_info *info)
{
    for (size_t i = 0; i < info->count; i++)
        free_function(&info->functions[i]);
    free(info->functions);
    free(info);
}
