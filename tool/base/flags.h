/*
 * Command lines: each command has one table of flags, from which both parsing and --help come.
 *
 * Flags and other words may be mixed; "--" ends the flags. A value is written "--name value" or
 * "--name=value". Every command has --help; it is not in the table.
 */
#ifndef DFT_TOOL_BASE_FLAGS_H
#define DFT_TOOL_BASE_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

struct dft_flag {
    const char *name;  /* "--sort" */
    const char *value; /* "KEY" in the help; NULL for a flag without one */
    const char *help;
};

/* What --help prints. */
struct dft_help {
    const char *command;
    const char *synopsis;
    const char *text;             /* paragraphs below the synopsis */
    const struct dft_flag *flags; /* ends with an entry without a name */
    const char *notes;            /* paragraphs below the flags; may be NULL */
};

enum dft_flag_kind {
    DFT_FLAG_WORD,  /* not a flag; `value` is the word */
    DFT_FLAG_FOUND, /* `index` is its number in the table */
    DFT_FLAG_END,
    DFT_FLAG_HELP,  /* the help has been printed */
    DFT_FLAG_WRONG, /* the message has been printed */
};

/* Set `usage`, `argc` and `argv`, and everything else to zero. */
struct dft_flags {
    const struct dft_help *usage;
    int argc;
    char **argv;
    int at;
    bool only_words;
    size_t index;
    const char *value;
};

enum dft_flag_kind dft_flags_next(struct dft_flags *flags);

/* Prints what is wrong with the command line and where to find help; returns DFT_EXIT_USAGE. */
int dft_flags_refuse(const struct dft_help *usage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
