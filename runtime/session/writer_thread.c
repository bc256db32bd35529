/*
 * The background thread that runs the writer. All signals are blocked in it, and its stack is
 * small. Neither this thread nor the writer's helpers ever run a hook. The thread has descriptors,
 * a current directory and a root directory of its own, so the program neither sees nor closes the
 * trace file, and may call chroot.
 *
 * Threads that end the process wait for the writer's thread. dft_writer_thread_await and the other
 * functions that wait may run in any context.
 */
#include "runtime/session/writer_thread.h"
#include "os/descriptor.h"
#include "os/futex.h"
#include "os/own_thread.h"
#include "os/process.h"
#include "os/time.h"
#include "runtime/base/guard.h"
#include "runtime/base/log.h"
#include "runtime/base/tsan.h"
#include "runtime/session/last_thread.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "writer/writer.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif

#define IDLE_MS 100
#define BASELINE_MS 5
#define PROGRESS_FIRST_MS 1000
#define PROGRESS_TERMINAL_MS 200
#define PROGRESS_LINE_MS 5000
#define WAIT_NS 100000000u
#define WAITS_MAX 100   /* ten seconds without progress */
#define LONELY_AFTER 10 /* idle rounds, then the thread checks whether it is alone */

enum phase {
    PHASE_NONE,
    PHASE_STARTING,
    PHASE_RUNNING,
    PHASE_CONCLUDED, /* the file is complete, in case the pending exec succeeds */
    PHASE_DONE,
};

static struct {
    pthread_t thread;
    int32_t tid;
    _Atomic uint32_t phase;    /* enum phase; a futex word */
    _Atomic uint32_t conclude; /* a request to go to PHASE_CONCLUDED */
    _Atomic uint32_t user;     /* user who is to get the spool; 0: none; a futex word */
    struct dft_spool *spool;
    struct dft_writer *writer;
    bool apart; /* whether the thread has descriptors of its own */
    bool said_error;
    bool said_progress;
    uint64_t finish_ms, said_ms, interval_ms;
} host;

static void set_phase(enum phase phase)
{
    atomic_store(&host.phase, phase);
    dft_futex_wake(&host.phase, DFT_FUTEX_PRIVATE);
}

/*
 * Waits for the writer's thread as long as it makes progress. Counts its waits instead of measuring
 * time: a process that was stopped meanwhile is not stuck.
 */
static bool wait_for_phase(enum phase wanted)
{
    uint32_t commit = 0;

    for (unsigned i = 0; i < WAITS_MAX; i++) {
        uint32_t phase = atomic_load(&host.phase);
        if (phase == (uint32_t)wanted)
            return true;
        if (phase == PHASE_DONE)
            return false;
        uint32_t present = atomic_load(&host.spool->header->commit);
        if (present != commit)
            i = 0;
        commit = present;
        dft_futex_wait(&host.phase, phase, WAIT_NS, DFT_FUTEX_PRIVATE);
    }
    return false;
}

/* Gives the writer's thread the program's stderr, for the time of a message. */
static void borrow_stderr(void)
{
    if (!host.apart)
        return;
    int process = dft_process_descriptor(dft_kernel_pid());
    int theirs = process < 0 ? -1 : dft_process_copy_descriptor(process, STDERR_FILENO);

    if (theirs >= 0 && theirs != STDERR_FILENO) {
        dup2(theirs, STDERR_FILENO);
        close(theirs);
    }
    if (process >= 0 && process != STDERR_FILENO)
        close(process);
}

static void return_stderr(void)
{
    if (host.apart)
        close(STDERR_FILENO);
}

static void say_error(void)
{
    int error = dft_writer_error(host.writer);
    struct dft_writer_result result;

    if (!error || host.said_error)
        return;
    host.said_error = true;
    dft_writer_result(host.writer, &result);
    borrow_stderr();
    dft_log(DFT_LEVEL_ERROR,
            "cannot write to %s: %s; the program runs on. Its calls stay in the spool as long as "
            "there is room, until the trace can be written",
            result.path, dft_writer_error_text(-error));
    return_stderr();
}

