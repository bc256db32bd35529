/*
 * A program file, looked at before it is run: can `dftrace run` trace it, and if not, why not?
 */
#ifndef DFT_TOOL_RUN_PROGRAM_H
#define DFT_TOOL_RUN_PROGRAM_H

#include <stdbool.h>

enum dft_program_kind {
    DFT_PROGRAM_FINE,          /* nothing speaks against it */
    DFT_PROGRAM_UNKNOWN,       /* not an ELF file, or one that makes no sense */
    DFT_PROGRAM_PLAIN,         /* not compiled with the plugin */
    DFT_PROGRAM_HOOKED,        /* compiled with -finstrument-functions: the run's allowlist
                                    decides */
    DFT_PROGRAM_UNMATCHED,     /* compiled with it, but no rule matched */
    DFT_PROGRAM_STATIC,        /* static, instrumented: has the runtime in it, or none */
    DFT_PROGRAM_SETTLED,       /* not position-independent: linked without the runtime for good */
    DFT_PROGRAM_OTHER_MACHINE, /* 32 bits, or another processor */
    DFT_PROGRAM_PRIVILEGED,    /* set-uid and the like: ignores the environment */
};

/*
 * What the file at `path` is. Scripts are what their interpreter is. `changed_allowlist`, unless
 * NULL, gets the path of an allowlist that has changed since a part of the program was compiled by
 * it, to be freed, or NULL.
 */
enum dft_program_kind dft_program_inspect(const char *path, char **changed_allowlist);

/* Where execvp would find it: to be freed; NULL with errno. */
char *dft_program_find(const char *name);

/* Why a program of this kind gave no trace, and what to do. Prints nothing for FINE. */
void dft_program_explain(enum dft_program_kind kind, const char *path);

#endif
