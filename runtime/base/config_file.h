/*
 * The configuration file of DFTRACER_CONFIGURATION: options and rules.
 *
 * A helper process reads it (configuration/helper.c), so that the traced program neither loads a
 * library nor allocates memory for it, and its descriptors, children and SIGCHLD are not affected.
 */
#ifndef DFT_RUNTIME_BASE_CONFIG_FILE_H
#define DFT_RUNTIME_BASE_CONFIG_FILE_H

#include "runtime/base/option_values.h"

#include <stdbool.h>
#include <stddef.h>

/* The allowlist of the configuration file; stays in memory. */
struct dft_config_rules {
    const char *text; /* NULL: there is none */
    size_t length;
    const char *path; /* of the configuration file */
};

extern struct dft_config_rules dft_config_rules;

/*
 * Sets one option; both texts stay in memory. Returns false if the option is not set, because the
 * environment sets it.
 */
typedef bool dft_config_setter(const char *name, size_t name_length, const char *value);

/*
 * Calls `set` for each option that the file sets. If the file is refused, reports that in one line
 * and returns false; no option is set then. With all signals blocked.
 */
bool dft_config_file_read(const char *path, dft_config_setter *set);

#endif
