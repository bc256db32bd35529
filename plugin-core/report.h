/*
 * The report that the plugins write on request: one JSON line a function, the same from both
 * compilers.
 */
#ifndef DFT_PLUGIN_CORE_REPORT_H
#define DFT_PLUGIN_CORE_REPORT_H

#include "allowlist/allowlist.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dft_report_entry {
    const struct dft_names *names;
    const char *file;
    unsigned line;
    const struct dft_verdict *verdict;
    const char *reason;    /* why a matched function has no hooks; NULL: it has */
    const char *allowlist; /* path as it was given */
    const char *without;   /* parameters that are left out, joined by commas; NULL: none */
};

/* One line with its newline, to be freed; NULL when memory is out. */
char *dft_report_line(const struct dft_report_entry *entry);

/* Appends in one write, so that compilers running side by side do not mix their lines. */
int dft_report_append(const char *path, const char *text, size_t length);

#ifdef __cplusplus
}
#endif
#endif
