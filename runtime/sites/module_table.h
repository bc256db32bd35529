/* The executable and the libraries that contain instrumented functions. */
#ifndef DFT_RUNTIME_SITES_MODULE_TABLE_H
#define DFT_RUNTIME_SITES_MODULE_TABLE_H

#include "dftrace/abi.h"

#include <stdint.h>

/* Adds a module when its sites are registered; one thread at a time. */
void dft_module_table_add(const struct dftrace_site *begin, const struct dftrace_site *end);

/* The number of the site's module in the spool's site table; 0 if it is unknown. Inside a guard. */
uint32_t dft_module_table_number(const struct dftrace_site *site);

#endif
