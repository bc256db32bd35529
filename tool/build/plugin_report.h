/*
 * Adds up by rule the reports that the compiler plugins write (-fplugin-arg-dftrace-report=FILE).
 */
#ifndef DFT_TOOL_BUILD_PLUGIN_REPORT_H
#define DFT_TOOL_BUILD_PLUGIN_REPORT_H

#include "allowlist/allowlist.h"
#include "tool/base/text.h"

/* A function that matches a rule but is not instrumented. */
struct dft_left_out {
    char *function;
    char *place; /* "a.cc:3" */
    char *reason;
};

struct dft_plugin_report;

struct dft_plugin_report *dft_plugin_report_new(const struct dft_allowlist *list);

/* Adds one file. False, after a message, if it cannot be read or is malformed. */
bool dft_plugin_report_add(struct dft_plugin_report *report, const char *path);

/* Functions that rule `index` decided on; the same function in several objects counts once. */
size_t dft_plugin_report_count(const struct dft_plugin_report *report, size_t index);
size_t dft_plugin_report_functions(const struct dft_plugin_report *report);
size_t dft_plugin_report_instrumented(const struct dft_plugin_report *report);

/* Functions whose rule is no longer in this line of the allowlist. */
size_t dft_plugin_report_strangers(const struct dft_plugin_report *report);

const struct dft_left_out *dft_plugin_report_left_out(const struct dft_plugin_report *report,
                                                      size_t *count);

/* Whether the parameter was omitted from any function; `place` is its index in the list's names. */
bool dft_plugin_report_has_without(const struct dft_plugin_report *report, size_t place);

void dft_plugin_report_free(struct dft_plugin_report *report);

#endif
