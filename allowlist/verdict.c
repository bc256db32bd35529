/*
 * Matches one function against a list: exact names by hash, then the globs whose mask fits the
 * names of the function.
 *
 * Runs on any thread, also on several at the same time: reads the list, and writes only the verdict
 * and the caller's bits.
 */
#include "internal.h"

#include "dftrace/abi.h"

#include <stdlib.h>
#include <string.h>

enum {
    CANDIDATE_MAX = 6,
    BUFFER_SIZE = 4096, /* on the stack; longer names take memory from the heap */
};

struct candidate {
    const char *text;
    size_t length;
};

/* The combined effect of all rules that match. */
struct hits {
    struct dft_effect effect;
    uint8_t *matched; /* the caller's bits of rules; may be NULL */
};

static void mark_rule(uint8_t *matched, uint32_t number)
{
    if (!matched || !number)
        return;
    uint8_t *byte = matched + (number - 1) / 8;
    __atomic_fetch_or(byte, (uint8_t)(1u << (number - 1) % 8), __ATOMIC_RELAXED);
}

static void add_hit(struct hits *hits, const struct dft_effect *effect)
{
    dft_effect_merge(&hits->effect, effect);
    mark_rule(hits->matched, effect->never);
    mark_rule(hits->matched, effect->last);
}

/* The names of one function that rules may match. */
struct candidates {
    struct candidate items[CANDIDATE_MAX];
    size_t count;
};

static void add_candidate(struct candidates *candidates, const char *text, size_t length)
{
    if (length == 0)
        return;
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->items[i].length == length &&
            memcmp(candidates->items[i].text, text, length) == 0)
            return;
    candidates->items[candidates->count++] = (struct candidate){text, length};
}

/* Whether a candidate is a prefix of another one ("ns::f" of "ns::f(int)"): it adds nothing to the
 * mask. */
static bool is_beginning(const struct candidates *candidates, size_t index)
{
    const struct candidate *part = &candidates->items[index];
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->items[i].length > part->length &&
            memcmp(candidates->items[i].text, part->text, part->length) == 0)
            return true;
    return false;
}

/* Length of the signature "f(int)const&&" without the qualifiers after its parameter list. */
static size_t without_qualifiers(const char *text, size_t length)
{
    static const char *const qualifiers[] = {"const", "volatile", "&", " "};
    for (size_t i = 0; i < sizeof qualifiers / sizeof qualifiers[0];) {
        size_t size = strlen(qualifiers[i]);
        if (length > size && memcmp(text + length - size, qualifiers[i], size) == 0) {
            length -= size;
            i = 0;
        } else {
            i++;
        }
    }
    return length > 0 && text[length - 1] == ')' ? length : 0;
}

/* The folded name. If folding changes it, it is stored at `*room`, which is advanced. */
static struct candidate fold_name(const char *name, char **room)
{
    struct candidate folded = {name, strlen(name)};
    if (!*room || name[strcspn(name, " \t[")] == '\0')
        return folded;
    folded.length = dft_fold(name, folded.length, *room);
    folded.text = *room;
    *room += folded.length;
    return folded;
}

/* If there is no memory for folding (`room` is NULL), names are used as they are. */
static void collect_names(struct candidates *candidates, const struct dft_names *names, char *room)
{
    struct candidate name;
    if (names->qualified) {
        name = fold_name(names->qualified, &room);
        add_candidate(candidates, name.text, name.length);
    }
    if (names->signature) {
        name = fold_name(names->signature, &room);
        add_candidate(candidates, name.text, name.length);
        add_candidate(candidates, name.text, without_qualifiers(name.text, name.length));
    }
    if (names->plain) {
        name = fold_name(names->plain, &room);
        add_candidate(candidates, name.text, name.length);
    }
    if (names->linkage) {
        add_candidate(candidates, names->linkage, strlen(names->linkage));
        dft_linkage_core(names->linkage, &name.text, &name.length);
        add_candidate(candidates, name.text, name.length);
    }
}

static void look_up(const struct dft_table *table, const char *text, size_t length,
                    struct hits *hits)
{
    const struct dft_effect *found = dft_table_find(table, text, length);
    if (found)
        add_hit(hits, found);
}

