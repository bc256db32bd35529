/*
 * What the kernel has counted for a thread or process. Any thread, any context; errno is kept.
 */
#ifndef DFT_OS_RESOURCE_USAGE_H
#define DFT_OS_RESOURCE_USAGE_H

#include "os/kernel.h"

#include <stdbool.h>
#include <sys/resource.h>

/* `who` is RUSAGE_THREAD or RUSAGE_SELF. */
static inline bool dft_resource_usage(int who, struct rusage *usage)
{
    return dft_kernel(SYS_getrusage, who, (long)usage, 0, 0) == 0;
}

#endif
