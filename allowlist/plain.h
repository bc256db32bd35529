/* Demangled names as people write them, and names that users have written out. */
#ifndef DFT_PLAIN_H
#define DFT_PLAIN_H

#include "allowlist/allowlist.h"

/*
 * The plain form of a qualified name: without template arguments, ABI tags and the parameters of
 * enclosing functions. To be freed; NULL if there is no memory.
 */
char *dft_plain_make(const char *qualified);

/*
 * The names of a function that a user has written, as in `dftrace check NAME`: a linkage name, or a
 * demangled one with or without its parameter list. False only if there is no memory. Free the
 * result with dft_names_free.
 */
bool dft_names_make_written(const char *word, enum dft_language language, struct dft_names *names);

#endif