/*
 * Called after the last attempt to write. Returns true if the spool is kept, because it contains
 * calls that could not be written. After a failed exec, the spool's file does not exist any more.
 */
static bool say_shortfall(void)
{
    struct dft_writer_result result;

    dft_writer_result(host.writer, &result);
    if (!result.is_kept || !host.spool->path[0])
        return false;
    borrow_stderr();
    dft_log(DFT_LEVEL_ERROR,
            "cannot write to %s: %s; %llu calls are missing. When there is room, `dftrace recover "
            "%s` completes the trace; `dftrace recover -o DIRECTORY %s` does so in another place",
            result.path, dft_writer_error_text(-result.error), (unsigned long long)result.lost,
            host.spool->path, host.spool->path);
    return_stderr();
    return true;
}

/* Reports how many calls were lost. The reason was reported when it occurred. */
static void say_lost(void)
{
    struct dft_writer_result result;

    dft_writer_result(host.writer, &result);
    if (!result.lost)
        return;
    borrow_stderr();
    dft_log(DFT_LEVEL_ERROR, "%llu calls are missing in %s", (unsigned long long)result.lost,
            result.path);
    return_stderr();
}

/*
 * Gives the thread descriptors of its own, and closes all but the trace file: otherwise it would
 * keep the program's pipes open. If the kernel cannot do that, the writer checks its descriptor
 * before each use.
 */
static void keep_apart(void)
{
    unsigned file = (unsigned)dft_writer_descriptor(host.writer);

    unshare(CLONE_FS);
    host.apart = file > 0 && dft_descriptor_close_range(0, file - 1, CLOSE_RANGE_UNSHARE) &&
                 dft_descriptor_close_range(file + 1, ~0u, 0);
}

/* Removes the spool's file; its contents are in the trace. */
static void remove_spool(void)
{
    int error = dft_spool_unlink(host.spool);

    if (!error)
        return;
    borrow_stderr();
    dft_log(DFT_LEVEL_ERROR, "cannot remove the spool %s: %s; the trace is complete without it",
            host.spool->path, dft_writer_error_text(-error));
    return_stderr();
}

/*
 * Completes the file before an exec, and waits for the exec. If the exec succeeds, this thread does
 * not return.
 */
static void conclude(void)
{
    struct dft_spool_header *header = host.spool->header;

    dft_writer_conclude(host.writer);
    if (!say_shortfall())
        remove_spool();
    set_phase(PHASE_CONCLUDED);
    for (;;) {
        uint32_t seen = atomic_load(&header->wake);
        if (!atomic_load(&host.conclude) || atomic_load(&header->state) != DFT_SPOOL_RUNNING)
            break;
        dft_spool_wait(host.spool, seen, IDLE_MS);
    }
    dft_writer_go_on(host.writer);
    host.finish_ms = 0; /* the program goes on */
    set_phase(PHASE_RUNNING);
}

/*
 * Runs in the writer's thread, whose root directory is still the one in which the spool was
 * created. The trace is given to the user as well, who must be able to complete the trace from the
 * spool.
 */
static void give_spool(uint32_t user)
{
    int trace = host.apart ? dft_writer_descriptor(host.writer) : -1;

    /* After a failed exec, the spool's file does not exist any more. */
    if ((host.spool->path[0] && lchown(host.spool->path, user, (gid_t)-1) != 0) ||
        (trace >= 0 && fchown(trace, user, (gid_t)-1) != 0))
        dft_log(DFT_LEVEL_DEBUG, "the spool %s cannot be given to user %u", host.spool->path, user);
    atomic_store(&host.user, 0);
    dft_futex_wake(&host.user, DFT_FUTEX_PRIVATE);
}

static void begin_thread(const char *name)
{
    dft_busy = true;
    dft_tsan_ignore_begin();
    pthread_setname_np(pthread_self(), name);
}

