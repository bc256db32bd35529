/*
 * The least that a tracer of exact calls must do, written by hand: two reads of the counter and one
 * 16-byte store into a ring buffer. Compiled in with BENCH_LIMIT. With BENCH_SAMPLES, the system
 * calls of a sample at both ends of a call. Empty otherwise.
 */
#ifndef DFT_BENCH_LIMIT_H
#define DFT_BENCH_LIMIT_H

#ifdef BENCH_LIMIT
#include "spool/ticks.h"

#define BENCH_RING 4096
static __thread struct {
    uint64_t start;
    uint32_t duration, site;
} bench_ring[BENCH_RING];
static __thread uint32_t bench_ring_at;

#define BENCH_ENTER uint64_t bench_start = dft_ticks_counter();
#define BENCH_EXIT(number)                                                                         \
    {                                                                                              \
        uint64_t bench_end = dft_ticks_counter();                                                  \
        uint32_t bench_at = bench_ring_at++ % BENCH_RING;                                          \
        bench_ring[bench_at].start = bench_start;                                                  \
        bench_ring[bench_at].duration = (uint32_t)(bench_end - bench_start);                       \
        bench_ring[bench_at].site = number;                                                        \
    }
#elif defined(BENCH_SAMPLES)
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int bench_statm = -1;

static inline void bench_sample(void)
{
    struct timespec cpu;
    struct rusage usage;
    char text[64];

    if (bench_statm < 0)
        bench_statm = open("/proc/self/statm", O_RDONLY);
    syscall(SYS_getrusage, RUSAGE_THREAD, &usage);
    syscall(SYS_pread64, bench_statm, text, sizeof text, 0L);
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &cpu);
}

#define BENCH_ENTER bench_sample();
#define BENCH_EXIT(number) bench_sample();
#else
#define BENCH_ENTER
#define BENCH_EXIT(number)
#endif

#endif
