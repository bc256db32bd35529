/* What only traced programs use, in those that are not traced: no page of it is to be in memory. */
#ifndef DFT_RUNTIME_BASE_COLD_PAGES_H
#define DFT_RUNTIME_BASE_COLD_PAGES_H

#include "dftrace/abi.h"

/* Code and data of the runtime itself. */
void dft_cold_pages_release(void);

/* The texts of a module's sites, of which there is one at least. */
void dft_cold_pages_isolate_texts(const struct dftrace_site *begin, const struct dftrace_site *end);

#endif
