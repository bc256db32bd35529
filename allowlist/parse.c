/*
 * Parses the text of an allowlist into rules: lines, sections, prefixes, categories.
 *
 * The first error ends parsing and is reported with its position. Nothing is skipped, and a list
 * that could not trace anything is an error. No state between calls.
 */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    struct dft_allowlist *list;
    struct dft_allowlist_error *error;
    enum dft_section section;
    bool has_positive; /* a rule was seen that something can be traced with */
    unsigned number;   /* of the line */
    const char *line;  /* without its end */
    struct dft_pattern pattern;
};

/* A part of the line. */
struct span {
    size_t begin;
    size_t end;
};

#define SECTION_NAME(name, text, flag) text,
static const char *const section_names[] = {DFT_SECTIONS(SECTION_NAME)};
#undef SECTION_NAME
/* The names of all sections, for a message. */
struct section_list {
    char text[128];
};

/* By enum dft_subject. */
static const char *const prefix_names[] = {"fun", "src", "region", "io", "file"};
static const char *const prefix_meanings[] = {"a function's name", "a path", "a region's name",
                                              "a call of libc", "the path of a file"};

const char *dft_section_name(enum dft_section section)
{
    size_t index = (size_t)section;
    return index < sizeof section_names / sizeof section_names[0] ? section_names[index] : "?";
}

/* Columns count bytes, as in both compilers. */
#define REFUSE(parser, offset, ...)                                                                \
    (dft_message_set((parser)->error, (parser)->number, (unsigned)(offset) + 1, __VA_ARGS__), false)

static bool refuse_memory(struct parser *parser)
{
    dft_message_set(parser->error, 0, 0, "out of memory while reading the allowlist");
    return false;
}

static struct dft_quoted quote(const struct parser *parser, struct span span)
{
    return dft_message_quote(parser->line + span.begin, span.end - span.begin);
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static struct span trim(const struct parser *parser, struct span span)
{
    while (span.begin < span.end && is_blank(parser->line[span.begin]))
        span.begin++;
    while (span.end > span.begin && is_blank(parser->line[span.end - 1]))
        span.end--;
    return span;
}

/* Checks that the line is valid UTF-8 without control characters. */
static bool check_line(struct parser *parser, size_t length)
{
    if (length > DFT_LINE_MAX)
        return REFUSE(parser, 0, "found a line of %zu bytes; expected %d at most", length,
                      DFT_LINE_MAX);
    for (size_t i = 0; i < length;) {
        uint32_t point;
        unsigned char byte = (unsigned char)parser->line[i];
        if (byte >= 0x20 && byte < 0x7f) {
            i++;
            continue;
        }
        size_t size = dft_utf8_decode(parser->line + i, length - i, &point);
        if (!size)
            return REFUSE(parser, i, "found byte 0x%02x; expected text in UTF-8", byte);
        if ((point < 0x20 && point != '\t') || (point >= 0x7f && point < 0xa0))
            return REFUSE(parser, i, "found control character U+%04X; expected text",
                          (unsigned)point);
        i += size;
    }
    return true;
}

/* '#' begins a comment only after a blank: "main::{lambda()#1}" has none. */
static size_t find_comment(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] == '#' && (i == 0 || is_blank(line[i - 1])))
            return i;
    return length;
}

/* "[trace], [never] or [sample]" */
static struct section_list list_sections(void)
{
    const size_t count = sizeof section_names / sizeof section_names[0];
    struct section_list list = {""};
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof list.text; i++)
        used += (size_t)snprintf(list.text + used, sizeof list.text - used, "%s[%s]",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 section_names[i]);
    return list;
}

