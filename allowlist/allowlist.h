/*
 * The allowlist language: which functions are traced, and how. docs/ALLOWLIST.md is its manual.
 *
 * There is no other matcher: both compiler plugins, the runtime's filter and `dftrace check` call
 * this one, so that a rule means the same everywhere. A loaded list does not change; several
 * threads may match against it at the same time. Nothing here prints.
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

/*
 * The sections of a list: constant, name in brackets, flag of the sites (enum dftrace_site_flag). A
 * new section is one line here; plugins and runtime act on its flag.
 */
#define DFT_SECTIONS(X)                                                                            \
    X(TRACE, "trace", 0)                                                                           \
    X(NEVER, "never", 0)                                                                           \
    X(SAMPLE, "sample", DFTRACE_SITE_SAMPLE)                                                       \
    X(ARGS, "args", DFTRACE_SITE_ARGS)                                                             \
    X(AGGREGATE, "aggregate", DFTRACE_SITE_AGGREGATE)

#define DFT_SECTION_CONSTANT(name, text, flag) DFT_SECTION_##name,
enum dft_section { DFT_SECTIONS(DFT_SECTION_CONSTANT) };
#undef DFT_SECTION_CONSTANT

/*
 * REGION: what a program reports by dftrace.h. IO: a call of libc that is intercepted. FILE: a file
 * of such calls. Rules of these three apply at run time only, and compare names as they are.
 */
enum dft_subject {
    DFT_SUBJECT_FUNCTION,
    DFT_SUBJECT_SOURCE,
    DFT_SUBJECT_REGION,
    DFT_SUBJECT_IO,
    DFT_SUBJECT_FILE,
    DFT_SUBJECTS
};

/* The maximum number of different parameter names that one list can omit. */
#define DFT_OMISSION_MAX 256

/* A subset of the parameter names that the rules of a list omit. */
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
    struct dft_name_set left_out; /* parameters that it omits: "!password" */
};

/* Where and why a file was rejected. Lines and columns start at 1; 0: there is no position. */
struct dft_allowlist_error {
    unsigned line;
    unsigned column;
    char message[256]; /* one line, without file name: "found 'x', expected y" */
};

struct dft_allowlist;

/* On failure returns NULL and fills `error`. */
struct dft_allowlist *dft_allowlist_load(const char *path, struct dft_allowlist_error *error);
/* The same, for regular files only: reading one never blocks. */
struct dft_allowlist *dft_allowlist_load_regular(const char *path,
                                                 struct dft_allowlist_error *error);
struct dft_allowlist *dft_allowlist_parse(const char *text, size_t length,
                                          struct dft_allowlist_error *error);
/* Parses rules that are separated by commas, as in DFTRACER_AGGREGATE. The line of an error is the
 * number of the rule. */
struct dft_allowlist *dft_allowlist_parse_joined(const char *text,
                                                 struct dft_allowlist_error *error);
void dft_allowlist_free(struct dft_allowlist *list);

/*
 * A hash of the bytes of a list, as text. It identifies the list that an object was compiled with:
 * equal lists have equal hashes in every version of dftrace.
 */
struct dft_allowlist_hash {
    char text[17];
};
struct dft_allowlist_hash dft_allowlist_hash(const struct dft_allowlist *list);
/* The same for a regular file, which need not be a valid list. False if it cannot be read. */
bool dft_allowlist_hash_file(const char *path, struct dft_allowlist_hash *hash);

size_t dft_allowlist_count(const struct dft_allowlist *list);
const struct dft_rule *dft_allowlist_rule(const struct dft_allowlist *list, size_t index);
const char *dft_section_name(enum dft_section section);
/* For a list that is a part of another file: the rule is in this line of it. */
void dft_allowlist_set_line(struct dft_allowlist *list, size_t index, unsigned line);

/* A symbol does not tell whether it is one of Fortran; the caller has to know. */
enum dft_language { DFT_LANGUAGE_C_FAMILY, DFT_LANGUAGE_FORTRAN };

/* A function's names, all derived from its linkage name. Made by dft_names_make. */
struct dft_names {
    char *qualified;     /* ns::f<int>: what a trace shows */
    char *signature;     /* ns::f<int>(int, char const*) */
    char *plain;         /* ns::f: without template arguments and ABI tags */
    const char *linkage; /* the caller's */
};

/* Returns false only if there is no memory. Free the result with dft_names_free. */
bool dft_names_make(const char *linkage, enum dft_language language, struct dft_names *names);
void dft_names_free(struct dft_names *names);

/*
 * Whether a symbol is a part of a constructor or destructor that has no counterpart in the source:
 * a deleting destructor, or the body that the complete and the base one share.
 */
