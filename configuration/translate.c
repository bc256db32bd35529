/*
 * Translates the tree of a configuration file into options and rules. The first error ends the
 * translation; nothing is skipped. Any thread.
 */
#include "configuration/configuration.h"

#include "allowlist/message.h"
#include "configuration/keys.h"
#include "configuration/rules.h"
#include "configuration/tree.h"
#include "runtime/base/option_values.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PATH_MAX_LENGTH 128 /* longer paths are unknown keys */

struct translation {
    struct dft_configuration *configuration;
    struct dft_allowlist_error *error;
    struct dft_options options; /* only to check values */
    struct dft_rules_text rules;
    const struct dft_tree_node *functions; /* the value of `functions` */
    const struct dft_tree_node *sections;  /* the first key of a section at the top */
};

#define REFUSE(translation, at, ...)                                                               \
    (dft_message_set((translation)->error, (at).line, (at).column, __VA_ARGS__), false)

static bool refuse_memory(struct translation *translation)
{
    dft_message_set(translation->error, 0, 0, "out of memory while reading the configuration file");
    return false;
}

static const char *name_kind(const struct dft_tree_node *node)
{
    return node->kind == DFT_TREE_MAP    ? "a map"
           : node->kind == DFT_TREE_LIST ? "a list"
                                         : "a value";
}

/* "key:", "key: ~" and "key: null" are as if the key were not there. */
static bool is_null(const struct dft_tree_node *node)
{
    return node->kind == DFT_TREE_SCALAR && node->is_plain &&
           (node->length == 0 || strcmp(node->text, "~") == 0 ||
            strcasecmp(node->text, "null") == 0);
}

#define SECTION(constant, text, flag) text,
static const char *const section_names[] = {DFT_SECTIONS(SECTION)};
#undef SECTION

enum { SECTION_COUNT = sizeof section_names / sizeof *section_names };

static bool find_section(const char *name, enum dft_section *section)
{
    for (size_t i = 0; i < SECTION_COUNT; i++)
        if (strcmp(section_names[i], name) == 0) {
            *section = (enum dft_section)i;
            return true;
        }
    return false;
}

/* --- options --- */

/* The scalars of a list with `joint` between them; NULL after a message. */
static const char *join(struct translation *translation, const char *path,
                        const struct dft_tree_node *list, char joint)
{
    size_t size = 1;
    char *text, *at;

    for (const struct dft_tree_entry *entry = list->entries; entry; entry = entry->next) {
        if (entry->value->kind != DFT_TREE_SCALAR) {
            (void)REFUSE(translation, entry->value->at, "%s: found %s; expected a value", path,
                         name_kind(entry->value));
            return NULL;
        }
        size += entry->value->length + 1;
    }
    text = at = dft_arena_take(&translation->configuration->arena, size);
    if (!text) {
        refuse_memory(translation);
        return NULL;
    }
    for (const struct dft_tree_entry *entry = list->entries; entry; entry = entry->next) {
        memcpy(at, entry->value->text, entry->value->length);
        at += entry->value->length;
        if (entry->next)
            *at++ = joint;
    }
    *at = '\0';
    return text;
}

/* The text of a value; NULL after a message. */
static const char *value_text(struct translation *translation, const char *path, char joint,
                              const struct dft_tree_node *node)
{
    if (node->kind == DFT_TREE_LIST && joint)
        return join(translation, path, node, joint);
    if (node->kind == DFT_TREE_SCALAR)
        return node->text;
    enum dft_section section;
    (void)REFUSE(translation, node->at, "%s: found %s; expected a value%s", path, name_kind(node),
                 joint                          ? " or a list of values"
                 : find_section(path, &section) ? " or a list of rules"
                                                : "");
    return NULL;
}

static bool check_patterns(struct translation *translation, const char *path,
                           struct dft_configuration_position at)
{
    const char *patterns = translation->options.aggregate.patterns;
    struct dft_allowlist_error error;

    if (!patterns)
        return true;
    struct dft_allowlist *list = dft_allowlist_parse_joined(patterns, &error);
    if (!list)
        return REFUSE(translation, at,
                      "%s: expected none, all, or patterns of functions: in pattern %u, %s", path,
                      error.line, error.message);
    dft_allowlist_free(list);
    return true;
}

/* Two keys may mean the same option (profiler: and tracer:) if they agree. */
static bool add_setting(struct translation *translation,
                        const struct dft_configuration_setting *setting)
{
    struct dft_configuration *configuration = translation->configuration;
    const struct dft_configuration_setting *before =
        dft_configuration_find(configuration, setting->name);

    if (before && strcmp(before->value, setting->value) != 0)
        return REFUSE(translation, setting->at,
                      "%s contradicts %s in line %u, column %u: both set DFTRACER_%s", setting->key,
                      before->key, before->at.line, before->at.column, setting->name);
    if (!before)
        configuration->settings[configuration->count++] = *setting;
    return true;
}