/*
 * Helpers need no descriptors. In a single-threaded program, if no helper shares the descriptor
 * table, system calls such as read() are slightly cheaper.
 */
static void begin_helper(void)
{
    begin_thread("dftrace-helper");
    dft_descriptor_close_range(0, ~0u, CLOSE_RANGE_UNSHARE);
}

static void end_thread(void)
{
    dft_tsan_ignore_end();
}

static uint64_t now_ms(void)
{
    return dft_time_now(CLOCK_MONOTONIC) / 1000000;
}

/* The program has ended and waits for the writer: if that takes long, users want to know why. */
static void show_progress(uint64_t done, uint64_t all)
{
    uint64_t now = now_ms();

    if (atomic_load(&host.spool->header->show) == DFT_SHOW_ASKED)
        return; /* a snapshot: the program has not ended */
    if (host.finish_ms == 0)
        host.finish_ms = now;
    uint64_t left = done ? (now - host.finish_ms) * (all - done) / done / 1000 : 0;
    if (now - host.finish_ms < PROGRESS_FIRST_MS || done == 0 || done > all ||
        (host.said_progress ? now - host.said_ms < host.interval_ms : left == 0))
        return;
    host.said_ms = now;
    host.said_progress = true;
    borrow_stderr();
    host.interval_ms = dft_log_on_terminal() ? PROGRESS_TERMINAL_MS : PROGRESS_LINE_MS;
    dft_log_progress("writing the trace: %u%%, %llu s left", (unsigned)(done * 100 / all),
                     (unsigned long long)left);
    return_stderr();
}

static const struct dft_writer_host callbacks = {
    .helper_begins = begin_helper, .helper_ends = end_thread, .finishing = show_progress};

static void *run(void *unused)
{
    struct dft_spool_header *header = host.spool->header;
    unsigned idle = 0;
    bool alone = false;

    (void)unused;
    begin_thread("dftrace-writer");
    host.tid = dft_kernel_tid();
    keep_apart();
    if (host.apart)
        dft_writer_owns_descriptors(host.writer);
    set_phase(PHASE_RUNNING);
    for (;;) {
        uint32_t seen = atomic_load(&header->wake);
        if (atomic_load(&header->state) != DFT_SPOOL_RUNNING)
            break;
        if (atomic_load(&host.conclude)) {
            conclude();
            continue;
        }
        uint32_t user = atomic_load(&host.user);
        if (user)
            give_spool(user);
        bool found = dft_writer_step(host.writer);
        dft_writer_show_if_asked(host.writer, found);
        say_error();
        idle = found ? 0 : idle + 1;
        if (idle >= LONELY_AFTER) {
            idle = 0;
            alone = dft_last_thread_is_gone();
            if (alone)
                dft_session_end_unattended();
        }
        if (!found)
            dft_spool_wait(host.spool, seen,
                           dft_writer_wait_ms(
                               host.writer, atomic_load(&header->waiting) ? BASELINE_MS : IDLE_MS));
    }
    dft_writer_finish(host.writer);
    if (host.said_progress) {
        borrow_stderr();
        dft_log_progress_end();
        return_stderr();
    }
    if (!say_shortfall()) {
        say_error();
        say_lost();
        remove_spool();
    }
    end_thread();
    set_phase(PHASE_DONE);
    if (alone)
        dft_last_thread_end();
    return NULL;
}

int dft_writer_thread_start(struct dft_spool *spool, char *path, size_t path_size)
{
    struct dft_guard guard;
    int error = 0;

    host.spool = spool;
    host.said_error = host.said_progress = false;
    host.finish_ms = 0;
    atomic_store(&host.conclude, 0);
    atomic_store(&host.user, 0);
    atomic_store(&host.phase, PHASE_STARTING);
    host.writer = dft_writer_open(spool, &error, path, path_size);
    if (!host.writer) {
        atomic_store(&host.phase, PHASE_NONE);
        return error;
    }
    path[0] = '\0';
    dft_writer_set_host(host.writer, &callbacks);
    dft_guard_enter(&guard);
    dft_writer_start_helpers(host.writer);
    error = dft_own_thread_start(&host.thread, run, NULL);
    dft_guard_leave(&guard);
    if (error) {
        dft_writer_finish(host.writer); /* removes the file, which contains no call yet */
        dft_writer_close(host.writer);
        host.writer = NULL;
        atomic_store(&host.phase, PHASE_NONE);
        return -error;
    }
    while (atomic_load(&host.phase) == PHASE_STARTING)
        wait_for_phase(PHASE_RUNNING);
    if (host.apart)
        dft_writer_forget(host.writer);
    return 0;
}

