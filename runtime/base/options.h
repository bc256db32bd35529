/* Run-time options, read once from the environment. The table is dftrace/options.def. */
#ifndef DFT_RUNTIME_BASE_OPTIONS_H
#define DFT_RUNTIME_BASE_OPTIONS_H

#include "runtime/base/option_values.h"

extern struct dft_options dft_options;

/* The process's rank in a parallel program, as its launcher sets it in the environment. */
struct dft_rank {
    int64_t rank; /* -1: not part of a parallel program */
    int64_t size; /* 0: unknown */
};

extern struct dft_rank dft_rank;

/*
 * Whether the environment contains any option other than DFTRACER_ENABLE=0. Always false in a
 * set-uid program. If false, everything stays off and the rest of this library is not touched, so
 * that an untraced program pays as little as possible.
 */
bool dft_options_are_set(void);

/* Reads the options. Reports invalid ones on stderr, as far as the log level allows. */
void dft_options_read(void);

/* The prefix of the trace, as the program names it: used unless the environment names one. */
void dft_options_offer_log_file(const char *prefix, size_t length);

#endif
