/* The kernel's clocks as os/time.h reads them, beside libc's. */
#include "os/time.h"
#include "unit.h"

#include <unistd.h>

static uint64_t by_libc(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return dft_time_to_ns(now);
}

static void clocks_agree_with_libc(void)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME,
                                       CLOCK_THREAD_CPUTIME_ID};

    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        uint64_t before = by_libc(clocks[i]);
        uint64_t quick = dft_time_now(clocks[i]), asked = dft_time_ask(clocks[i]);
        uint64_t after = by_libc(clocks[i]);
        CHECK(before > 0 && before <= quick && quick <= asked && asked <= after);
    }
}

static void a_clock_that_there_is_not_reads_zero(void)
{
    CHECK_INT(dft_time_now(1234), 0);
    CHECK_INT(dft_time_ask(1234), 0);
}

static void sleep_lasts(void)
{
    uint64_t before = by_libc(CLOCK_MONOTONIC);

    dft_time_sleep(2000000);
    CHECK(by_libc(CLOCK_MONOTONIC) - before >= 2000000);
}

int main(void)
{
    clocks_agree_with_libc();
    a_clock_that_there_is_not_reads_zero();
    sleep_lasts();
    CHECK_INT(dft_kernel_pid(), getpid());
    return unit_result();
}
