/*
 * Reads a YAML document with libyaml, as a sequence of its events. The input is untrusted: depth,
 * number of keys and number of anchors are limited, and so is the size of the text, so that neither
 * the memory nor the time that libyaml takes can explode. An alias shares the node of its anchor,
 * which is complete by then: the tree has no cycles and no more nodes than the text.
 */
#include "configuration/tree.h"

#include "allowlist/message.h"

#include <string.h>
#include <yaml.h>

enum { DEPTH_MAX = 16, KEYS_MAX = 256, ANCHORS_MAX = 64 };

struct reader {
    yaml_parser_t parser;
    const char *text;
    size_t length;
    struct dft_arena *arena;
    struct dft_allowlist_error *error;
    size_t anchors;
    struct {
        const char *name;
        const struct dft_tree_node *node;
    } anchor[ANCHORS_MAX];
};

static const struct dft_tree_node *read_node(struct reader *reader, yaml_event_t *event,
                                             unsigned depth);

static struct dft_configuration_position position(yaml_mark_t mark)
{
    return (struct dft_configuration_position){(unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

#define REFUSE(reader, at, ...)                                                                    \
    dft_message_set((reader)->error, (at).line, (at).column, __VA_ARGS__)

static void refuse_memory(const struct reader *reader)
{
    dft_message_set(reader->error, 0, 0, "out of memory while reading the configuration file");
}

/* --- syntax errors --- */

/* The position of a byte. */
static struct dft_configuration_position locate(const struct reader *reader, size_t offset)
{
    struct dft_configuration_position at = {1, 1};

    for (size_t i = 0; i < offset && i < reader->length; i++) {
        if (reader->text[i] == '\n')
            at = (struct dft_configuration_position){at.line + 1, 1};
        else if ((reader->text[i] & 0xc0) != 0x80)
            at.column++;
    }
    return at;
}

/* Whether the line of the mark has a tab in the white space that it begins with. */
static bool is_indented_by_tab(const struct reader *reader, yaml_mark_t mark)
{
    const char *at = reader->text, *end = reader->text + reader->length;

    for (size_t i = 0; i < mark.line && at; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    while (at && at < end && *at == ' ')
        at++;
    return at && at < end && *at == '\t';
}

/* What libyaml's words mostly mean; "" if nothing helpful is known. */
static const char *hint(const struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem ? parser->problem : "";
    const char *context = parser->context ? parser->context : "";

    if (is_indented_by_tab(reader, parser->problem_mark))
        return "; indent by spaces, not by tabs";
    if (strstr(context, "alias") || strstr(context, "anchor"))
        return "; quote a text that begins with * or &";
    if (strstr(problem, "mapping values"))
        return "; quote a text that contains ': '";
    if (strstr(problem, "cannot start any token"))
        return "; quote a text that begins with %, @ or `";
    return "";
}

static void refuse_syntax(const struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem ? parser->problem : "it cannot be read";

    if (parser->error == YAML_MEMORY_ERROR)
        refuse_memory(reader);
    else if (parser->error == YAML_READER_ERROR)
        REFUSE(reader, locate(reader, parser->problem_offset), "malformed text: %s", problem);
    else
        REFUSE(reader, position(parser->problem_mark), "malformed YAML: %s%s%s%s",
               parser->context ? parser->context : "", parser->context ? ": " : "", problem,
               hint(reader));
}

static bool next_event(struct reader *reader, yaml_event_t *event)
{
    if (yaml_parser_parse(&reader->parser, event))
        return true;
    refuse_syntax(reader);
    return false;
}

/* --- nodes --- */

static struct dft_tree_node *add_node(struct reader *reader, enum dft_tree_kind kind,
                                      yaml_mark_t mark)
{
    struct dft_tree_node *node = dft_arena_take(reader->arena, sizeof *node);

    if (node)
        *node = (struct dft_tree_node){.kind = kind, .at = position(mark)};
    else
        refuse_memory(reader);
    return node;
}

/* Tags of YAML itself (!!str) say nothing new; others have no meaning here. */
static bool check_tag(const struct reader *reader, const yaml_event_t *event,
                      const yaml_char_t *tag)
{
    const char *name = (const char *)tag;

    if (!name || strcmp(name, "!") == 0 ||
        strncmp(name, "tag:yaml.org,2002:", strlen("tag:yaml.org,2002:")) == 0)
        return true;
    REFUSE(reader, position(event->start_mark),
           "found the tag '%s'; expected a value (quote a text that begins with !)",
           dft_message_quote(name, strlen(name)).text);
    return false;
}

/* Remembers the anchor of a complete node. */
static bool keep_anchor(struct reader *reader, const char *name, const struct dft_tree_node *node)
{
    if (reader->anchors == ANCHORS_MAX) {
        REFUSE(reader, node->at, "found more than %d anchors; expected fewer", ANCHORS_MAX);
        return false;
    }
    reader->anchor[reader->anchors].name = name;
    reader->anchor[reader->anchors++].node = node;
    return true;
}

static const struct dft_tree_node *resolve(const struct reader *reader, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;

    for (size_t i = reader->anchors; i-- > 0;) /* the last anchor of a name counts */
        if (strcmp(reader->anchor[i].name, name) == 0)
            return reader->anchor[i].node;
    REFUSE(reader, position(event->start_mark),
           "found '*%s', and no anchor '&%s' before it; expected a value (quote a text that begins "
           "with *)",
           dft_message_quote(name, strlen(name)).text, dft_message_quote(name, strlen(name)).text);
    return NULL;
}

static const struct dft_tree_node *read_scalar(struct reader *reader, const yaml_event_t *event)
{
    struct dft_tree_node *node = add_node(reader, DFT_TREE_SCALAR, event->start_mark);

    if (!node)
        return NULL;
    node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->length = event->data.scalar.length;
    node->text =
        dft_arena_copy(reader->arena, (const char *)event->data.scalar.value, node->length);
    if (!node->text)
        refuse_memory(reader);
    else if (strlen(node->text) != node->length)
        REFUSE(reader, node->at, "found a NUL character; expected a text without one");
    return node->text && strlen(node->text) == node->length ? node : NULL;
}

static bool is_new_key(const struct reader *reader, const struct dft_tree_node *map,
                       const struct dft_tree_node *key, struct dft_configuration_position at)
{
    unsigned count = 0;

    for (const struct dft_tree_entry *entry = map->entries; entry; entry = entry->next, count++)
        if (strcmp(entry->key->text, key->text) == 0) {
            REFUSE(reader, at, "found the key '%s' again, which line %u, column %u has already",
                   dft_message_quote(key->text, key->length).text, entry->key->at.line,
                   entry->key->at.column);
            return false;
        }
    if (count == KEYS_MAX)
        REFUSE(reader, at, "found a map of more than %d keys; expected fewer", KEYS_MAX);
    return count < KEYS_MAX;
}

/* Reads the key that the event begins, then its value. */
static bool read_pair(struct reader *reader, yaml_event_t *event, unsigned depth,
                      const struct dft_tree_node *map, struct dft_tree_entry *entry)
{
    struct dft_configuration_position at = position(event->start_mark);

    entry->key = read_node(reader, event, depth);
    if (!entry->key)
        return false;
    if (entry->key->kind != DFT_TREE_SCALAR) {
        REFUSE(reader, at, "found a %s as a key; expected a word",
               entry->key->kind == DFT_TREE_MAP ? "map" : "list");
        return false;
    }
    if (!is_new_key(reader, map, entry->key, at) || !next_event(reader, event))
        return false;
    entry->value = read_node(reader, event, depth);
    return entry->value != NULL;
}

static const struct dft_tree_node *read_collection(struct reader *reader, enum dft_tree_kind kind,
                                                   yaml_mark_t mark, unsigned depth)
{
    struct dft_tree_node *node = add_node(reader, kind, mark);
    const struct dft_tree_entry **last = node ? &node->entries : NULL;
    yaml_event_t event;

    if (!node)
        return NULL;
    if (depth == DEPTH_MAX) {
        REFUSE(reader, node->at, "found more than %d levels; expected fewer", DEPTH_MAX);
        return NULL;
    }
    while (next_event(reader, &event)) {
        if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            return node;
        }
        struct dft_tree_entry *entry = dft_arena_take(reader->arena, sizeof *entry);
        if (!entry) {
            yaml_event_delete(&event);
            refuse_memory(reader);
            return NULL;
        }
        *entry = (struct dft_tree_entry){0};
        if (kind == DFT_TREE_LIST)
            entry->value = read_node(reader, &event, depth + 1);
        if (kind == DFT_TREE_LIST ? !entry->value
                                  : !read_pair(reader, &event, depth + 1, node, entry))
            return NULL;
        *last = entry;
        last = &entry->next;
    }
    return NULL;
}

/* Reads what the event begins, and deletes the event. */
static const struct dft_tree_node *read_node(struct reader *reader, yaml_event_t *event,
                                             unsigned depth)
{
    const struct dft_tree_node *node = NULL;
    const yaml_char_t *anchor = NULL, *tag = NULL;
    bool is_collection = false;

    if (event->type == YAML_ALIAS_EVENT) {
        node = resolve(reader, event);
    } else if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        node = read_scalar(reader, event);
    } else {
        bool is_list = event->type == YAML_SEQUENCE_START_EVENT;
        is_collection = true;
        anchor = is_list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor;
        tag = is_list ? event->data.sequence_start.tag : event->data.mapping_start.tag;
    }
    const char *name = NULL;
    bool fine = check_tag(reader, event, tag) && (node || is_collection);
    if (fine && anchor) {
        name = dft_arena_copy(reader->arena, (const char *)anchor, strlen((const char *)anchor));
        fine = name != NULL;
        if (!fine)
            refuse_memory(reader);
    }
    enum dft_tree_kind kind =
        event->type == YAML_SEQUENCE_START_EVENT ? DFT_TREE_LIST : DFT_TREE_MAP;
    yaml_mark_t mark = event->start_mark;
    yaml_event_delete(event);
    if (fine && is_collection)
        node = read_collection(reader, kind, mark, depth);
    if (!fine || !node || (name && !keep_anchor(reader, name, node)))
        return NULL;
    return node;
}

/* --- the document --- */

static const struct dft_tree_node *read_document(struct reader *reader)
{
    yaml_event_t event;
    const struct dft_tree_node *root;

    if (!next_event(reader, &event))
        return NULL;
    yaml_event_delete(&event); /* the begin of the stream */
    if (!next_event(reader, &event))
        return NULL;
    bool is_empty = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event); /* the begin of the document */
    if (is_empty) {
        dft_message_set(reader->error, 0, 0, "the file has no keys; expected at least one");
        return NULL;
    }
    if (!next_event(reader, &event) || !(root = read_node(reader, &event, 0)) ||
        !next_event(reader, &event))
        return NULL;
    yaml_event_delete(&event); /* the end of the document */
    if (!next_event(reader, &event))
        return NULL;
    bool is_last = event.type == YAML_STREAM_END_EVENT;
    if (!is_last)
        REFUSE(reader, position(event.start_mark),
               "found a second document; expected the end of the file");
    yaml_event_delete(&event);
    return is_last ? root : NULL;
}

const struct dft_tree_node *dft_tree_read(const char *text, size_t length, struct dft_arena *arena,
                                          struct dft_allowlist_error *error)
{
    struct reader reader = {.text = text, .length = length, .arena = arena, .error = error};

    if (!yaml_parser_initialize(&reader.parser)) {
        refuse_memory(&reader);
        return NULL;
    }
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, length);
    const struct dft_tree_node *root = read_document(&reader);
    yaml_parser_delete(&reader.parser);
    return root;
}
