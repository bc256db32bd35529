/*
 * See keys.h. The table lists DFTracer's keys, those of all its versions.
 */
#include "configuration/keys.h"

#include "allowlist/message.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct dft_key keys[] = {
    {.path = "enable", .variable = "ENABLE"},
    {.path = "tracer.init", .variable = "INIT"},
    {.path = "tracer.log_file", .variable = "LOG_FILE"},
    {.path = "tracer.data_dirs", .variable = "DATA_DIR", .joint = ':'},
    {.path = "tracer.log_level", .variable = "LOG_LEVEL"},
    {.path = "tracer.compression", .variable = "TRACE_COMPRESSION"},
    {.path = "tracer.time_metric",
     .variable = "TIME_METRIC",
     .granted = "US",
     .missing = "times are in microseconds, with three decimals"},
    {.path = "tracer.libuv_threads", .variable = "LIBUV_THREADS"},
    {.path = "gotcha.priority", .variable = "GOTCHA_PRIORITY"},
    {.path = "features.enable", .form = DFT_KEY_NOTHING},
    {.path = "features.metadata", .variable = "INC_METADATA"},
    {.path = "features.core_affinity", .variable = "SET_CORE_AFFINITY"},
    {.path = "features.tid", .variable = "DISABLE_TIDS", .form = DFT_KEY_OPPOSITE},
    {.path = "features.interval", .variable = "TRACE_INTERVAL_MS"},
    {.path = "features.io.enable", .variable = "DISABLE_IO", .form = DFT_KEY_OPPOSITE},
    {.path = "features.io.posix", .variable = "DISABLE_POSIX", .form = DFT_KEY_OPPOSITE},
    {.path = "features.io.stdio", .variable = "DISABLE_STDIO", .form = DFT_KEY_OPPOSITE},
    {.path = "features.aggregation.enable", .variable = "ENABLE_AGGREGATION"},
    {.path = "features.aggregation.type",
     .variable = "AGGREGATION_TYPE",
     .granted = "FULL",
     .missing = "all functions are aggregated; `aggregate:` with a list selects some"},
    {.path = "features.aggregation.file",
     .variable = "AGGREGATION_FILE",
     .granted = "",
     .missing = "the rules in this file are not read; `aggregate:` with a list selects functions"},
    {.path = "features.papi.enable",
     .variable = "ENABLE_PAPI_TRACING",
     .granted = "0",
     .missing = "hardware counters are not recorded"},
    {.path = "features.papi.events", .variable = "PAPI_EVENTS", .joint = ','},
    {.path = "features.papi.interval", .variable = "PAPI_SAMPLE_INTERVAL_MS"},
    {.path = "features.papi.multiplex", .variable = "PAPI_MULTIPLEX"},
    {.path = "features.variorum.enable",
     .variable = "DISABLE_VARIORUM_POWER",
     .form = DFT_KEY_OPPOSITE,
     .granted = "1",
     .missing = "power is not sampled"},
    {.path = "internal.bind_signals", .variable = "BIND_SIGNALS"},
    {.path = "internal.throw_error",
     .variable = "ERROR",
     .granted = "0",
     .missing = "an error of the tracer does not end the program"},
    {.path = "internal.write_buffer_size", .variable = "WRITE_BUFFER_SIZE"},
};

enum { KEY_COUNT = sizeof keys / sizeof *keys };

#define USED true
#define IGNORED false
static const struct {
    const char *variable;
    bool used;
} options[] = {
#define DFTRACE_OPTION(field, variable, type, default, effect, help) {#variable, effect},
#include "dftrace/options.def"
#undef DFTRACE_OPTION
};
#undef USED
#undef IGNORED

enum { OPTION_COUNT = sizeof options / sizeof *options };

/* Keys at the top that are neither DFTracer's nor options. */
static const char *const own_keys[] = {"functions", "options", "sample",
                                       "args",      "never",   "aggregate"};

enum { OWN_COUNT = sizeof own_keys / sizeof *own_keys };

static const char old_group[] = "profiler";
static const char new_group[] = "tracer";

