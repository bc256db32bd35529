/* The measured work; separate from main.c, so that only the work is instrumented. */
#ifndef DFT_BENCH_WORK_H
#define DFT_BENCH_WORK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each makes about `calls` calls, and returns how many it made. */
uint64_t bench_leaf(uint64_t calls);
uint64_t bench_fib(uint64_t calls);
uint64_t bench_mixed(uint64_t calls);
uint64_t bench_hot(uint64_t calls);

#ifdef __cplusplus
}
#endif

#endif
