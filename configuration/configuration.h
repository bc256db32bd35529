/*
 * Configuration files: YAML that is translated into options and an allowlist. docs/CONFIGURATION.md
 * is the manual.
 *
 * `dftrace run` and the helper of the runtime (helper.c) share this translation. Nothing here
 * prints, and nothing reads the environment: the caller gives precedence to the environment.
 */
#ifndef DFT_CONFIGURATION_CONFIGURATION_H
#define DFT_CONFIGURATION_CONFIGURATION_H

#include "allowlist/allowlist.h"
#include "allowlist/arena.h"

#include <stdbool.h>
#include <stddef.h>

#define DFT_CONFIGURATION_SIZE_MAX ((size_t)1 << 20)  /* bytes of a file */
#define DFT_CONFIGURATION_RULES_MAX ((size_t)4 << 20) /* bytes of its rules; aliases repeat them */

/* Each option is set at most once. */
enum {
    DFT_CONFIGURATION_SETTINGS_MAX = 0
#define DFTRACE_OPTION(field, variable, type, default, effect, help) +1
#include "dftrace/options.def"
#undef DFTRACE_OPTION
};

/* Lines and columns start at 1; columns count bytes. */
struct dft_configuration_position {
    unsigned line;
    unsigned column;
};

/* One option, as it would be set in the environment. */
struct dft_configuration_setting {
    const char *name;  /* without the prefix DFTRACER_ */
    const char *value; /* valid */
    const char *key;   /* that the file sets it by: "tracer.log_file" */
    struct dft_configuration_position at;
    const char *warning; /* what the file asks for and does not get; NULL: nothing */
    bool ignored;        /* this option has no effect */
};

/* All strings belong to the arena. */
struct dft_configuration {
    struct dft_configuration_setting settings[DFT_CONFIGURATION_SETTINGS_MAX];
    size_t count;
    char *rules; /* text of an allowlist; NULL: the file has none */
    size_t rules_length;
    unsigned *lines; /* in which line of the file each line of `rules` is */
    struct dft_arena arena;
};

/* Both return false with the reason in `error`; then there is nothing to free. */
bool dft_configuration_load(const char *path, struct dft_configuration *configuration,
                            struct dft_allowlist_error *error);
bool dft_configuration_parse(const char *text, size_t length,
                             struct dft_configuration *configuration,
                             struct dft_allowlist_error *error);
void dft_configuration_free(struct dft_configuration *configuration);

/*
 * The rules, whose lines are those of the file; NULL if the file has none, or if there is no
 * memory.
 */
struct dft_allowlist *dft_configuration_allowlist(const struct dft_configuration *configuration);

/* The setting of an option; NULL if the file does not set it. */
const struct dft_configuration_setting *
dft_configuration_find(const struct dft_configuration *configuration, const char *name);

/*
 * Lists the keys without effect in `text`, as "gotcha.priority (line 3), ...". False if there are
 * none.
 */
bool dft_configuration_list_ignored(const struct dft_configuration *configuration, char *text,
                                    size_t size);

#endif
