/*
 * The keys of a configuration file. No state.
 */
#ifndef DFT_CONFIGURATION_KEYS_H
#define DFT_CONFIGURATION_KEYS_H

#include "configuration/configuration.h"

/* How a value becomes that of the option. */
enum dft_key_form {
    DFT_KEY_SAME,
    DFT_KEY_OPPOSITE, /* a truth value, which the option negates */
    DFT_KEY_NOTHING,  /* it has no option */
};

/* A key of DFTracer. */
struct dft_key {
    const char *path;     /* "tracer.log_file" */
    const char *variable; /* of the option, without its prefix */
    enum dft_key_form form;
    char joint;          /* a list of values is joined by it; 0: the value is no list */
    const char *granted; /* the only value that asks for nothing that is missing; NULL: any does */
    const char *missing; /* what other values ask for */
};

/* `path` may begin with "profiler" in place of "tracer". NULL if DFTracer has no such key. */
const struct dft_key *dft_key_find(const char *path);

/* Whether DFTracer has keys below this one. */
bool dft_key_is_group(const char *path);

/*
 * The option of this name, "min_duration" or "DFTRACER_MIN_DURATION", as it is in the environment,
 * without prefix; NULL if there is none. `is_private`: only `dftrace run` sets it.
 */
const char *dft_key_find_option(const char *name, bool *is_private);

/* Whether an option has an effect. */
bool dft_key_has_effect(const char *variable);

/*
 * Where the key `name` below `group` ("": at the top) may belong. `options`: the names of options
 * are keys there. NULL if nothing is similar. The text is in the arena.
 */
const char *dft_key_suggest(const char *group, const char *name, bool options,
                            struct dft_arena *arena);

#endif
