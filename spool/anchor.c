/* Reads the tick counter and the kernel's clocks together. Any thread; no state. */
#include "os/time.h"
#include "spool/spool.h"
#include "spool/ticks.h"

#define TRIES 8

void dft_spool_take_anchor(enum dft_clock_kind kind, struct dft_anchor *anchor)
{
    anchor->realtime_ns = dft_time_now(CLOCK_REALTIME);
    anchor->ticks = anchor->monotonic_ns = dft_time_now(CLOCK_MONOTONIC);
    if (kind != DFT_CLOCK_COUNTER)
        return;
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = dft_ticks_counter();
        uint64_t ns = dft_time_now(CLOCK_MONOTONIC);
        uint64_t width = dft_ticks_counter() - before;
        if (width < narrowest) {
            narrowest = width;
            anchor->ticks = before + width / 2;
            anchor->monotonic_ns = ns;
        }
    }
}
