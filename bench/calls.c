/*
 * A trivial function called in a loop, and a recursive one: compiled plain, with the plugin, and
 * with the least that any exact tracer must do written out by hand (BENCH_LIMIT): two readings of
 * the counter and one 16-byte store into a ring.
 */
#include "bench/calls.h"
#include "spool/ticks.h"

#define PASTE(a, b) a##b
#define NAME(variant, function) PASTE(variant, function)
#define FUNCTION(function) NAME(BENCH_VARIANT, function)

#ifdef BENCH_LIMIT
#define RING 4096
static __thread struct {
    uint64_t start;
    uint32_t duration, site;
} ring[RING];
static __thread uint32_t ring_at;

#define ENTER uint64_t start = dft_ticks_counter();
#define EXIT(number)                                                                               \
    {                                                                                              \
        uint64_t end = dft_ticks_counter();                                                        \
        uint32_t at = ring_at++ % RING;                                                            \
        ring[at].start = start;                                                                    \
        ring[at].duration = (uint32_t)(end - start);                                               \
        ring[at].site = number;                                                                    \
    }
#else
#define ENTER
#define EXIT(number)
#endif

__attribute__((noinline)) uint64_t FUNCTION(_leaf)(uint64_t x)
{
    ENTER
    uint64_t result = x * 3 + 1;
    __asm__ volatile("" : "+r"(result));
    EXIT(1)
    return result;
}

__attribute__((noinline)) uint64_t FUNCTION(_fib)(unsigned n)
{
    ENTER
    uint64_t result = n < 2 ? n : FUNCTION(_fib)(n - 1) + FUNCTION(_fib)(n - 2);
    __asm__ volatile("" : "+r"(result));
    EXIT(2)
    return result;
}

uint64_t FUNCTION(_leaf_loop)(uint64_t calls)
{
    uint64_t x = 1;

    for (uint64_t i = 0; i < calls; i++)
        x = FUNCTION(_leaf)(x);
    return x;
}

/* fib(20) makes 21,891 calls. */
uint64_t FUNCTION(_fib_loop)(uint64_t calls)
{
    uint64_t x = 0;

    for (uint64_t i = 0; i < calls / 21891; i++)
        x += FUNCTION(_fib)(20);
    return x;
}