/* Whether a path is the same as a path of the table, as far as `length` characters of the latter. */
static bool is_same(const char *path, const char *own, size_t length)
{
    size_t old_length = sizeof old_group - 1, new_length = sizeof new_group - 1;

    if (strncmp(path, old_group, old_length) == 0 && strchr(".", path[old_length]) &&
        strncmp(own, new_group, new_length) == 0 && length >= new_length) {
        path += old_length;
        own += new_length;
        length -= new_length;
    }
    return strlen(path) == length && memcmp(path, own, length) == 0;
}

const struct dft_key *dft_key_find(const char *path)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (is_same(path, keys[i].path, strlen(keys[i].path)))
            return &keys[i];
    return NULL;
}

/* The length of the part of a key's path that is the group; 0 if the key is not below it. */
static size_t group_length(const char *group, const char *path)
{
    for (const char *dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.'))
        if (is_same(group, path, (size_t)(dot - path)))
            return (size_t)(dot - path);
    return 0;
}

bool dft_key_is_group(const char *path)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (group_length(path, keys[i].path))
            return true;
    return false;
}

static bool is_private(const char *variable)
{
    return strcmp(variable, "HOSTED") == 0 || strcmp(variable, "PRELOAD") == 0 ||
           strcmp(variable, "CONFIGURATION") == 0;
}

const char *dft_key_find_option(const char *name, bool *is_own)
{
    static const char prefix[] = "DFTRACER_";

    if (strncasecmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strcasecmp(name, options[i].variable) == 0) {
            *is_own = is_private(options[i].variable);
            return options[i].variable;
        }
    return NULL;
}

bool dft_key_has_effect(const char *variable)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strcmp(options[i].variable, variable) == 0)
            return options[i].used;
    return false;
}

/* --- suggestions --- */

struct candidates {
    const char *words[KEY_COUNT + OPTION_COUNT + OWN_COUNT + 1];
    size_t count;
};

static void add_word(struct candidates *candidates, struct dft_arena *arena, const char *word,
                     size_t length)
{
    char *copy = dft_arena_copy(arena, word, length);

    for (char *at = copy; at && *at; at++)
        *at = (char)tolower((unsigned char)*at);
    if (copy)
        candidates->words[candidates->count++] = copy;
}

/* The key's name below the group: "io" of "features.io.posix" below "features". */
static void add_key(struct candidates *candidates, struct dft_arena *arena, const char *group,
                    const char *path)
{
    size_t length = group_length(group, path);

    if (length > 0)
        path += length + 1;
    else if (*group)
        return;
    add_word(candidates, arena, path, strcspn(path, "."));
}

/* A key or a group of this name in another group: "features.papi" for "papi". */
static const char *find_elsewhere(const char *name, struct dft_arena *arena)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < KEY_COUNT && strcmp(name, "enable") != 0; i++)
        for (const char *at = strchr(keys[i].path, '.'); at; at = strchr(at + 1, '.'))
            if (strncmp(at + 1, name, length) == 0 && strchr(".", at[1 + length]))
                return dft_arena_copy(arena, keys[i].path,
                                      (size_t)(at + 1 - keys[i].path) + length);
    return NULL;
}

const char *dft_key_suggest(const char *group, const char *name, bool with_options,
                            struct dft_arena *arena)
{
    struct candidates candidates = {.count = 0};

    for (size_t i = 0; i < KEY_COUNT; i++)
        if (!with_options || !*group)
            add_key(&candidates, arena, group, keys[i].path);
    for (size_t i = 0; i < OWN_COUNT && !*group; i++)
        add_word(&candidates, arena, own_keys[i], strlen(own_keys[i]));
    for (size_t i = 0; i < OPTION_COUNT && with_options; i++)
        if (!is_private(options[i].variable))
            add_word(&candidates, arena, options[i].variable, strlen(options[i].variable));
    const char *nearest =
        dft_message_nearest(name, strlen(name), candidates.words, candidates.count);
    return nearest ? nearest : find_elsewhere(name, arena);
}