static bool set_option(struct translation *translation, const char *path, const char *variable,
                       const struct dft_key *key, const struct dft_tree_node *node)
{
    struct dft_arena *arena = &translation->configuration->arena;
    struct dft_configuration_setting setting = {
        .name = variable,
        .key = dft_arena_copy(arena, path, strlen(path)),
        .at = node->at,
        .ignored = !dft_key_has_effect(variable),
    };
    char joint = key ? key->joint : strcmp(variable, "AGGREGATE") == 0 ? ',' : '\0';
    struct dft_option_problem problem;
    bool truth = false;

    if (!setting.key)
        return refuse_memory(translation);
    if (is_null(node))
        return true;
    setting.value = value_text(translation, path, joint, node);
    if (!setting.value)
        return false;
    if (strpbrk(setting.value, "\n\r"))
        return REFUSE(translation, node->at, "%s: found a value of several lines; expected one",
                      path);
    if (key && key->form == DFT_KEY_OPPOSITE) {
        if (dft_option_parse_BOOL(setting.value, &truth))
            return REFUSE(translation, node->at, "%s: '%s': expected true or false", path,
                          dft_message_quote(setting.value, strlen(setting.value)).text);
        setting.value = truth ? "0" : "1";
    }
    if (!dft_option_set(&translation->options, variable, strlen(variable), setting.value, &problem))
        return REFUSE(translation, node->at, "%s: '%s': expected %s", path,
                      dft_message_quote(setting.value, strlen(setting.value)).text,
                      problem.expected);
    if (strcmp(variable, "AGGREGATE") == 0 && !check_patterns(translation, path, node->at))
        return false;
    if (key && key->granted && strcasecmp(setting.value, key->granted) != 0 &&
        (dft_option_parse_BOOL(setting.value, &truth) || truth != (*key->granted == '1')))
        setting.warning = key->missing;
    return add_setting(translation, &setting);
}

/* --- rules --- */

static bool add_rules(struct translation *translation, const char *path, enum dft_section section,
                      const struct dft_tree_node *node)
{
    if (node->kind != DFT_TREE_LIST)
        return REFUSE(translation, node->at, "%s: found %s; expected a list of rules", path,
                      name_kind(node));
    return dft_rules_text_add(&translation->rules, section, node);
}

static bool refuse_section(struct translation *translation, const struct dft_tree_node *key)
{
    const char *nearest = dft_message_nearest(key->text, key->length, section_names, SECTION_COUNT);

    return REFUSE(translation, key->at,
                  "unknown section '%s'; expected trace, never, sample, args or aggregate%s%s%s",
                  dft_message_quote(key->text, key->length).text, nearest ? " (did you mean " : "",
                  nearest ? nearest : "", nearest ? "?)" : "");
}

static bool read_functions(struct translation *translation, const struct dft_tree_node *node)
{
    enum dft_section section;

    if (is_null(node))
        return true;
    translation->functions = node;
    if (node->kind == DFT_TREE_SCALAR)
        return REFUSE(translation, node->at,
                      "functions: found a value; expected a list of rules, or a map of sections "
                      "(`allowlist:` names a file of rules)");
    if (node->kind == DFT_TREE_LIST)
        return add_rules(translation, "functions", DFT_SECTION_TRACE, node);
    for (const struct dft_tree_entry *entry = node->entries; entry; entry = entry->next) {
        if (!find_section(entry->key->text, &section))
            return refuse_section(translation, entry->key);
        if (!is_null(entry->value) &&
            !add_rules(translation, entry->key->text, section, entry->value))
            return false;
    }
    return true;
}

/* --- keys --- */

static bool read_map(struct translation *translation, const char *group,
                     const struct dft_tree_node *node);

