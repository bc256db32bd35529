/*
 * Walks over the loaded modules: the runtime's only caller of dl_iterate_phdr.
 *
 * dl_iterate_phdr holds a lock of the loader that libc does not reset in a forked child. A child
 * forked while another thread is in a walk would hang in its next dlopen, dl_iterate_phdr or C++
 * exception. So walks are counted here, and fork waits until there are none.
 *
 * Walks do not exclude each other, and a waiting fork does not block new ones. Otherwise there
 * would be a deadlock: the program's own dl_iterate_phdr callback holds the loader's lock and may
 * make a traced call that walks, while another walk waits for the loader's lock.
 *
 * Any thread, any context. Signals are blocked during a walk: a signal handler that forks would
 * wait for the walk that it has interrupted. No heap.
 */
#include "runtime/symbols/module_walk.h"
#include "os/time.h"
#include "runtime/base/address_space.h"
#include "runtime/base/guard.h"
#include "runtime/base/tls.h"

#include <stdatomic.h>
#include <stdint.h>

#define WAIT_NS 20000
#define FORKING 0x80000000u
#define LOST 0xffffffffu

/* The number of current walks, or FORKING or LOST. */
static _Atomic uint32_t state;

/*
 * Whether this thread is forking. Then no other thread walks, but the program's atfork handlers may
 * walk in this thread.
 */
static DFT_TLS bool forking;

/* Not sched_yield: the awaited thread may have a lower real-time priority. */
static void wait_a_little(void)
{
    dft_time_sleep(WAIT_NS);
}

static bool begin(void)
{
    for (;;) {
        uint32_t seen = atomic_load(&state);
        if (seen == LOST)
            return false;
        if (seen && dft_address_space_kind() == DFT_ADDRESS_SPACE_FORKED) {
            dft_module_walk_in_child();
            continue;
        }
        if (seen == FORKING)
            wait_a_little();
        else if (atomic_compare_exchange_weak(&state, &seen, seen + 1))
            return true;
    }
}

int dft_module_walk(dft_module_walk_callback *callback, void *argument)
{
    struct dft_guard guard;
    int result = 0;

    dft_guard_enter(&guard);
    if (forking) {
        result = dl_iterate_phdr(callback, argument);
    } else if (begin()) {
        result = dl_iterate_phdr(callback, argument);
        atomic_fetch_sub(&state, 1);
    }
    dft_guard_leave(&guard);
    return result;
}

void dft_module_walk_before_fork(void)
{
    for (uint32_t seen = 0; seen != LOST && !forking; seen = atomic_load(&state)) {
        uint32_t none = 0;
        forking = atomic_compare_exchange_strong(&state, &none, FORKING);
        if (!forking)
            wait_a_little();
    }
}

void dft_module_walk_after_fork(void)
{
    if (forking)
        atomic_store(&state, 0);
    forking = false;
}

void dft_module_walk_in_child(void)
{
    if (atomic_load(&state) != 0)
        atomic_store(&state, LOST);
}
