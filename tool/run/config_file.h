/*
 * The configuration file of a run: becomes environment variables of the program and an allowlist in
 * the private directory of the run, so that no process of the run reads the file again.
 */
#ifndef DFT_TOOL_RUN_CONFIG_FILE_H
#define DFT_TOOL_RUN_CONFIG_FILE_H

#include "configuration/configuration.h"
#include "tool/run/environment.h"

#include <stdbool.h>

/* All zero initially. */
struct dft_run_config {
    char *path; /* NULL: there is no configuration file */
    struct dft_configuration configuration;
    bool has_rules; /* and DFTRACER_ALLOWLIST is not set */
};

/*
 * Reads the file that DFTRACER_CONFIGURATION names in this environment, sets the options that the
 * environment does not set, and removes that variable. Prints what is wrong; false if the file is
 * refused.
 */
bool dft_run_config_apply(struct dft_run_config *config, struct dft_environment *environment);

/* Writes the rules into this directory and names them in the environment. False after a message. */
bool dft_run_config_share(const struct dft_run_config *config, struct dft_environment *environment,
                          const char *directory);

/* The same for this text of an allowlist. */
bool dft_run_config_write(const char *text, size_t length, struct dft_environment *environment,
                          const char *directory);

void dft_run_config_free(struct dft_run_config *config);

#endif
