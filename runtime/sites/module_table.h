/* The executable and the libraries that instrumented functions are in. */
#ifndef DFT_RUNTIME_SITES_MODULE_TABLE_H
#define DFT_RUNTIME_SITES_MODULE_TABLE_H

#include "dftrace/abi.h"

#include <stdint.h>

/* One module's sites have been registered; one at a time. */
void dft_module_table_add(const struct dftrace_site *begin, const struct dftrace_site *end);

/* Number of the site's module in the spool's site table, 0 where it is not known; below a guard. */
uint32_t dft_module_table_number(const struct dftrace_site *site);

#endif