static bool read_section(struct parser *parser, struct span span)
{
    static const char hint[] = "a rule that begins with a glob class needs fun: in front";
    const char *closing = memchr(parser->line + span.begin, ']', span.end - span.begin);
    if (!closing)
        return REFUSE(parser, span.end, "unterminated section '%s'; expected ']' (%s)",
                      quote(parser, span).text, hint);
    struct span whole = {span.begin, (size_t)(closing - parser->line) + 1};
    struct span rest = trim(parser, (struct span){whole.end, span.end});
    const char *name = parser->line + span.begin + 1;
    size_t length = whole.end - whole.begin - 2;
    for (size_t i = 0; i < sizeof section_names / sizeof section_names[0]; i++) {
        if (strlen(section_names[i]) != length || memcmp(section_names[i], name, length) != 0)
            continue;
        if (rest.begin < rest.end)
            return REFUSE(parser, rest.begin,
                          "found '%s' after [%s]; expected the end of the line (%s)",
                          quote(parser, rest).text, section_names[i], hint);
        parser->section = (enum dft_section)i;
        return true;
    }
    const char *nearest = dft_message_nearest(name, length, section_names,
                                              sizeof section_names / sizeof section_names[0]);
    return REFUSE(parser, span.begin, "unknown section '%s'; expected %s (%s%s%s%s)",
                  quote(parser, whole).text, list_sections().text, nearest ? "did you mean [" : "",
                  nearest ? nearest : "", nearest ? "]? " : "", hint);
}

/*
 * Removes the prefix from the span. One colon after a word is a prefix, two are part of a C++ name,
 * three are a prefix and a name that begins with "::".
 */
static bool read_prefix(struct parser *parser, struct span *span, enum dft_subject *subject)
{
    const char *line = parser->line;
    size_t word = span->begin, colon;
    while (word < span->end && (is_letter(line[word]) || line[word] == '_' ||
                                (word > span->begin && line[word] >= '0' && line[word] <= '9')))
        word++;
    colon = word;
    while (colon < span->end && is_blank(line[colon]))
        colon++;
    size_t after = colon;
    while (after < span->end && line[after] == ':')
        after++;
    *subject = DFT_SUBJECT_FUNCTION;
    if (word == span->begin || (after - colon != 1 && after - colon != 3))
        return true;
    struct span prefix = {span->begin, colon + 1};
    for (size_t i = 0; i < sizeof prefix_names / sizeof prefix_names[0]; i++) {
        size_t size = strlen(prefix_names[i]);
        if (colon - span->begin != size || memcmp(prefix_names[i], line + span->begin, size) != 0)
            continue;
        *subject = (enum dft_subject)i;
        *span = trim(parser, (struct span){prefix.end, span->end});
        if (span->begin == span->end)
            return REFUSE(parser, prefix.end, "found nothing after '%s'; expected %s",
                          quote(parser, prefix).text, prefix_meanings[i]);
        return true;
    }
    const char *nearest = dft_message_nearest(line + span->begin, word - span->begin, prefix_names,
                                              sizeof prefix_names / sizeof prefix_names[0]);
    return REFUSE(
        parser, span->begin,
        "unknown prefix '%s'; expected fun:, src:, region:, io:, file: or a function's name%s%s%s",
        quote(parser, prefix).text, nearest ? " (did you mean " : "", nearest ? nearest : "",
        nearest ? ":?)" : "");
}

static bool is_category_byte(char byte)
{
    return is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' ||
           byte == '.' || byte == ':';
}

/* Whether a word follows, which may be a category. */
static bool is_word_next(const char *line, size_t end, size_t at)
{
    while (at < end && is_blank(line[at]))
        at++;
    return at < end &&
           (is_letter(line[at]) || line[at] == '_' || (line[at] >= '0' && line[at] <= '9'));
}

/*
 * Skips the operator whose word "operator" is at `at`. The longest symbol counts, so "operator=="
 * is one operator. But no word can follow an operator: "operator==EQ" gives operator= the category
 * EQ.
 */