static bool refuse_key(struct translation *translation, const char *group, bool with_options,
                       const struct dft_tree_node *key)
{
    const char *nearest =
        dft_key_suggest(group, key->text, with_options, &translation->configuration->arena);
    bool is_private;
    const char *advice = "";

    if (nearest)
        advice = "'?";
    else if (with_options)
        advice = "; `dftrace options` lists the options";
    else if (dft_key_find_option(key->text, &is_private))
        advice = "; options are keys at the top, or below `options`";
    return REFUSE(translation, key->at, "unknown key '%s'%s%s%s%s%s",
                  dft_message_quote(key->text, key->length).text, *group ? " in " : "", group,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", advice);
}

static bool read_option(struct translation *translation, const char *group,
                        const struct dft_tree_entry *entry)
{
    bool is_private;
    const char *variable = dft_key_find_option(entry->key->text, &is_private);

    if (!variable)
        return refuse_key(translation, group, true, entry->key);
    if (is_private)
        return REFUSE(translation, entry->key->at, "'%s' cannot be set in a file",
                      dft_message_quote(entry->key->text, entry->key->length).text);
    return set_option(translation, entry->key->text, variable, NULL, entry->value);
}

static bool read_options(struct translation *translation, const struct dft_tree_node *node)
{
    if (is_null(node))
        return true;
    if (node->kind != DFT_TREE_MAP)
        return REFUSE(translation, node->at, "options: found %s; expected a map of options",
                      name_kind(node));
    for (const struct dft_tree_entry *entry = node->entries; entry; entry = entry->next)
        if (!read_option(translation, "options", entry))
            return false;
    return true;
}

/* A key that only stands at the top: one of ours, or an option. */
static bool read_own_key(struct translation *translation, const struct dft_tree_entry *entry)
{
    const char *name = entry->key->text;
    const struct dft_tree_node *value = entry->value;
    bool ignored;
    enum dft_section section;

    if (strcmp(name, "functions") == 0)
        return read_functions(translation, value);
    if (strcmp(name, "options") == 0)
        return read_options(translation, value);
    /* `sample` and `aggregate` are options too, whose values are no lists. */
    if (find_section(name, &section) && section != DFT_SECTION_TRACE &&
        (value->kind == DFT_TREE_LIST || !dft_key_find_option(name, &ignored))) {
        if (is_null(value))
            return true;
        if (!translation->sections)
            translation->sections = entry->key;
        return add_rules(translation, name, section, value);
    }
    return read_option(translation, "", entry);
}

static bool read_key(struct translation *translation, const char *group,
                     const struct dft_tree_entry *entry)
{
    char path[PATH_MAX_LENGTH];
    int length = snprintf(path, sizeof path, "%s%s%s", group, *group ? "." : "", entry->key->text);

    if (length > 0 && (size_t)length < sizeof path) {
        const struct dft_key *key = dft_key_find(path);
        if (key && key->form == DFT_KEY_NOTHING)
            return value_text(translation, path, '\0', entry->value) != NULL;
        if (key)
            return set_option(translation, path, key->variable, key, entry->value);
        if (dft_key_is_group(path))
            return read_map(translation, path, entry->value);
    }
    return *group ? refuse_key(translation, group, false, entry->key)
                  : read_own_key(translation, entry);
}

static bool read_map(struct translation *translation, const char *group,
                     const struct dft_tree_node *node)
{
    if (*group && is_null(node))
        return true;
    if (node->kind != DFT_TREE_MAP)
        return REFUSE(translation, node->at, "%s%sfound %s; expected a map of keys", group,
                      *group ? ": " : "", name_kind(node));
    for (const struct dft_tree_entry *entry = node->entries; entry; entry = entry->next)
        if (!read_key(translation, group, entry))
            return false;
    return true;
}

/* --- the whole file --- */

/* Sections without `functions:` change how some functions are traced, not which ones are. */
static bool complete_rules(struct translation *translation)
{
    struct dft_configuration *configuration = translation->configuration;
    struct dft_rules_text *rules = &translation->rules;

    if (!translation->functions && !translation->sections)
        return true;
    if (!translation->functions && !dft_rules_text_imply(rules, "*", translation->sections->at))
        return false;
    if (rules->line_count == 0)
        return REFUSE(translation, translation->functions->at,
                      "functions: found no rule; expected at least one");
    const struct dft_configuration_setting *file =
        dft_configuration_find(configuration, "ALLOWLIST");
    if (file && *file->value)
        return REFUSE(translation, file->at,
                      "%s names a file of rules, and line %u has rules as well; expected one of "
                      "them",
                      file->key, rules->lines[0].line);
    if (!dft_rules_text_check(rules))
        return false;
    configuration->lines = dft_rules_text_lines(rules);
    if (!configuration->lines)
        return refuse_memory(translation);
    configuration->rules = rules->text;
    configuration->rules_length = rules->length;
    rules->text = NULL;
    return true;
}

/* Libyaml's columns count characters. */
static unsigned count_bytes(const char *text, size_t length, unsigned line, unsigned column)
{
    const char *end = text + length;
    unsigned bytes = 0;

    while (line > 1 && text && (text = memchr(text, '\n', (size_t)(end - text)))) {
        text++;
        line--;
    }
    column--;
    for (; text && text + bytes < end && text[bytes] != '\n'; bytes++)
        if ((text[bytes] & 0xc0) != 0x80 && column-- == 0)
            return bytes + 1;
    return bytes + column + 1;
}

bool dft_configuration_parse(const char *text, size_t length,
                             struct dft_configuration *configuration,
                             struct dft_allowlist_error *error)
{
    struct translation translation = {
        .configuration = configuration, .error = error, .rules = {.error = error}};

    static const char byte_order_mark[] = "\xef\xbb\xbf";
    const size_t mark_size = sizeof byte_order_mark - 1;

    *configuration = (struct dft_configuration){0};
    dft_option_set_defaults(&translation.options);
    if (length >= mark_size && memcmp(text, byte_order_mark, mark_size) == 0) {
        text += mark_size;
        length -= mark_size;
    }
    const struct dft_tree_node *root = dft_tree_read(text, length, &configuration->arena, error);
    bool done = root && read_map(&translation, "", root) && complete_rules(&translation);
    dft_rules_text_free(&translation.rules);
    if (!done && error && error->line)
        error->column = count_bytes(text, length, error->line, error->column);
    for (size_t i = 0; i < configuration->count; i++) {
        struct dft_configuration_position *at = &configuration->settings[i].at;
        at->column = count_bytes(text, length, at->line, at->column);
    }
    if (!done)
        dft_configuration_free(configuration);
    return done;
}
