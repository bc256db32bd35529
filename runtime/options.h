/* Run-time options: the environment, read once, by the table in dftrace/options.def. */
#ifndef DFT_OPTIONS_H
#define DFT_OPTIONS_H

#include <stdbool.h>
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

/* Calls of which functions are added up. */
struct dft_which {
    bool all;
    const char *patterns; /* joined by commas; NULL: of those that the allowlist says */
};

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
#define DFT_OPTION_TIME uint64_t
#define DFT_OPTION_PERCENT uint32_t
#define DFT_OPTION_WHICH struct dft_which

struct dft_options {
#define DFTRACE_OPTION(field, variable, type, default, effect, help) DFT_OPTION_##type field;
#include "dftrace/options.def"
#undef DFTRACE_OPTION
};

extern struct dft_options dft_options;

/* Which part of a parallel program this process is, as its launcher tells in the environment. */
struct dft_rank {
    int64_t rank; /* -1: it is none */
    int64_t size; /* 0: unknown */
};

extern struct dft_rank dft_rank;

/*
 * Whether the environment says more than that nothing is to be traced. Not for a set-uid program.
 * Where it does not, everything is off, and nothing else of this library is touched: a program
 * that is not traced carries as little of it as can be.
 */
bool dft_options_are_set(void);

/* Reads them. Says on stderr what it did not understand, as far as the log level allows. */
void dft_options_read(void);

#endif
