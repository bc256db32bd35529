/*
 * The smallest workloads: a trivial function called in a loop, a recursive one, and the trivial one
 * called repeatedly by code that does other work.
 */
#include "bench/programs/limit.h"
#include "bench/programs/work.h"

#define FIB_ARGUMENT 20
#define FIB_CALLS 21891u /* what fib(20) makes */

#define STEPS 96 /* of work between two calls, which takes some hundred nanoseconds */

static volatile uint64_t sink;

__attribute__((noinline)) static uint64_t leaf(uint64_t x)
{
    BENCH_ENTER
    uint64_t result = x * 3 + 1;
    __asm__ volatile("" : "+r"(result));
    BENCH_EXIT(1)
    return result;
}

__attribute__((noinline)) static uint64_t fib(unsigned n)
{
    BENCH_ENTER
    uint64_t result = n < 2 ? n : fib(n - 1) + fib(n - 2);
    __asm__ volatile("" : "+r"(result));
    BENCH_EXIT(2)
    return result;
}

uint64_t bench_leaf(uint64_t calls)
{
    uint64_t x = 1;

    for (uint64_t i = 0; i < calls; i++)
        x = leaf(x);
    sink = x;
    return calls;
}

uint64_t bench_fib(uint64_t calls)
{
    uint64_t x = 0;
    uint64_t made = 0;

    do {
        x += fib(FIB_ARGUMENT);
        made += FIB_CALLS;
    } while (made + FIB_CALLS <= calls);
    sink = x;
    return made;
}

/* Each step depends on the one before. */
uint64_t bench_hot(uint64_t calls)
{
    uint64_t x = 1;

    for (uint64_t i = 0; i < calls; i++) {
        /* No loop: whether the processor predicts its end differs between runs. */
#pragma GCC unroll 96
        for (int step = 0; step < STEPS; step++)
            x = x * 6364136223846793005u + 1442695040888963407u;
        x = leaf(x);
    }
    sink = x;
    return calls;
}
