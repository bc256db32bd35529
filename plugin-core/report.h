/*
 * The report that the plugins write on request (-fplugin-arg-dftrace-report=FILE): one line of JSON
 * for each function, the same from both compilers.
 */
#ifndef DFT_PLUGIN_CORE_REPORT_H
#define DFT_PLUGIN_CORE_REPORT_H

#include "allowlist/allowlist.h"
#include "plugin-core/skip.h"
#include "plugin-core/string.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dft_report_entry {
    const struct dft_names *names;
    const char *file;
    unsigned line;
    const struct dft_verdict *verdict;
    enum dft_skip skip;    /* why a function that a rule matches has no hooks */
    const char *allowlist; /* path as it was given */
    const char *omitted;   /* parameters that a rule omits, joined by commas */
};

/* Appends one line, with its newline. */
void dft_report_add(struct dft_string *report, const struct dft_report_entry *entry);

/*
 * Appends the report to the file in one write, so that compilers that run at the same time do not
 * mix their lines. Returns 0 or a negative errno value.
 */
int dft_report_write(const char *path, const struct dft_string *report);

#ifdef __cplusplus
}
#endif
#endif
