/*
 * How much memory tables may use together. Tables add to `used` what they allocate, about.
 */
#ifndef DFT_TOOL_BASE_MEMORY_LIMIT_H
#define DFT_TOOL_BASE_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

struct dft_memory_limit {
    size_t limit; /* 0: no limit */
    size_t used;
};

static inline bool dft_memory_limit_is_reached(const struct dft_memory_limit *memory)
{
    return memory->limit > 0 && memory->used >= memory->limit;
}

#endif