static void say_result(unsigned functions)
{
    struct dft_writer_result result;

    dft_writer_result(host.writer, &result);
    if (functions == 0) {
        /* explain_empty.c has reported that. */
    } else if (result.events == 0 && result.lost == 0)
        dft_log(DFT_LEVEL_WARN,
                "nothing was traced: none of the %u instrumented functions was called", functions);
    else
        dft_log(DFT_LEVEL_INFO, "%llu calls in %s", (unsigned long long)result.events, result.path);
    if (result.dropped && atomic_load(&host.spool->header->write_error))
        dft_log(DFT_LEVEL_ERROR,
                "%llu calls were dropped: the spool was full while the trace could not be written",
                (unsigned long long)result.dropped);
    else if (result.dropped)
        dft_log(
            DFT_LEVEL_ERROR,
            "%llu calls were dropped: the spool was full (DFTRACER_SPOOL_MAX sets its size), or a "
            "longjmp left calls nested more than %u deep",
            (unsigned long long)result.dropped, (unsigned)DFT_THREAD_FRAMES - 2);
}

void dft_writer_thread_finish(struct dft_spool *spool, unsigned functions)
{
    dft_spool_wake(spool);
    pthread_join(host.thread, NULL);
    say_result(functions);
    dft_writer_close(host.writer);
    host.writer = NULL;
}

void dft_writer_thread_await(void)
{
    uint32_t phase = atomic_load(&host.phase);

    if (phase == PHASE_NONE || phase == PHASE_DONE ||
        atomic_load(&host.spool->header->state) == DFT_SPOOL_RUNNING)
        return;
    if (host.tid != dft_kernel_tid() && wait_for_phase(PHASE_DONE))
        return;
    if (host.spool->path[0])
        dft_log(DFT_LEVEL_ERROR,
                "the trace is not complete: its writer is not making progress. What is missing is "
                "in %s; "
                "`dftrace recover` completes it",
                host.spool->path);
    else /* since a failed exec, nobody else can read the spool */
        dft_log(DFT_LEVEL_ERROR, "the trace is not complete: its writer is not making progress");
}

bool dft_writer_thread_conclude(void)
{
    if (!wait_for_phase(PHASE_RUNNING))
        return false;
    atomic_store(&host.conclude, 1);
    dft_spool_wake(host.spool);
    return wait_for_phase(PHASE_CONCLUDED);
}

void dft_writer_thread_resume(void)
{
    atomic_store(&host.conclude, 0);
    dft_spool_wake(host.spool);
}

void dft_writer_thread_give_spool(uint32_t user)
{
    if (atomic_load(&host.phase) != PHASE_RUNNING)
        return;
    atomic_store(&host.user, user);
    dft_spool_wake(host.spool);
    for (unsigned i = 0; i < WAITS_MAX && atomic_load(&host.user) == user; i++)
        dft_futex_wait(&host.user, user, WAIT_NS, DFT_FUTEX_PRIVATE);
}

unsigned dft_writer_thread_count(void)
{
    return host.writer ? 1 + dft_writer_helpers(host.writer) : 0;
}

void dft_writer_thread_in_child(void)
{
    /* The writer's memory is not freed: the writer may have been changing it during the fork. */
    if (host.writer)
        dft_writer_forget(host.writer);
    host.writer = NULL;
    atomic_store(&host.phase, PHASE_NONE);
}
