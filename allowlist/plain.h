/*
 * A demangled name as people write it. For whoever makes names of a text that is no linkage name.
 */
#ifndef DFT_PLAIN_H
#define DFT_PLAIN_H

/*
 * The plain form of a qualified name: without template arguments, ABI tags and the parameters of
 * enclosing functions. To be freed; NULL when memory is out.
 */
char *dft_plain_make(const char *qualified);

#endif
