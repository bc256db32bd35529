/*
 * What the files of this folder share. Outside this folder only its unit tests include it.
 *
 * A rule has three forms: the text of its line (parse.c); its *code*, in which escapes are resolved
 * and glob characters are opcodes (glob.c, fold.c, path.c); and its entry in the index that
 * functions are matched against (rules.c builds it, verdict.c uses it).
 */
#ifndef DFT_ALLOWLIST_INTERNAL_H
#define DFT_ALLOWLIST_INTERNAL_H

#include "allowlist.h"
#include "arena.h"
#include "message.h"

#include <stdint.h>

enum {
    DFT_LINE_MAX = 64 * 1024,        /* bytes of one line */
    DFT_CATEGORY_MAX = 64,           /* bytes of one category */
    DFT_MANGLED_MAX = 16 * 1024,     /* a longer linkage name is not demangled */
    DFT_DEMANGLED_MAX = 64 * 1024,   /* nor one that would become longer than this */
    DFT_CODE_MAX = 2 * DFT_LINE_MAX, /* bytes of one code: a class of 4 bytes takes 5 */
};

/* message.c */
/* Bytes of the UTF-8 character at `text`, 0 if it is not well-formed; `point` gets its value. */
size_t dft_utf8_decode(const char *text, size_t length, uint32_t *point);

/*
 * Code: the text of a pattern in which these bytes represent glob characters. They are control
 * characters, which a line cannot contain; every other byte represents itself.
 */
enum dft_code {
    DFT_CODE_STAR = 1,
    DFT_CODE_ANY = 2,
    DFT_CODE_CLASS = 3, /* four bytes follow: its number, six bits in each, the high bit set */
    DFT_CODE_CLASS_SIZE = 5,
};

struct dft_class;

/* A pattern on its way from text to glob; the buffers are used again for the next one. */
struct dft_pattern {
    char *code; /* DFT_CODE_MAX bytes */
    size_t length;
    const struct dft_class **classes;
    size_t class_count;
    size_t class_capacity;
};

/* Why a pattern was rejected: the offset in its text, and the message. */
struct dft_pattern_error {
    size_t offset;
    const char *message;
};

/* 512 bits, one or more of them set for every two neighbouring bytes of a text. */
struct dft_mask {
    uint64_t bits[8];
};

/* The code between two stars. Without opcodes (`characters` is 0) it is plain text. */
struct dft_segment {
    uint32_t offset;
    uint32_t length;
    uint32_t characters;
};

struct dft_glob {
    const char *code;
    const struct dft_class *const *classes;
    const struct dft_segment *segments;
    uint32_t segment_count;  /* stars + 1 */
    uint32_t shortest_match; /* bytes */
};

/* glob.c */
bool dft_pattern_read(struct dft_pattern *pattern, struct dft_arena *arena,
                      enum dft_subject subject, const char *text, size_t length,
                      struct dft_pattern_error *error);
bool dft_pattern_is_glob(const struct dft_pattern *pattern);
/* Length of the class at `text`, which begins with '['; 0 where '[' means itself or is not closed.
 */
size_t dft_pattern_class_length(const char *text, size_t length, size_t at,
                                enum dft_subject subject);
bool dft_glob_build(struct dft_glob *glob, struct dft_arena *arena,
                    const struct dft_pattern *pattern, struct dft_mask *mask);
bool dft_glob_matches(const struct dft_glob *glob, const char *text, size_t length);
void dft_mask_add(struct dft_mask *mask, const char *text, size_t length);

static inline bool dft_mask_covers(const struct dft_mask *outer, const struct dft_mask *inner)
{
    const uint64_t *in = inner->bits, *out = outer->bits;
    return !((in[0] & ~out[0]) | (in[1] & ~out[1]) | (in[2] & ~out[2]) | (in[3] & ~out[3])) &&
           !((in[4] & ~out[4]) | (in[5] & ~out[5]) | (in[6] & ~out[6]) | (in[7] & ~out[7]));
}

