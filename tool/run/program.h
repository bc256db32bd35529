/*
 * Examines a program file before it is run: can `dftrace run` trace it, and if not, why not?
 */
#ifndef DFT_TOOL_RUN_PROGRAM_H
#define DFT_TOOL_RUN_PROGRAM_H

#include <stdbool.h>

enum dft_program_kind {
    DFT_PROGRAM_FINE,      /* it can be traced */
    DFT_PROGRAM_UNKNOWN,   /* not an ELF file, or a malformed one */
    DFT_PROGRAM_PLAIN,     /* not compiled with the plugin */
    DFT_PROGRAM_HOOKED,    /* compiled with -finstrument-functions: the run's allowlist
                                    decides */
    DFT_PROGRAM_UNMATCHED, /* compiled with the plugin, but no rule matched */
    DFT_PROGRAM_STATIC,    /* static and instrumented: contains the runtime, or cannot be traced */
    DFT_PROGRAM_SETTLED,   /* not position-independent and linked without the runtime */
    DFT_PROGRAM_OTHER_MACHINE, /* 32 bits, or another processor */
    DFT_PROGRAM_PRIVILEGED,    /* set-uid and the like: ignores the environment */
};

/*
 * The kind of the file at `path`; of a script, that of its interpreter. If `changed_allowlist` is
 * not NULL, it is set to the path of an allowlist that has changed since a part of the program was
 * compiled with it (to be freed), or to NULL.
 */
enum dft_program_kind dft_program_inspect(const char *path, char **changed_allowlist);

/* The path at which execvp would find it, to be freed; NULL with errno. */
char *dft_program_find(const char *name);

/* Prints why a program of this kind was not traced, and what to do; nothing for FINE. */
void dft_program_explain(enum dft_program_kind kind, const char *path);

#endif