bool dft_names_is_half(const char *linkage);

/*
 * Whether the stack of the caller has at least `size` bytes left. stack.c answers for the stack of
 * the thread; the runtime, which makes names on another stack, replaces this function.
 */
bool dft_stack_has(size_t size);

/* "(int, char const*) const": the end of the signature. Empty if the linkage name has none. */
const char *dft_names_parameters(const struct dft_names *names);

/* What the list says about one function. */
struct dft_verdict {
    bool traced;
    unsigned flags;       /* enum dftrace_site_flag */
    const char *category; /* of a function never NULL when traced */
    const struct dft_rule
        *rule; /* the rule that decided: also a [never] rule; NULL: none matched */
    struct dft_name_set left_out; /* parameters that any matching rule omits */
};

/*
 * `source` is the path as it was given to the compiler, `directory` the absolute directory that a
 * relative path starts from. Either may be NULL if it is unknown.
 */
void dft_allowlist_match(const struct dft_allowlist *list, const struct dft_names *names,
                         const char *source, const char *directory, struct dft_verdict *verdict);

/*
 * The same, and sets the bit of every rule that matches, even if another rule decides: bit i % 8 of
 * byte i / 8 for rule i. Several processes may share the bits. If several rules have the same exact
 * name, only the bit of the last one is set.
 */
void dft_allowlist_match_and_mark(const struct dft_allowlist *list, const struct dft_names *names,
                                  const char *source, const char *directory,
                                  struct dft_verdict *verdict, uint8_t *matched);

/*
 * The names of a function of an interpreted language. Unlike dft_names, they are compared as they
 * are: nothing is demangled, and no suffix is removed. Made by dft_guest_names_make.
 */
#define DFT_GUEST_NAMES_MAX 5
#define DFT_GUEST_NAMES_SIZE 2048
struct dft_guest_names {
    size_t count;
    const char *names[DFT_GUEST_NAMES_MAX];
    char room[DFT_GUEST_NAMES_SIZE]; /* for names that are put together */
};

/*
 * From the parts of a name (dftrace/guest.h): the name, the qualified name, that with the module in
 * front, and the last two without "<locals>.". Names that are too long to be put together are left
 * out. `qualified` and `module` may be empty. The parts must remain valid. Does not allocate.
 */
void dft_guest_names_make(struct dft_guest_names *names, const char *name, const char *qualified,
                          const char *module);

/*
 * What the list says about a function with these names. Does not allocate, unless the path of its
 * source is longer than DFT_GUEST_SOURCE_MAX. `matched` may be NULL.
 */
#define DFT_GUEST_SOURCE_MAX 4000
void dft_allowlist_match_guest(const struct dft_allowlist *list,
                               const struct dft_guest_names *names, const char *source,
                               struct dft_verdict *verdict, uint8_t *matched);

/*
 * What the list says about a region, an instant or a counter of the program. If no rule applies to
 * any of them, all are traced; otherwise those that a rule outside [never] matches. The category is
 * NULL if no rule names one. `matched` may be NULL.
 */
void dft_allowlist_match_region(const struct dft_allowlist *list, const char *name,
                                struct dft_verdict *verdict, uint8_t *matched);

/* The same for a call of libc (IO) or a file (FILE). */
void dft_allowlist_match_plain(const struct dft_allowlist *list, enum dft_subject subject,
                               const char *name, struct dft_verdict *verdict, uint8_t *matched);

/* Whether a rule outside [never] is about functions, by name or by source; or about regions. */
bool dft_allowlist_chooses_functions(const struct dft_allowlist *list);
bool dft_allowlist_chooses_regions(const struct dft_allowlist *list);

/* A source path in its lexical normal form: without ".", ".." and empty components. */
struct dft_path {
    char *text; /* always begins with '/', also if it is not `absolute` */
    size_t length;
    bool absolute;
};

/*
 * A relative `source` starts from `directory`, which may be NULL. `buffer` has room for at least
 * strlen(directory) + strlen(source) + 3 bytes.
 */
void dft_path_make(const char *directory, const char *source, char *buffer, struct dft_path *path);

/*
 * Whether the parameter `name` is in a set of a rule or of a verdict; "return" is the return value.
 * A parameter without a name ("") is in every set that names a parameter: it may be the one that
 * the rule means.
 */
bool dft_allowlist_leaves_out(const struct dft_allowlist *list, const struct dft_name_set *set,
                              const char *name);

/* Iterates over the names of the set: `*place` is 0 before the first call; NULL: no more names. */
const char *dft_allowlist_next_left_out(const struct dft_allowlist *list,
                                        const struct dft_name_set *set, size_t *place);

#ifdef __cplusplus
}
#endif
#endif
