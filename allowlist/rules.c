/*
 * The rules of a list and the index over them.
 *
 * Exact names are in a hash table: one entry per name, with the combined effect of all rules that
 * have this name. All other patterns are globs with a mask. The thread that loads the list builds
 * the index; it never changes afterwards.
 */
#include "internal.h"

#include "dftrace/abi.h"

#include <stdlib.h>
#include <string.h>

struct dft_allowlist *dft_rules_new(void)
{
    return calloc(1, sizeof(struct dft_allowlist));
}

void dft_allowlist_free(struct dft_allowlist *list)
{
    if (!list)
        return;
    for (int subject = 0; subject < DFT_SUBJECTS; subject++) {
        free(list->tables[subject].entries);
        free(list->globs[subject].globs);
        free(list->globs[subject].masks);
    }
    free(list->rules);
    dft_arena_free(&list->arena);
    free(list);
}

size_t dft_allowlist_count(const struct dft_allowlist *list)
{
    return list->rule_count;
}

const struct dft_rule *dft_allowlist_rule(const struct dft_allowlist *list, size_t index)
{
    return index < list->rule_count ? &list->rules[index] : NULL;
}

bool dft_allowlist_chooses_functions(const struct dft_allowlist *list)
{
    return list->positive[DFT_SUBJECT_FUNCTION] || list->positive[DFT_SUBJECT_SOURCE];
}

bool dft_allowlist_chooses_regions(const struct dft_allowlist *list)
{
    return list->positive[DFT_SUBJECT_REGION] != 0;
}

void dft_allowlist_set_line(struct dft_allowlist *list, size_t index, unsigned line)
{
    list->rules[index].line = line;
}

void dft_effect_merge(struct dft_effect *effect, const struct dft_effect *other)
{
    if (other->never > effect->never)
        effect->never = other->never;
    if (other->last > effect->last)
        effect->last = other->last;
    if (other->category > effect->category)
        effect->category = other->category;
    effect->flags |= other->flags;
    for (size_t i = 0; i < sizeof effect->left_out.bits / sizeof effect->left_out.bits[0]; i++)
        effect->left_out.bits[i] |= other->left_out.bits[i];
}

#define SECTION_FLAG(name, text, flag) flag,
static const uint32_t section_flags[] = {DFT_SECTIONS(SECTION_FLAG)};
#undef SECTION_FLAG

static struct dft_effect rule_effect(const struct dft_rule *rule, uint32_t number)
{
    struct dft_effect effect = {0};
    if (rule->section == DFT_SECTION_NEVER) {
        effect.never = number;
        return effect;
    }
    effect.last = number;
    effect.category = rule->category ? number : 0;
    effect.flags = section_flags[rule->section];
    effect.left_out = rule->left_out;
    return effect;
}

static uint32_t hash_text(const char *text, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u;
    while (length >= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, text, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
        text += sizeof word;
        length -= sizeof word;
    }
    while (length--)
        hash = (hash ^ (unsigned char)*text++) * 0x100000001b3u;
    return (uint32_t)(hash ^ hash >> 32);
}

/* The entry of `key`, or the free one where it belongs. */
static struct dft_table_entry *find_entry(const struct dft_table *table, const char *key,
                                          size_t length, uint32_t hash)
{
    size_t slot = hash & table->mask;
    for (;;) {
        struct dft_table_entry *entry = &table->entries[slot];
        if (!entry->key || (entry->hash == hash && entry->length == length &&
                            memcmp(entry->key, key, length) == 0))
            return entry;
        slot = (slot + 1) & table->mask;
    }
}

const struct dft_effect *dft_table_find(const struct dft_table *table, const char *key,
                                        size_t length)
{
    if (!table->count)
        return NULL;
    const struct dft_table_entry *entry = find_entry(table, key, length, hash_text(key, length));
    return entry->key ? &entry->effect : NULL;
}

static bool grow_table(struct dft_table *table)
{
    struct dft_table grown = *table;
    size_t slots = table->entries ? 2 * (table->mask + 1) : 64;
    grown.entries = calloc(slots, sizeof grown.entries[0]);
    if (!grown.entries)
        return false;
    grown.mask = slots - 1;
    for (size_t i = 0; table->entries && i <= table->mask; i++) {
        const struct dft_table_entry *entry = &table->entries[i];
        if (entry->key)
            *find_entry(&grown, entry->key, entry->length, entry->hash) = *entry;
    }
    free(table->entries);
    *table = grown;
    return true;
}

static bool add_name(struct dft_allowlist *list, enum dft_subject subject,
                     const struct dft_pattern *pattern, const struct dft_effect *effect)
{
    struct dft_table *table = &list->tables[subject];
    if ((!table->entries || table->count >= (table->mask + 1) / 2) && !grow_table(table))
        return false;
    uint32_t hash = hash_text(pattern->code, pattern->length);
    struct dft_table_entry *entry = find_entry(table, pattern->code, pattern->length, hash);
    if (!entry->key) {
        entry->key = dft_arena_copy(&list->arena, pattern->code, pattern->length);
        if (!entry->key)
            return false;
        entry->length = (uint32_t)pattern->length;
        entry->hash = hash;
        table->count++;
    }
    dft_effect_merge(&entry->effect, effect);
    return true;
}

static bool add_glob(struct dft_allowlist *list, enum dft_subject subject,
                     const struct dft_pattern *pattern, const struct dft_effect *effect,
                     bool is_absolute, bool is_open)
{
    struct dft_glob_list *globs = &list->globs[subject];
    if (globs->count == globs->capacity) {
        size_t capacity = globs->capacity ? 2 * globs->capacity : 64;
        void *grown = realloc(globs->globs, capacity * sizeof globs->globs[0]);
        if (!grown)
            return false;
        globs->globs = grown;
        grown = realloc(globs->masks, capacity * sizeof globs->masks[0]);
        if (!grown)
            return false;
        globs->masks = grown;
        globs->capacity = capacity;
    }
    struct dft_glob_rule *glob = &globs->globs[globs->count];
    glob->effect = *effect;
    glob->is_absolute = is_absolute;
    glob->is_open = is_open;
    if (!dft_glob_build(&glob->glob, &list->arena, pattern, &globs->masks[globs->count]))
        return false;
    globs->count++;
    return true;
}

bool dft_rules_add(struct dft_allowlist *list, const struct dft_rule *rule,
                   struct dft_pattern *pattern, bool is_absolute, bool is_open)
{
    if (list->rule_count == list->rule_capacity) {
        size_t capacity = list->rule_capacity ? 2 * list->rule_capacity : 64;
        void *grown = realloc(list->rules, capacity * sizeof list->rules[0]);
        if (!grown)
            return false;
        list->rules = grown;
        list->rule_capacity = capacity;
    }
    struct dft_effect effect = rule_effect(rule, (uint32_t)list->rule_count + 1);
    if (rule->is_glob ? !add_glob(list, rule->subject, pattern, &effect, is_absolute, is_open)
                      : !add_name(list, rule->subject, pattern, &effect))
        return false;
    list->rules[list->rule_count++] = *rule;
    list->positive[rule->subject] += rule->section != DFT_SECTION_NEVER;
    return true;
}