static size_t text_length(const char *text)
{
    return text ? strlen(text) : 0;
}

/* Matches all names of one function: a rule that matches several of them counts once. */
static void match_candidates(const struct dft_allowlist *list, const struct candidates *candidates,
                             struct hits *hits)
{
    const struct dft_table *table = &list->tables[DFT_SUBJECT_FUNCTION];
    const struct dft_glob_list *globs = &list->globs[DFT_SUBJECT_FUNCTION];
    struct dft_mask mask = {{0}};
    for (size_t i = 0; i < candidates->count; i++) {
        look_up(table, candidates->items[i].text, candidates->items[i].length, hits);
        if (globs->count && !is_beginning(candidates, i))
            dft_mask_add(&mask, candidates->items[i].text, candidates->items[i].length);
    }
    for (size_t i = 0; i < globs->count; i++) {
        if (!dft_mask_covers(&mask, &globs->masks[i]))
            continue;
        bool is_match = false;
        for (size_t j = 0; j < candidates->count && !is_match; j++)
            is_match = dft_glob_matches(&globs->globs[i].glob, candidates->items[j].text,
                                        candidates->items[j].length);
        if (is_match)
            add_hit(hits, &globs->globs[i].effect);
    }
}

/* Whether a rule is about functions. */
static bool has_functions(const struct dft_allowlist *list)
{
    return list->tables[DFT_SUBJECT_FUNCTION].count || list->globs[DFT_SUBJECT_FUNCTION].count;
}

static void match_names(const struct dft_allowlist *list, const struct dft_names *names,
                        struct hits *hits)
{
    struct candidates candidates = {.count = 0};
    char buffer[BUFFER_SIZE];
    char *heap = NULL;
    size_t size =
        text_length(names->qualified) + text_length(names->signature) + text_length(names->plain);
    if (!has_functions(list))
        return;
    if (size > sizeof buffer)
        heap = malloc(size);
    collect_names(&candidates, names, size > sizeof buffer ? heap : buffer);
    match_candidates(list, &candidates, hits);
    free(heap);
}

/* Rules are folded, so the names must be, too, unless they are too long for the buffer. */
static void match_guest_names(const struct dft_allowlist *list, const struct dft_guest_names *names,
                              struct hits *hits)
{
    struct candidates candidates = {.count = 0};
    char buffer[BUFFER_SIZE];
    char *room = buffer;
    size_t size = 0;
    if (!has_functions(list))
        return;
    for (size_t i = 0; i < names->count; i++)
        size += strlen(names->names[i]);
    if (size > sizeof buffer)
        room = NULL;
    for (size_t i = 0; i < names->count && i < CANDIDATE_MAX; i++) {
        struct candidate name = fold_name(names->names[i], &room);
        add_candidate(&candidates, name.text, name.length);
    }
    match_candidates(list, &candidates, hits);
}

static bool source_matches(const struct dft_glob_rule *rule, const struct dft_path *path,
                           const char *given, size_t given_length)
{
    if ((!rule->is_absolute || path->absolute) &&
        dft_glob_matches(&rule->glob, path->text, path->length))
        return true;
    return (rule->is_absolute || rule->is_open) &&
           dft_glob_matches(&rule->glob, given, given_length);
}

static void match_path(const struct dft_allowlist *list, const struct dft_path *path,
                       const char *given, struct hits *hits)
{
    const struct dft_table *table = &list->tables[DFT_SUBJECT_SOURCE];
    const struct dft_glob_list *globs = &list->globs[DFT_SUBJECT_SOURCE];
    size_t given_length = strlen(given);
    struct dft_mask mask = {{0}};
    if (table->count) {
        if (path->absolute)
            look_up(table, path->text, path->length, hits);
        if (given[0] == '/')
            look_up(table, given, given_length, hits);
        for (size_t i = 0; i < path->length; i++)
            if (path->text[i] == '/')
                look_up(table, path->text + i + 1, path->length - i - 1, hits);
    }
    dft_mask_add(&mask, path->text, path->length);
    dft_mask_add(&mask, given, given_length);
    for (size_t i = 0; i < globs->count; i++)
        if (dft_mask_covers(&mask, &globs->masks[i]) &&
            source_matches(&globs->globs[i], path, given, given_length))
            add_hit(hits, &globs->globs[i].effect);
}

