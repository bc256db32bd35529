/*
 * Snapshots on request: of the program, and of `dftrace ctl PID flush`. Any thread, signal handlers
 * included. No lock of the runtime is held, since this may take a while.
 */
#include "runtime/session/flush.h"
#include "os/kernel.h"
#include "os/time.h"
#include "runtime/session/session.h"

#include <errno.h>
#include <stdbool.h>

#define SETTLE_NS 25000000L /* the rate of the clock is then known well enough */
#define WAIT_NS 5000000L
#define WAITS_MAX 2000 /* ten seconds; a client of the control channel waits a little longer */

/* The thread that waits for the writer; 0: none. */
static _Atomic int32_t asking;

/*
 * If two threads asked at once, the writer's answer to the first would be taken for one to the
 * second. False if this thread is asking already, and a signal handler has interrupted it.
 */
static bool begin(void)
{
    int32_t self = dft_kernel_tid();
    unsigned waits = 0;

    for (int32_t seen = 0; !atomic_compare_exchange_strong(&asking, &seen, self); seen = 0) {
        if (seen == self || ++waits > 2 * WAITS_MAX)
            return false;
        dft_time_sleep(WAIT_NS);
    }
    return true;
}

enum dft_show dft_flush_ask(void)
{
    struct dft_spool *spool = &dft_session.spool;
    _Atomic uint32_t *show = &spool->header->show;

    if (!begin())
        return DFT_SHOW_ASKED;
    dft_time_sleep(SETTLE_NS);
    atomic_store(show, DFT_SHOW_ASKED);
    for (unsigned i = 0; i < WAITS_MAX && atomic_load(show) == DFT_SHOW_ASKED; i++) {
        dft_spool_wake(spool);
        dft_time_sleep(WAIT_NS);
    }
    enum dft_show answer = (enum dft_show)atomic_load(show);
    atomic_store(&asking, 0);
    return answer;
}

void dft_flush_wait(void)
{
    int saved = errno;

    if (atomic_load(&dft_session.state) == DFT_SESSION_ON)
        dft_flush_ask();
    errno = saved;
}

void dft_flush_in_child(void)
{
    atomic_store(&asking, 0);
}
