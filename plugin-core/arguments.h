/* The arguments of the plugins: -fplugin-arg-dftrace-KEY[=VALUE]. */
#ifndef DFT_PLUGIN_CORE_ARGUMENTS_H
#define DFT_PLUGIN_CORE_ARGUMENTS_H

#include "plugin-core/messages.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The caller owns the strings. */
struct dft_plugin_arguments {
    const char *allowlist;      /* path as it was given */
    const char *allowlist_hash; /* of the list when `dftrace config` printed the flags; or NULL */
    const char *report;         /* path; NULL: no report was asked for */
    bool verbose;
};

/*
 * Reads one argument. `plugin` is the name by which the compiler knows the plugin; `value` is NULL
 * if there is no '='. If the argument is wrong, returns false and fills `message`.
 */
bool dft_plugin_argument_read(struct dft_plugin_arguments *arguments, const char *plugin,
                              const char *key, const char *value,
                              struct dft_plugin_message *message);

/* Called after the last argument. If one is missing, returns false and fills `message`. */
bool dft_plugin_arguments_check(const struct dft_plugin_arguments *arguments, const char *plugin,
                                struct dft_plugin_message *message);

#ifdef __cplusplus
}
#endif
#endif
