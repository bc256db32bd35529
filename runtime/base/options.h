/* Run-time options: the environment, read once, by the table in dftrace/options.def. */
#ifndef DFT_RUNTIME_BASE_OPTIONS_H
#define DFT_RUNTIME_BASE_OPTIONS_H

#include "runtime/base/option_values.h"

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
