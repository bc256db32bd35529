/* The measured programs. Each variant compiles calls.c once, under names of its own. */
#ifndef DFT_BENCH_CALLS_H
#define DFT_BENCH_CALLS_H

#include <stdint.h>

#define DFT_BENCH_VARIANT(name)                                                                    \
    uint64_t name##_leaf_loop(uint64_t calls);                                                     \
    uint64_t name##_fib_loop(uint64_t calls);

DFT_BENCH_VARIANT(plain)
DFT_BENCH_VARIANT(limit)
DFT_BENCH_VARIANT(traced)

#endif
