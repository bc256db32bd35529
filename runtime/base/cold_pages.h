/* Keeps traced-only code and data out of an untraced program's resident set. */
#ifndef DFT_RUNTIME_BASE_COLD_PAGES_H
#define DFT_RUNTIME_BASE_COLD_PAGES_H

#include "dftrace/abi.h"

/* Releases the runtime's own cold code and data. */
void dft_cold_pages_release(void);

/* Makes the texts of a module's sites a mapping of their own. There must be at least one site. */
void dft_cold_pages_isolate_texts(const struct dftrace_site *begin, const struct dftrace_site *end);

#endif
