/* Excludes our mappings from mlockall. */
#ifndef DFT_RUNTIME_INTERPOSE_MLOCKALL_H
#define DFT_RUNTIME_INTERPOSE_MLOCKALL_H

#include <stddef.h>

/* From now on mlockall does not lock this mapping, also in forked children. */
void dft_mlockall_exclude(const void *mapping, size_t size);

#endif