static void match_source(const struct dft_allowlist *list, const char *source,
                         const char *directory, struct hits *hits)
{
    if (!list->tables[DFT_SUBJECT_SOURCE].count && !list->globs[DFT_SUBJECT_SOURCE].count)
        return;
    char buffer[BUFFER_SIZE];
    char *heap = NULL;
    size_t size = text_length(directory) + strlen(source) + 3;
    if (size > sizeof buffer)
        heap = malloc(size);
    struct dft_path path = {.text = (char *)source, .length = strlen(source)};
    if (size <= sizeof buffer)
        dft_path_make(directory, source, buffer, &path);
    else if (heap)
        dft_path_make(directory, source, heap, &path);
    else
        path.absolute = source[0] == '/';
    match_path(list, &path, source, hits);
    free(heap);
}

/* The verdict on what these rules apply to; `is_default`: whether it is traced if no rule matches. */
static void decide(const struct dft_allowlist *list, const struct hits *hits, bool is_default,
                   struct dft_verdict *verdict)
{
    const struct dft_effect *effect = &hits->effect;
    verdict->traced = is_default;
    if (effect->never) {
        verdict->rule = &list->rules[effect->never - 1];
        verdict->traced = false;
    } else if (effect->last) {
        uint32_t deciding = effect->category ? effect->category : effect->last;
        verdict->traced = true;
        verdict->flags = effect->flags;
        verdict->left_out = effect->left_out;
        verdict->rule = &list->rules[deciding - 1];
        verdict->category = effect->category ? verdict->rule->category : NULL;
    }
}

/* The verdict on a function. */
static void decide_function(const struct dft_allowlist *list, const struct hits *hits,
                            struct dft_verdict *verdict)
{
    decide(list, hits, false, verdict);
    if (verdict->traced && !verdict->category)
        verdict->category = DFTRACE_DEFAULT_CATEGORY;
}

void dft_allowlist_match_and_mark(const struct dft_allowlist *list, const struct dft_names *names,
                                  const char *source, const char *directory,
                                  struct dft_verdict *verdict, uint8_t *matched)
{
    struct hits hits = {0};
    hits.matched = matched;
    memset(verdict, 0, sizeof *verdict);
    if (names)
        match_names(list, names, &hits);
    if (source && source[0])
        match_source(list, source, directory, &hits);
    decide_function(list, &hits, verdict);
}

void dft_allowlist_match_guest(const struct dft_allowlist *list,
                               const struct dft_guest_names *names, const char *source,
                               struct dft_verdict *verdict, uint8_t *matched)
{
    struct hits hits = {0};
    hits.matched = matched;
    memset(verdict, 0, sizeof *verdict);
    match_guest_names(list, names, &hits);
    if (source && source[0])
        match_source(list, source, NULL, &hits);
    decide_function(list, &hits, verdict);
}

void dft_allowlist_match_plain(const struct dft_allowlist *list, enum dft_subject subject,
                               const char *name, struct dft_verdict *verdict, uint8_t *matched)
{
    const struct dft_glob_list *globs = &list->globs[subject];
    struct hits hits = {0};
    size_t length = strlen(name);

    hits.matched = matched;
    memset(verdict, 0, sizeof *verdict);
    look_up(&list->tables[subject], name, length, &hits);
    for (size_t i = 0; i < globs->count; i++)
        if (dft_glob_matches(&globs->globs[i].glob, name, length))
            add_hit(&hits, &globs->globs[i].effect);
    decide(list, &hits, list->positive[subject] == 0, verdict);
}

void dft_allowlist_match_region(const struct dft_allowlist *list, const char *name,
                                struct dft_verdict *verdict, uint8_t *matched)
{
    dft_allowlist_match_plain(list, DFT_SUBJECT_REGION, name, verdict, matched);
}

void dft_allowlist_match(const struct dft_allowlist *list, const struct dft_names *names,
                         const char *source, const char *directory, struct dft_verdict *verdict)
{
    dft_allowlist_match_and_mark(list, names, source, directory, verdict, NULL);
}
