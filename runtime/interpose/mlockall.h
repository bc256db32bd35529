/* Programs that lock their memory, and the mappings of ours that they do not mean. */
#ifndef DFT_RUNTIME_INTERPOSE_MLOCKALL_H
#define DFT_RUNTIME_INTERPOSE_MLOCKALL_H

#include <stddef.h>

/* From now on, also in forked children, mlockall leaves this mapping alone. */
void dft_mlockall_exclude(const void *mapping, size_t size);

#endif
