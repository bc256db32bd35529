/*
 * The allowlist language: which functions are traced, and how. docs/ALLOWLIST.md is its manual.
 *
 * The only matcher there is: both compiler plugins, the runtime's filter and `dftrace check` call
 * it, so that a rule means the same everywhere. A loaded list is immutable; matching it is safe
 * from several threads. Nothing here prints.
 */
#ifndef DFT_ALLOWLIST_H
#define DFT_ALLOWLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DFT_FILE_MAX (64 * 1024 * 1024) /* bytes of one allowlist */

enum dft_section {
    DFT_SECTION_TRACE,
    DFT_SECTION_NEVER,
    DFT_SECTION_SAMPLE,
    DFT_SECTION_ARGS,
    DFT_SECTION_AGGREGATE
};

enum dft_subject { DFT_SUBJECT_FUNCTION, DFT_SUBJECT_SOURCE };

/* At most so many different names can be left out by one list. */
#define DFT_OMISSION_MAX 256

/* Some of the names that the rules of a list leave out. */
struct dft_name_set {
    uint64_t bits[DFT_OMISSION_MAX / 64];
};

/* One rule as it was written. The strings belong to the list. */
struct dft_rule {
    enum dft_section section;
    enum dft_subject subject;
    bool is_glob;         /* false: an exact name, looked up by hash */
    unsigned line;        /* of the allowlist file, from 1 */
    const char *pattern;  /* without prefix and category, escapes still in it */
    const char *category; /* NULL where the rule names none */
    const char *text;     /* "fun:solver::*=COMPUTE", without comment and surrounding space */
    struct dft_name_set left_out; /* parameters that it says not to record: "!password" */
};

/* Where and why a file was refused. Line and column count from 1; 0 where there is no position. */
struct dft_allowlist_error {
    unsigned line;
    unsigned column;
    char message[256]; /* one line, without file name: "found 'x', expected y" */
};

struct dft_allowlist;

/* On failure returns NULL and fills `error`. */
struct dft_allowlist *dft_allowlist_load(const char *path, struct dft_allowlist_error *error);
/* The same, but only of a regular file, so that it waits for nobody. */
struct dft_allowlist *dft_allowlist_load_regular(const char *path,
                                                 struct dft_allowlist_error *error);
struct dft_allowlist *dft_allowlist_parse(const char *text, size_t length,
                                          struct dft_allowlist_error *error);
/* Rules joined by commas in place of line ends, as DFTRACER_AGGREGATE has them; the error's line is
 * the rule's number. */
struct dft_allowlist *dft_allowlist_parse_joined(const char *text,
                                                 struct dft_allowlist_error *error);
void dft_allowlist_free(struct dft_allowlist *list);

/*
 * A hash of the bytes of a list, as text: which list has shaped an object. Equal lists have equal
 * hashes in every version of dftrace.
 */
struct dft_allowlist_hash {
    char text[17];
};
struct dft_allowlist_hash dft_allowlist_hash(const struct dft_allowlist *list);
/* The same of a regular file that need not be a valid list. False where it cannot be read. */
bool dft_allowlist_hash_file(const char *path, struct dft_allowlist_hash *hash);

size_t dft_allowlist_count(const struct dft_allowlist *list);
const struct dft_rule *dft_allowlist_rule(const struct dft_allowlist *list, size_t index);
const char *dft_section_name(enum dft_section section);

/* Fortran has no mangling that a demangler could know from the symbol alone. */
enum dft_language { DFT_LANGUAGE_C_FAMILY, DFT_LANGUAGE_FORTRAN };

/* A function's names, all derived from its linkage name. Made by dft_names_make. */
struct dft_names {
    char *qualified;     /* ns::f<int>: what a trace shows */
    char *signature;     /* ns::f<int>(int, char const*) */
    char *plain;         /* ns::f: template arguments and ABI tags taken out */
    const char *linkage; /* the caller's */
};

/* Returns false only when memory is out. Free what it made with dft_names_free. */
bool dft_names_make(const char *linkage, enum dft_language language, struct dft_names *names);
void dft_names_free(struct dft_names *names);

/*
 * Whether a symbol is a part of a constructor or destructor that another one calls: a deleting
 * destructor, or the half that complete and base ones share. They are no functions of their own.
 */
bool dft_names_is_half(const char *linkage);

/*
 * Whether the caller's stack has so much room below the calling function. stack.c asks for the
 * thread's own; the runtime, which makes names on another one, has an answer of its own.
 */
bool dft_stack_has(size_t size);

/* "(int, char const*) const" of the signature; empty where the linkage name does not tell. */
const char *dft_names_parameters(const struct dft_names *names);

/* What the list says of one function. */
struct dft_verdict {
    bool traced;
    unsigned flags;       /* enum dftrace_site_flag */
    const char *category; /* never NULL when traced */
    const struct dft_rule
        *rule; /* the rule that decided: also a [never] rule; NULL: none matched */
    struct dft_name_set left_out; /* by any rule that matches: parameters not to be recorded */
};

/*
 * `source` is the path as the compiler was given it, `directory` the absolute directory that a
 * relative one counts from; either may be NULL where it is unknown.
 */
void dft_allowlist_match(const struct dft_allowlist *list, const struct dft_names *names,
                         const char *source, const char *directory, struct dft_verdict *verdict);

/*
 * The same, and sets the bit of every rule that matches, whether it decides or not: bit i % 8 of
 * byte i / 8 for rule i. Several processes may have the bits in common memory. Of several rules
 * with the same exact name, only the last gets its bit.
 */
void dft_allowlist_match_and_note(const struct dft_allowlist *list, const struct dft_names *names,
                                  const char *source, const char *directory,
                                  struct dft_verdict *verdict, uint8_t *matched);

/* A source path in its lexical normal form: without ".", ".." and empty components. */
struct dft_path {
    char *text; /* begins with '/' always; an absolute path if `absolute` */
    size_t length;
    bool absolute;
};

/*
 * A relative `source` counts from `directory`, which may be NULL. `buffer` holds at least
 * strlen(directory) + strlen(source) + 3 bytes.
 */
void dft_path_make(const char *directory, const char *source, char *buffer, struct dft_path *path);

/*
 * Whether the parameter `name` is in a set, of a rule or of a verdict; "return" stands for the
 * return value. One without a name ("") is in every set that has the name of a parameter.
 */
bool dft_allowlist_leaves_out(const struct dft_allowlist *list, const struct dft_name_set *set,
                              const char *name);

/* One name of the set after the other, `*place` being 0 at first; NULL: there are no more. */
const char *dft_allowlist_next_left_out(const struct dft_allowlist *list,
                                        const struct dft_name_set *set, size_t *place);

#ifdef __cplusplus
}
#endif
#endif