static size_t skip_operator(const char *line, size_t end, size_t at)
{
    size_t symbol = at + strlen("operator");
    while (symbol < end && is_blank(line[symbol]))
        symbol++;
    size_t size = dft_operator_length(line + symbol, end - symbol);
    size_t after = symbol + size;
    if (size > 1 && line[after - 1] == '=' && is_word_next(line, end, after))
        after--;
    return after;
}

/* The '=' that separates a category from the pattern, or the end of the span. */
static size_t find_separator(const struct parser *parser, struct span span,
                             enum dft_subject subject)
{
    const char *text = parser->line + span.begin;
    size_t length = span.end - span.begin;
    bool has_closing = true; /* false: no ']' follows */
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\') {
            i++;
        } else if (text[i] == '[' && has_closing) {
            size_t class = dft_pattern_class_length(text, length, i, subject);
            i += class ? class - 1 : 0;
            has_closing = class || (i + 1 < length && text[i + 1] == ']'); /* "operator[]" */
        } else if (subject == DFT_SUBJECT_FUNCTION && dft_is_operator(text, length, i)) {
            i = skip_operator(text, length, i) - 1;
        } else if (text[i] == '=') {
            return span.begin + i;
        }
    }
    return span.end;
}

static bool check_category(struct parser *parser, struct span category, struct span rule)
{
    size_t length = category.end - category.begin;
    if (parser->section == DFT_SECTION_NEVER)
        return REFUSE(parser, category.begin,
                      "found category '%s' in [never]; expected none, nothing is traced here",
                      quote(parser, category).text);
    if (length == 0)
        return REFUSE(parser, category.begin,
                      "found no category after '=' of '%s'; expected a name such as IO, or \\= for "
                      "an = of the pattern",
                      quote(parser, rule).text);
    for (size_t i = category.begin; i < category.end; i++)
        if (!is_category_byte(parser->line[i]))
            return REFUSE(parser, i,
                          "found category '%s'; expected letters, digits, _ - . or : after '=', or "
                          "\\= for an = of the pattern",
                          quote(parser, category).text);
    if (length > DFT_CATEGORY_MAX)
        return REFUSE(parser, category.begin, "found a category of %zu bytes; expected %d at most",
                      length, DFT_CATEGORY_MAX);
    return true;
}

/* Rejects "operator=IO": the user probably means operator== and a category. */
static bool check_operators(struct parser *parser, struct span span)
{
    const char *text = parser->line + span.begin;
    size_t length = span.end - span.begin;
    for (size_t i = 0; i < length; i++) {
        if (!dft_is_operator(text, length, i))
            continue;
        size_t after = skip_operator(text, length, i);
        if (text[after - 1] == '=' && is_word_next(text, length, after))
            return REFUSE(parser, span.begin + after,
                          "found '%s'; expected operator== and a category to give operator= one, "
                          "or the end of the name",
                          quote(parser, (struct span){span.begin + i, span.end}).text);
        i = after - 1;
    }
    return true;
}

/* Converts the code to the form that names and paths are compared in. */
static bool settle_pattern(struct parser *parser, struct span span, enum dft_subject subject,
                           bool *is_absolute, bool *is_open)
{
    struct dft_pattern *pattern = &parser->pattern;
    *is_open = pattern->length > 0 && pattern->code[0] == DFT_CODE_STAR;
    *is_absolute = false;
    if (subject == DFT_SUBJECT_SOURCE) {
        if (!dft_path_settle_pattern(pattern, is_absolute))
            return REFUSE(parser, span.begin, "found '%s', which names no file; expected a path",
                          quote(parser, span).text);
        if (!*is_absolute && !*is_open && dft_pattern_is_glob(pattern)) {
            memmove(pattern->code + 2, pattern->code, pattern->length);
            pattern->code[0] = DFT_CODE_STAR;
            pattern->code[1] = '/';
            pattern->length += 2;
        }
        return true;
    }
    if (subject >= DFT_SUBJECT_REGION) /* these names are compared as they are */
        return true;
    pattern->length = dft_fold(pattern->code, pattern->length, pattern->code);
    if (pattern->length >= 2 && memcmp(pattern->code, "::", 2) == 0) {
        pattern->length -= 2;
        memmove(pattern->code, pattern->code + 2, pattern->length);
    }
    if (pattern->length == 0)
        return REFUSE(parser, span.begin, "found '%s', which names nothing; expected a name",
                      quote(parser, span).text);
    return true;
}

