/*
 * The messages of the plugins to their users, with the same text in both compilers. The plugins
 * print them as their compiler does: as errors, warnings or notes, with a position if there is one.
 */
#ifndef DFT_PLUGIN_CORE_MESSAGES_H
#define DFT_PLUGIN_CORE_MESSAGES_H

#include "allowlist/allowlist.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DFT_PLUGIN_NO_MEMORY "dftrace: out of memory"

/* One line without a newline; longer ones are cut off. */
struct dft_plugin_message {
    char text[8192];
};

struct dft_plugin_message dft_plugin_message_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/*
 * Error: the allowlist cannot be used. If the error has a position, the compiler shows it, and the
 * message is only the reason.
 */
struct dft_plugin_message dft_plugin_message_bad_allowlist(const char *path,
                                                           const struct dft_allowlist_error *error);

/* Note: the allowlist is not the one for which `dftrace config` printed the flags. */
struct dft_plugin_message dft_plugin_message_changed_allowlist(const char *path);

/* Error: the report cannot be written. `error_number` is a value of errno. */
struct dft_plugin_message dft_plugin_message_no_report(const char *path, int error_number);

/* Note, with -verbose: how many of the functions seen have hooks. */
struct dft_plugin_message dft_plugin_message_summary(unsigned instrumented, unsigned seen,
                                                     const char *allowlist);

#ifdef __cplusplus
}
#endif
#endif
