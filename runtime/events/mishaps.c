/*
 * Counting of mistakes in the use of dftrace.h. Counting runs in any thread, signal handlers
 * included: it only adds. The report runs in the thread that ends the session.
 */
#include "runtime/events/mishaps.h"
#include "runtime/base/log.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static _Atomic uint64_t counts[DFT_MISHAPS];

static const char *const meanings[DFT_MISHAPS] = {
    [DFT_MISHAP_END] = "ends of regions that had not begun",
    [DFT_MISHAP_NAME] = "missing names and keys",
    [DFT_MISHAP_NAMES] = "names and keys beyond the limit of different ones",
    [DFT_MISHAP_VALUES] = "values that were too long",
    [DFT_MISHAP_TRACK] = "uses of a track that does not exist",
    [DFT_MISHAP_EVENT] = "events that could not be recorded",
};

void dft_mishaps_count(enum dft_mishap mishap)
{
    atomic_fetch_add_explicit(&counts[mishap], 1, memory_order_relaxed);
}

void dft_mishaps_report(void)
{
    char text[512];
    size_t used = 0;

    for (int i = 0; i < DFT_MISHAPS; i++) {
        unsigned long long count = atomic_load(&counts[i]);
        if (count && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%llu %s", used ? ", " : "",
                                     count, meanings[i]);
    }
    if (used)
        dft_log(DFT_LEVEL_ERROR, "the program's own events: %s", text);
}

void dft_mishaps_in_child(void)
{
    for (int i = 0; i < DFT_MISHAPS; i++)
        atomic_store(&counts[i], 0);
}