/* Reads the words `!name` of a span that contains nothing else. */
static bool read_omissions(struct parser *parser, struct span span, struct dft_name_set *set)
{
    while (span.begin < span.end) {
        struct span word = {span.begin, span.begin};
        while (word.end < span.end && !is_blank(parser->line[word.end]))
            word.end++;
        const char *name = parser->line + word.begin + 1;
        size_t length = word.end - word.begin - 1;
        if (parser->section != DFT_SECTION_ARGS)
            return REFUSE(parser, word.begin,
                          "found '%s' in [%s]; expected none, parameters are recorded in [args]",
                          quote(parser, word).text, dft_section_name(parser->section));
        if (length == 0)
            return REFUSE(parser, word.end, "found no name after '!'; expected a parameter's name");
        if (!dft_omissions_is_name(name, length))
            return REFUSE(parser, word.begin, "found '%s'; expected ! and a parameter's name",
                          quote(parser, word).text);
        enum dft_omission_result result = dft_omissions_add(parser->list, name, length, set);
        if (result == DFT_OMISSION_NO_MEMORY)
            return refuse_memory(parser);
        if (result == DFT_OMISSION_TOO_MANY)
            return REFUSE(parser, word.begin,
                          "found '%s', one more than the %d different names that can be left out",
                          quote(parser, word).text, DFT_OMISSION_MAX);
        span = trim(parser, (struct span){word.end, span.end});
    }
    return true;
}

/* Removes the words `!name` from the end of the rule. */
static bool take_omissions(struct parser *parser, struct span *span, struct dft_rule *rule)
{
    const char *text = parser->line + span->begin;
    size_t end = span->begin + dft_omissions_begin(text, span->end - span->begin);
    struct span words = trim(parser, (struct span){end, span->end});
    if (!read_omissions(parser, words, &rule->left_out))
        return false;
    span->end = end;
    size_t misplaced = rule->subject == DFT_SUBJECT_FUNCTION
                           ? dft_omissions_misplaced(text, end - span->begin)
                           : end - span->begin;
    if (span->begin + misplaced < end)
        return REFUSE(parser, span->begin + misplaced,
                      "found '!' before the end of the rule; expected a parameter to leave out "
                      "behind name and category, or \\! for a ! of the name");
    return true;
}

static bool read_rule(struct parser *parser, struct span whole)
{
    struct dft_arena *arena = &parser->list->arena;
    struct dft_rule rule = {.section = parser->section, .line = parser->number};
    struct span span = whole;
    if (!read_prefix(parser, &span, &rule.subject) ||
        (rule.subject < DFT_SUBJECT_REGION && !take_omissions(parser, &span, &rule)))
        return false;
    size_t separator = find_separator(parser, span, rule.subject);
    struct span category = trim(parser, (struct span){separator + 1, span.end});
    bool has_category = separator < span.end;
    span = trim(parser, (struct span){span.begin, separator});
    if (has_category && !check_category(parser, category, whole))
        return false;
    if (span.begin == span.end)
        return REFUSE(parser, separator, "found '=' without a name before it; expected a name");
    if (rule.subject == DFT_SUBJECT_FUNCTION && !check_operators(parser, span))
        return false;

    bool is_absolute, is_open;
    struct dft_pattern_error refusal;
    const char *text = parser->line + span.begin;
    size_t length = span.end - span.begin;
    if (!dft_pattern_read(&parser->pattern, arena, rule.subject, text, length, &refusal)) {
        if (!refusal.message)
            return refuse_memory(parser);
        return REFUSE(parser, span.begin + refusal.offset, "malformed glob '%s': %s",
                      quote(parser, span).text, refusal.message);
    }
    if (!settle_pattern(parser, span, rule.subject, &is_absolute, &is_open))
        return false;
    rule.is_glob = dft_pattern_is_glob(&parser->pattern);
    rule.pattern = dft_arena_copy(arena, text, length);
    rule.text = dft_arena_copy(arena, parser->line + whole.begin, whole.end - whole.begin);
    if (has_category)
        rule.category =
            dft_arena_copy(arena, parser->line + category.begin, category.end - category.begin);
    if (!rule.pattern || !rule.text || (has_category && !rule.category) ||
        !dft_rules_add(parser->list, &rule, &parser->pattern, is_absolute, is_open))
        return refuse_memory(parser);
    parser->has_positive |= rule.section != DFT_SECTION_NEVER || rule.subject >= DFT_SUBJECT_REGION;
    return true;
}

