/* See rules.h. */
#include "configuration/rules.h"

#include "allowlist/message.h"

#include <stdlib.h>
#include <string.h>

static bool refuse_memory(const struct dft_rules_text *rules)
{
    dft_message_set(rules->error, 0, 0, "out of memory while reading the rules");
    return false;
}

static bool refuse(const struct dft_rules_text *rules, const struct dft_tree_node *node,
                   const char *expected)
{
    bool is_scalar = node->kind == DFT_TREE_SCALAR;

    dft_message_set(rules->error, node->at.line, node->at.column, "found %s%s%s; expected %s",
                    is_scalar ? "'" : "a ",
                    is_scalar ? dft_message_quote(node->text, node->length).text
                              : (node->kind == DFT_TREE_MAP ? "map" : "list"),
                    is_scalar ? "'" : "", expected);
    return false;
}

static bool make_room(struct dft_rules_text *rules, size_t more)
{
    if (more > rules->room - rules->length) {
        size_t room = 2 * rules->room + more;
        char *text = realloc(rules->text, room);
        if (!text)
            return false;
        rules->text = text;
        rules->room = room;
    }
    if (rules->line_count == rules->line_room) {
        size_t room = 2 * rules->line_room + 64;
        struct dft_configuration_position *lines =
            realloc(rules->lines, room * sizeof *rules->lines);
        if (!lines)
            return false;
        rules->lines = lines;
        rules->line_room = room;
    }
    return true;
}

/* Adds the line BEFORE TEXT AFTER. */
static bool add_line(struct dft_rules_text *rules, struct dft_configuration_position at,
                     const char *before, const char *text, const char *after)
{
    const char *const parts[] = {before, text, after, "\n"};
    size_t size = strlen(before) + strlen(text) + strlen(after) + 1;

    if (rules->length + size > DFT_CONFIGURATION_RULES_MAX) {
        dft_message_set(rules->error, at.line, at.column,
                        "found more than %zu MiB of rules; expected fewer",
                        DFT_CONFIGURATION_RULES_MAX >> 20);
        return false;
    }
    if (!make_room(rules, size))
        return refuse_memory(rules);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memcpy(rules->text + rules->length, parts[i], strlen(parts[i]));
        rules->length += strlen(parts[i]);
    }
    rules->lines[rules->line_count++] = at;
    return true;
}

static bool add_scalar(struct dft_rules_text *rules, const char *prefix,
                       const struct dft_tree_node *node)
{
    struct dft_configuration_position at = node->at;
    size_t begin = strspn(node->text, " \t");

    if (strpbrk(node->text, "\n\r"))
        return refuse(rules, node, "a rule in one line");
    if (!node->text[begin] || node->text[begin] == '#')
        return refuse(rules, node, "a rule such as fun:solver::*");
    if (node->text[begin] == '[' && !*prefix)
        return refuse(rules, node,
                      "a rule (sections are keys, and a glob that begins with a class "
                      "is written fun:[a-z]*)");
    at.column += !node->is_plain; /* the quotation mark */
    return add_line(rules, at, prefix, node->text, "");
}

/* "fun: solver::*" is a map to YAML. */
static bool add_pair(struct dft_rules_text *rules, const struct dft_tree_node *map)
{
    static const char expected[] = "a rule such as fun:solver::* (quote a rule that contains ': ')";
    const struct dft_tree_entry *only = map->entries;

    if (!only || only->next || only->value->kind != DFT_TREE_SCALAR)
        return refuse(rules, map, expected);
    if (strcmp(only->key->text, "fun") == 0)
        return add_scalar(rules, "fun:", only->value);
    if (strcmp(only->key->text, "src") == 0)
        return add_scalar(rules, "src:", only->value);
    return refuse(rules, map, expected);
}

bool dft_rules_text_add(struct dft_rules_text *rules, enum dft_section section,
                        const struct dft_tree_node *list)
{
    if (!add_line(rules, list->at, "[", dft_section_name(section), "]"))
        return false;
    for (const struct dft_tree_entry *entry = list->entries; entry; entry = entry->next) {
        const struct dft_tree_node *item = entry->value;
        if (item->kind == DFT_TREE_LIST)
            return refuse(rules, item, "a rule (quote a rule that begins with [)");
        if (!(item->kind == DFT_TREE_MAP ? add_pair(rules, item) : add_scalar(rules, "", item)))
            return false;
    }
    return true;
}

bool dft_rules_text_imply(struct dft_rules_text *rules, const char *rule,
                          struct dft_configuration_position at)
{
    return add_line(rules, at, "[", dft_section_name(DFT_SECTION_TRACE), "]") &&
           add_line(rules, at, "", rule, "");
}

/* How many characters are before a byte of a line. */
static unsigned count_characters(const struct dft_rules_text *rules, unsigned line, unsigned bytes)
{
    const char *at = rules->text, *end = rules->text + rules->length;
    unsigned count = 0;

    while (--line > 0)
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    for (; bytes > 0 && at < end; bytes--, at++)
        count += (*at & 0xc0) != 0x80;
    return count;
}

bool dft_rules_text_check(const struct dft_rules_text *rules)
{
    struct dft_allowlist_error found;
    struct dft_allowlist *list = dft_allowlist_parse(rules->text, rules->length, &found);
    struct dft_configuration_position at = rules->lines[0];

    if (list) {
        dft_allowlist_free(list);
        return true;
    }
    if (found.line > 0 && found.line <= rules->line_count) {
        at = rules->lines[found.line - 1];
        at.column += count_characters(rules, found.line, found.column > 0 ? found.column - 1 : 0);
    }
    dft_message_set(rules->error, at.line, at.column, "%s", found.message);
    return false;
}

unsigned *dft_rules_text_lines(const struct dft_rules_text *rules)
{
    unsigned *lines = malloc((rules->line_count + 1) * sizeof *lines);

    for (size_t i = 0; lines && i < rules->line_count; i++)
        lines[i] = rules->lines[i].line;
    return lines;
}

void dft_rules_text_free(struct dft_rules_text *rules)
{
    free(rules->text);
    free(rules->lines);
}
