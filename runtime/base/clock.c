/*
 * Chooses the clock, and reads CLOCK_MONOTONIC, the slower of the two. Any thread, any context. The
 * only state is each thread's last reading.
 */
#include "runtime/base/clock.h"
#include "os/time.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum dft_clock_kind dft_clock_kind = DFT_CLOCK_MONOTONIC;

static int counter_is_invariant(void)
{
#if defined(__x86_64__)
    unsigned eax, ebx, ecx, edx;

    /* Advanced power management, bit 8: the TSC runs at a constant rate in all power states. */
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8);
#else
    return DFT_HAVE_COUNTER; /* cntvct_el0 is invariant by definition */
#endif
}

void dft_clock_detect(void)
{
    if (counter_is_invariant())
        dft_clock_kind = DFT_CLOCK_COUNTER;
}

uint64_t dft_clock_monotonic(void)
{
    static __thread uint64_t last __attribute__((tls_model("initial-exec")));
    uint64_t ns = dft_time_now(CLOCK_MONOTONIC);

    if (ns <= last)
        ns = last + 1;
    last = ns;
    return ns;
}