static bool read_line(struct parser *parser, size_t length)
{
    if (!check_line(parser, length))
        return false;
    struct span span = trim(parser, (struct span){0, find_comment(parser->line, length)});
    if (span.begin == span.end)
        return true;
    return parser->line[span.begin] == '[' ? read_section(parser, span) : read_rule(parser, span);
}

static bool read_lines(struct parser *parser, const char *text, size_t length)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    const size_t mark_size = sizeof byte_order_mark - 1;
    const char *end = text + length;
    if (length >= mark_size && memcmp(text, byte_order_mark, mark_size) == 0)
        text += mark_size;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *line_end = newline ? newline : end;
        parser->line = text;
        parser->number++;
        text = newline ? newline + 1 : end;
        if (newline && line_end > parser->line && line_end[-1] == '\r')
            line_end--;
        if (!read_line(parser, (size_t)(line_end - parser->line)))
            return false;
    }
    if (parser->has_positive)
        return true;
    dft_message_set(parser->error, 0, 0,
                    "the allowlist holds %s; expected at least one rule outside [never]",
                    parser->list->rule_count ? "[never] rules only" : "no rule");
    return false;
}

/* A comma inside brackets is part of a name, as in "f(int, char)" and "map<int, char>". */
static void split_joined(char *text)
{
    int depth = 0;
    for (char *at = text; *at; at++) {
        if (strchr("(<[{", *at))
            depth++;
        else if (strchr(")>]}", *at))
            depth--;
        else if (*at == ',' && depth <= 0)
            *at = '\n';
    }
}

struct dft_allowlist *dft_allowlist_parse_joined(const char *text,
                                                 struct dft_allowlist_error *error)
{
    size_t length = strlen(text);
    char *lines = malloc(length + 1);
    if (!lines) {
        dft_message_set(error, 0, 0, "out of memory while reading the patterns");
        return NULL;
    }
    memcpy(lines, text, length + 1);
    split_joined(lines);
    struct dft_allowlist *list = dft_allowlist_parse(lines, length, error);
    free(lines);
    return list;
}

struct dft_allowlist *dft_allowlist_parse(const char *text, size_t length,
                                          struct dft_allowlist_error *error)
{
    struct parser parser = {.error = error, .section = DFT_SECTION_TRACE};
    dft_message_set(error, 0, 0, "%s", "");
    parser.list = dft_rules_new();
    parser.pattern.code = malloc(DFT_CODE_MAX);
    bool is_read = parser.list && parser.pattern.code
                       ? read_lines(&parser, length ? text : "", length)
                       : refuse_memory(&parser);
    free(parser.pattern.code);
    free(parser.pattern.classes);
    if (is_read) {
        parser.list->hash = dft_list_hash(text, length);
        return parser.list;
    }
    dft_allowlist_free(parser.list);
    return NULL;
}
