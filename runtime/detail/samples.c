/*
 * Samples: three system calls at either end of a call. Runs in traced threads, with signals open;
 * keeps errno.
 */
#include "runtime/detail/samples.h"
#include "os/time.h"
#include "runtime/detail/resident_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 8
#define SAMPLES 8 /* in one round */

/* Of the time that a sample takes, a little is counted as the call's. */
static _Atomic uint64_t cost_ns, cpu_bias_ns;

/* The kernel's peak begins with that of the process that called exec: up to there it says nothing.
 */
static _Atomic uint64_t inherited_peak_kb;

/* The most that a sample has found: the kernel's peak may be a little below that. */
static _Atomic uint64_t highest_kb;

static void read_memory_and_events(struct dft_sample_reading *gauge)
{
    struct rusage thread;

    if (dft_kernel(SYS_getrusage, RUSAGE_THREAD, (long)&thread, 0, 0) != 0)
        thread = (struct rusage){0};
    gauge->peak_kb = (uint64_t)thread.ru_maxrss;
    gauge->minor_faults = (uint32_t)thread.ru_minflt;
    gauge->major_faults = (uint32_t)thread.ru_majflt;
    gauge->voluntary_switches = (uint32_t)thread.ru_nvcsw;
    gauge->involuntary_switches = (uint32_t)thread.ru_nivcsw;
    gauge->resident_kb = dft_statm_resident_kb();
}

void dft_samples_begin(struct dft_sample_reading *gauge)
{
    int saved = errno;

    read_memory_and_events(gauge);
    gauge->cpu_ns = dft_time_ask(CLOCK_THREAD_CPUTIME_ID);
    errno = saved;
}

void dft_samples_end(struct dft_sample_reading *gauge)
{
    int saved = errno;

    gauge->cpu_ns = dft_time_ask(CLOCK_THREAD_CPUTIME_ID);
    read_memory_and_events(gauge);
    errno = saved;
}

static uint64_t difference(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

/* The peak by now. The figures come from different counts, of which one is coarse. */
static uint64_t raise_peak(const struct dft_sample_reading *gauge)
{
    uint64_t peak = gauge->peak_kb > gauge->resident_kb ? gauge->peak_kb : gauge->resident_kb;
    uint64_t highest = atomic_load_explicit(&highest_kb, memory_order_relaxed);

    while (peak > highest)
        if (atomic_compare_exchange_weak_explicit(&highest_kb, &highest, peak, memory_order_relaxed,
                                                  memory_order_relaxed))
            return peak;
    return highest;
}

void dft_samples_in_child(void)
{
    atomic_store(&highest_kb, 0);
}

void dft_samples_compare(const struct dft_sample_reading *begin,
                         const struct dft_sample_reading *end, struct dft_sample *sample)
{
    uint64_t bias = atomic_load_explicit(&cpu_bias_ns, memory_order_relaxed);
    uint64_t inherited = atomic_load_explicit(&inherited_peak_kb, memory_order_relaxed);
    uint64_t peak = raise_peak(end);

    *sample = (struct dft_sample){
        .cpu_start_ns = begin->cpu_ns,
        .cpu_ns = difference(bias, difference(begin->cpu_ns, end->cpu_ns)),
        .rss_kb = begin->resident_kb ? end->resident_kb : 0,
        .rss_delta_kb = (int64_t)(end->resident_kb - begin->resident_kb),
        .peak_rss_kb = peak > inherited ? peak : 0,
        .minor_faults = end->minor_faults - begin->minor_faults,
        .major_faults = end->major_faults - begin->major_faults,
        .voluntary_switches = end->voluntary_switches - begin->voluntary_switches,
        .involuntary_switches = end->involuntary_switches - begin->involuntary_switches,
    };
}

/* The quickest of several rounds: what another process takes away is not the cost of a sample. */
void dft_samples_calibrate(void)
{
    uint64_t least = UINT64_MAX, least_cpu = UINT64_MAX;

    if (atomic_load(&cost_ns))
        return;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begun = dft_time_ask(CLOCK_MONOTONIC);
        for (int i = 0; i < SAMPLES; i++) {
            struct dft_sample_reading begin, end;
            dft_samples_begin(&begin);
            dft_samples_end(&end);
            uint64_t cpu = difference(begin.cpu_ns, end.cpu_ns);
            if (cpu < least_cpu)
                least_cpu = cpu;
        }
        uint64_t taken = (dft_time_ask(CLOCK_MONOTONIC) - begun) / SAMPLES;
        if (taken < least)
            least = taken;
    }
    struct dft_sample_reading now;
    dft_samples_end(&now);
    if (now.peak_kb > dft_statm_peak_kb())
        atomic_store(&inherited_peak_kb, now.peak_kb);
    atomic_store(&cpu_bias_ns, least_cpu);
    atomic_store(&cost_ns, least);
}

uint64_t dft_samples_cost_ns(void)
{
    return atomic_load(&cost_ns);
}
