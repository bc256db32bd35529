/*
 * What dftracer/dftracer.h needs besides events. Any thread; keeps errno. In an untraced program
 * the functions only read one variable.
 */
#include "dftrace/events.h"
#include "os/kernel.h"
#include "runtime/base/options.h"
#include "runtime/library.h"
#include "runtime/session/session.h"
#include "runtime/sites/sites.h"

#include <stdatomic.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define IDS_SIZE 8192
#define PROBES 16

/* Ids that this process and its ancestors have asked for, mixed with the pid. 0: free. */
static _Atomic uint64_t ids[IDS_SIZE];

/*
 * An id may be first more than once if the table is full. The pid keeps a forked child, whose trace
 * is another file, apart from its parent.
 */
EXPORT int __dftrace_first(uint64_t id)
{
    if (!dft_library_is_traced())
        return -1;
    /* A session that has not begun begins with the event that follows, or with `dftrace ctl`. */
    bool may_begin =
        atomic_load(&dft_session.state) == DFT_SESSION_IDLE && !dft_library_is_attachable();
    if (!may_begin && !dft_sites_are_recorded())
        return -1;
    uint64_t mixed = (id ^ (uint64_t)dft_kernel_pid() * 0x9e3779b97f4a7c15u) | 1;
    uint64_t place = mixed * 0x9e3779b97f4a7c15u >> 32;
    for (unsigned i = 0; i < PROBES; i++) {
        uint64_t expected = 0;
        if (atomic_compare_exchange_strong(&ids[(place + i) % IDS_SIZE], &expected, mixed))
            return 1;
        if (expected == mixed)
            return 0;
    }
    return 1;
}

static size_t cut(const char *name, size_t length, const char *suffix)
{
    size_t end = strlen(suffix);

    return length > end && memcmp(name + length - end, suffix, end) == 0 ? length - end : length;
}

EXPORT void __dftrace_log_file(const char *name)
{
    struct dft_guard guard;

    if (!dft_library_prepare())
        return;
    dft_library_lock(&guard);
    if (name && *name && atomic_load(&dft_session.state) == DFT_SESSION_IDLE)
        dft_options_offer_log_file(name, cut(name, cut(name, strlen(name), ".gz"), ".pfw"));
    dft_library_begin(0);
    dft_library_unlock(&guard);
}