/* fold.c: differences of spelling that are ignored, and C++ operator names. */
bool dft_is_word(unsigned char byte);
/* Writes the folded text, never longer than the given one; in place is fine. */
size_t dft_fold(const char *text, size_t length, char *folded);
/* Length of "[abi:TAG]" at `text`, 0 if there is none. */
size_t dft_abi_tag_length(const char *text, size_t length);
/* Whether the word "operator" is at `at`. */
bool dft_is_operator(const char *text, size_t length, size_t at);
/* Length of the operator symbol at `text` ("<=", "()", ...), 0 if there is none. */
size_t dft_operator_length(const char *text, size_t length);

/*
 * path.c
 *
 * Normalizes the code of a src: pattern, as paths are normalized. Returns false if nothing is left
 * of it. `is_absolute` is set if the pattern begins with '/'.
 */
bool dft_path_settle_pattern(struct dft_pattern *pattern, bool *is_absolute);

/* demangle.c: libiberty's demangler, with limits. `parameters`: with the parameter list. */
enum dft_demangle_result { DFT_DEMANGLED, DFT_NOT_MANGLED, DFT_DEMANGLE_NO_MEMORY };
enum dft_demangle_result dft_demangle(const char *mangled, bool parameters, char **text);

/* names.c: the part of a linkage name without marker and clone suffix. */
void dft_linkage_core(const char *linkage, const char **begin, size_t *length);

/* rules.c: the index. Rules are numbered from 1; 0 means none. */
struct dft_effect {
    uint32_t never;    /* last [never] rule */
    uint32_t last;     /* last rule of another section */
    uint32_t category; /* last of those that names a category */
    uint32_t flags;
    struct dft_name_set left_out;
};

struct dft_table_entry {
    const char *key; /* NULL: free */
    uint32_t length;
    uint32_t hash;
    struct dft_effect effect;
};

/* Exact names, open addressing. */
struct dft_table {
    struct dft_table_entry *entries;
    size_t mask; /* of the slot number; the number of slots is a power of two */
    size_t count;
};

struct dft_glob_rule {
    struct dft_glob glob;
    struct dft_effect effect;
    bool is_absolute; /* src: only: the pattern begins with '/' */
    bool is_open;     /* src: only: the pattern as written begins with '*' */
};

/*
 * Globs, and an array of the masks that reject most of them: separate, so that it fits the cache.
 */
struct dft_glob_list {
    struct dft_glob_rule *globs;
    struct dft_mask *masks;
    size_t count;
    size_t capacity;
};

struct dft_allowlist {
    struct dft_arena arena;
    struct dft_rule *rules;
    size_t rule_count;
    size_t rule_capacity;
    struct dft_table tables[DFT_SUBJECTS];
    struct dft_glob_list globs[DFT_SUBJECTS];
    size_t positive[DFT_SUBJECTS];           /* rules outside [never] */
    const char *omissions[DFT_OMISSION_MAX]; /* parameter names that rules omit, by number */
    size_t omission_count;
    uint64_t hash; /* of the text */
};

/* hash.c */
uint64_t dft_list_hash(const char *text, size_t length);
struct dft_allowlist_hash dft_list_hash_text(uint64_t hash);

/* omissions.c: parameters that rules omit. */

/* Where the words `!name` at the end of a rule begin; `length` where there are none. */
size_t dft_omissions_begin(const char *text, size_t length);
/* Where such a word is before the end of a rule; `length`: nowhere. */
size_t dft_omissions_misplaced(const char *text, size_t length);
bool dft_omissions_is_name(const char *name, size_t length);
enum dft_omission_result { DFT_OMISSION_ADDED, DFT_OMISSION_TOO_MANY, DFT_OMISSION_NO_MEMORY };
enum dft_omission_result dft_omissions_add(struct dft_allowlist *list, const char *name,
                                           size_t length, struct dft_name_set *set);

struct dft_allowlist *dft_rules_new(void);
/* Adds a rule, whose strings are in the arena, and its pattern. False if there is no memory. */
bool dft_rules_add(struct dft_allowlist *list, const struct dft_rule *rule,
                   struct dft_pattern *pattern, bool is_absolute, bool is_open);
void dft_effect_merge(struct dft_effect *effect, const struct dft_effect *other);
const struct dft_effect *dft_table_find(const struct dft_table *table, const char *key,
                                        size_t length);

#endif
