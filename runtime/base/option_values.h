/*
 * The options of dftrace/options.def and their values. The runtime uses these functions to parse
 * its environment, `dftrace run` to check the environment before it starts a program.
 */
#ifndef DFT_RUNTIME_BASE_OPTION_VALUES_H
#define DFT_RUNTIME_BASE_OPTION_VALUES_H

#include "spool/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dft_level {
    DFT_LEVEL_TRACE,
    DFT_LEVEL_DEBUG,
    DFT_LEVEL_INFO,
    DFT_LEVEL_WARN,
    DFT_LEVEL_ERROR,
    DFT_LEVEL_CRITICAL,
};

enum dft_enable { DFT_ENABLE_NOT, DFT_ENABLE_NOW, DFT_ENABLE_ATTACH };
enum dft_start { DFT_START_RUNNING, DFT_START_PAUSED };
enum dft_when_full { DFT_WHEN_FULL_BLOCK, DFT_WHEN_FULL_DROP };

/* Which functions are aggregated. */
struct dft_which {
    bool all;
    const char *patterns; /* joined by commas; NULL: those that the allowlist names */
};

enum dft_init { DFT_INIT_FUNCTION, DFT_INIT_PRELOAD, DFT_INIT_HYBRID };
enum dft_python { DFT_PYTHON_AUTO, DFT_PYTHON_REWRITE, DFT_PYTHON_MONITOR, DFT_PYTHON_OFF };
enum dft_sampling { DFT_SAMPLING_USAGE, DFT_SAMPLING_ALLOC };

#define DFT_OPTION_BOOL bool
#define DFT_OPTION_INT int64_t
#define DFT_OPTION_SIZE uint64_t
#define DFT_OPTION_TEXT const char *
#define DFT_OPTION_PATH const char *
#define DFT_OPTION_ENABLE enum dft_enable
#define DFT_OPTION_START enum dft_start
#define DFT_OPTION_LEVEL enum dft_level
#define DFT_OPTION_FULL enum dft_when_full
#define DFT_OPTION_SAMPLE enum dft_sampling
#define DFT_OPTION_FORMAT enum dft_trace_format
#define DFT_OPTION_INIT enum dft_init
#define DFT_OPTION_PYTHON enum dft_python
#define DFT_OPTION_TIME uint64_t
#define DFT_OPTION_PERCENT uint32_t
#define DFT_OPTION_WHICH struct dft_which

struct dft_options {
#define DFTRACE_OPTION(field, variable, type, default, effect, help) DFT_OPTION_##type field;
#include "dftrace/options.def"
#undef DFTRACE_OPTION
};

/* Why an option was refused. */
struct dft_option_problem {
    const char
        *expected; /* what the value should have been; NULL: there is no option of this name */
    const char *initial; /* the value that is used instead */
    const char *nearest; /* the option with the most similar name; NULL: none is similar */
};

void dft_option_set_defaults(struct dft_options *options);

/* Whether there is an option with this name, which is without the prefix. */
bool dft_option_is_known(const char *name, size_t name_length);

/*
 * Sets one option; `name` is without the prefix DFTRACER_. Texts are not copied. If the option is
 * refused, returns false, changes nothing and fills `problem`.
 */
bool dft_option_set(struct dft_options *options, const char *name, size_t name_length,
                    const char *value, struct dft_option_problem *problem);

/*
 * Parse a truth value, a non-negative integer and a number of bytes. They return NULL, or what was
 * expected.
 */
const char *dft_option_parse_BOOL(const char *value, bool *result);
const char *dft_option_parse_INT(const char *value, int64_t *result);
const char *dft_option_parse_SIZE(const char *value, uint64_t *result);

#endif
