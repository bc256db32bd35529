/*
 * The threads that encode and compress: the writer's own thread, and helpers when it falls behind.
 *
 * Helpers are started with the writer and sleep until they are invited. They run with all signals
 * blocked, at a lower priority than the traced program, touch nothing but the job they took and
 * memory of their own, and use neither heap nor locks. A forked child has no helpers.
 */
#include "os/futex.h"
#include "os/own_thread.h"
#include "os/processors.h"
#include "writer/internal.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#define NICE 5

static void ring(struct dft_pool *pool)
{
    atomic_fetch_add(&pool->bell, 1);
    if (atomic_load(&pool->resting))
        dft_futex_wake(&pool->bell, DFT_FUTEX_PRIVATE);
}

static void rest(struct dft_pool *pool, uint32_t heard)
{
    atomic_fetch_add(&pool->resting, 1);
    if (atomic_load(&pool->bell) == heard)
        dft_futex_wait(&pool->bell, heard, DFT_FUTEX_FOREVER, DFT_FUTEX_PRIVATE);
    atomic_fetch_sub(&pool->resting, 1);
}

static bool take(struct dft_job *job)
{
    uint32_t ready = DFT_JOB_READY;

    return atomic_load_explicit(&job->state, memory_order_relaxed) == DFT_JOB_READY &&
           atomic_compare_exchange_strong(&job->state, &ready, DFT_JOB_TAKEN);
}

static void run(struct dft_writer *writer, struct dft_worker *worker, struct dft_job *job)
{
    dft_job_run(writer, worker, job);
    atomic_store_explicit(&job->state, DFT_JOB_DONE, memory_order_release);
}

/* --- helpers -------------------------------------------------------------------------------- */

static struct dft_job *take_any(struct dft_pool *pool)
{
    for (unsigned i = 0; i < DFT_JOBS_MAX; i++)
        if (take(&pool->jobs[i]))
            return &pool->jobs[i];
    return NULL;
}

static void *help(void *argument)
{
    struct dft_helper *helper = argument;
    struct dft_writer *writer = helper->writer;
    struct dft_pool *pool = &writer->pool;
    uint32_t number = (uint32_t)(helper - pool->helpers);

    if (writer->host.helper_begins)
        writer->host.helper_begins();
    setpriority(PRIO_PROCESS, (id_t)dft_kernel_tid(), NICE);
    for (;;) {
        uint32_t heard = atomic_load(&pool->bell);
        if (atomic_load(&pool->stopping))
            break;
        struct dft_job *job = number < atomic_load(&pool->invited) ? take_any(pool) : NULL;
        if (job) {
            run(writer, &helper->worker, job);
            ring(pool);
        } else {
            rest(pool, heard);
        }
    }
    if (writer->host.helper_ends)
        writer->host.helper_ends();
    return NULL;
}

/*
 * Helpers leave one processor free. The traced program and the writer's own thread share this
 * processor, because a program that waits for the writer needs none.
 */
static unsigned useful_helpers(void)
{
    struct dft_processors processors;
    unsigned count = dft_processors_read(&processors) ? dft_processors_count(&processors) : 1;

    return count > DFT_HELPERS_MAX ? DFT_HELPERS_MAX : count - 1;
}

void dft_writer_start_helpers(struct dft_writer *writer)
{
    struct dft_pool *pool = &writer->pool;

    for (unsigned most = useful_helpers(); pool->helper_count < most; pool->helper_count++) {
        struct dft_helper *helper = &pool->helpers[pool->helper_count];
        helper->writer = writer;
        if (dft_own_thread_start(&helper->thread, help, helper) != 0)
            break;
    }
}

unsigned dft_writer_helpers(const struct dft_writer *writer)
{
    return writer->pool.helper_count;
}

void dft_pool_stop(struct dft_writer *writer)
{
    atomic_store(&writer->pool.stopping, true);
    ring(&writer->pool);
}

void dft_pool_join(struct dft_writer *writer)
{
    struct dft_pool *pool = &writer->pool;

    for (unsigned i = 0; i < pool->helper_count; i++) {
        pthread_join(pool->helpers[i].thread, NULL);
        dft_worker_release(writer, &pool->helpers[i].worker);
    }
    pool->helper_count = 0;
}

/* --- the writer's own thread ---------------------------------------------------------------- */

void dft_pool_invite(struct dft_writer *writer)
{
    struct dft_pool *pool = &writer->pool;

    if (atomic_load(&pool->invited) < pool->helper_count)
        atomic_fetch_add(&pool->invited, 1);
}

void dft_pool_announce(struct dft_writer *writer)
{
    if (atomic_load(&writer->pool.invited))
        ring(&writer->pool);
}

void dft_pool_complete_oldest(struct dft_writer *writer)
{
    struct dft_pool *pool = &writer->pool;
    struct dft_job *oldest = &pool->jobs[pool->oldest];

    for (;;) {
        uint32_t heard = atomic_load(&pool->bell);
        if (atomic_load_explicit(&oldest->state, memory_order_acquire) == DFT_JOB_DONE)
            return;
        struct dft_job *job = NULL;
        for (unsigned i = 0; !job && i < pool->pending; i++)
            if (take(&pool->jobs[(pool->oldest + i) % DFT_JOBS_MAX]))
                job = &pool->jobs[(pool->oldest + i) % DFT_JOBS_MAX];
        if (job)
            run(writer, &writer->worker, job);
        else
            rest(pool, heard);
    }
}
