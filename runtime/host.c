/*
 * The background thread that runs the writer. All its signals are blocked, its stack is small, and
 * neither it nor its helpers ever run a hook.
 */
#include "runtime/host.h"
#include "runtime/log.h"
#include "runtime/thread.h"
#include "writer/writer.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define IDLE_MS 100
#define BASELINE_MS 5
#define STACK_SIZE (256u << 10)
#define PROGRESS_FIRST_MS 1000
#define PROGRESS_TERMINAL_MS 200
#define PROGRESS_LINE_MS 5000

static struct {
    pthread_t thread;
    struct dft_spool *spool;
    struct dft_writer *writer;
    bool said_error;
    bool said_progress;
    uint64_t finish_ms, said_ms;
} host;

static void say_error(void)
{
    int error = dft_writer_error(host.writer);
    struct dft_writer_result result;

    if (!error || host.said_error)
        return;
    host.said_error = true;
    dft_writer_result(host.writer, &result);
    dft_log(DFT_LEVEL_ERROR, "cannot write to %s: %s; the program runs on, further calls are lost",
            result.path, strerror(-error));
}

/*
 * ThreadSanitizer sees memcpy and strlen of this thread, but not the atomics that make them right.
 * These are its own functions, there when the program was built with it.
 */
void AnnotateIgnoreReadsBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreReadsEnd(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));

static void begin_thread(const char *name)
{
    dft_busy = true;
    if (AnnotateIgnoreReadsBegin && AnnotateIgnoreWritesBegin) {
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    }
    pthread_setname_np(pthread_self(), name);
}

static void begin_helper(void)
{
    begin_thread("dftrace-helper");
}

static void end_thread(void)
{
    if (AnnotateIgnoreReadsEnd && AnnotateIgnoreWritesEnd) {
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    }
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The program has ended and waits for us: if that takes a while, people want to know why. */
static void show_progress(uint64_t done, uint64_t all)
{
    uint64_t now = now_ms();
    unsigned interval = dft_log_on_terminal() ? PROGRESS_TERMINAL_MS : PROGRESS_LINE_MS;

    if (host.finish_ms == 0)
        host.finish_ms = now;
    uint64_t left = done ? (now - host.finish_ms) * (all - done) / done / 1000 : 0;
    if (now - host.finish_ms < PROGRESS_FIRST_MS || done == 0 || done > all ||
        (host.said_progress ? now - host.said_ms < interval : left == 0))
        return;
    host.said_ms = now;
    host.said_progress = true;
    dft_log_progress("writing the trace: %u%%, %llu s left", (unsigned)(done * 100 / all),
                     (unsigned long long)left);
}

static const struct dft_writer_host callbacks = {
    .helper_begins = begin_helper, .helper_ends = end_thread, .finishing = show_progress};

static void *run(void *unused)
{
    struct dft_spool_header *header = host.spool->header;

    (void)unused;
    begin_thread("dftrace-writer");
    for (;;) {
        uint32_t seen = atomic_load(&header->wake);
        if (atomic_load(&header->state) != DFT_SPOOL_RUNNING)
            break;
        bool found = dft_writer_step(host.writer);
        say_error();
        if (!found)
            dft_spool_wait(host.spool, seen, atomic_load(&header->waiting) ? BASELINE_MS : IDLE_MS);
    }
    dft_writer_finish(host.writer);
    if (host.said_progress)
        dft_log_progress_end();
    say_error();
    end_thread();
    return NULL;
}

int dft_host_start(struct dft_spool *spool, char *path, size_t path_size)
{
    pthread_attr_t attributes;
    struct dft_guard guard;
    int error = 0;

    host.spool = spool;
    host.said_error = host.said_progress = false;
    host.finish_ms = 0;
    host.writer = dft_writer_open(spool, &error, path, path_size);
    if (!host.writer)
        return error;
    path[0] = '\0';
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    dft_writer_set_host(host.writer, &callbacks);
    dft_guard_enter(&guard);
    dft_writer_start_helpers(host.writer);
    error = pthread_create(&host.thread, &attributes, run, NULL);
    if (error == EINVAL) /* a program with much thread-local memory: it counts against the stack */
        error = pthread_create(&host.thread, NULL, run, NULL);
    dft_guard_leave(&guard);
    pthread_attr_destroy(&attributes);
    if (error) {
        dft_writer_finish(host.writer); /* no call yet: takes the empty file away */
        dft_writer_close(host.writer);
        host.writer = NULL;
    }
    return -error;
}

void dft_host_finish(struct dft_spool *spool, unsigned functions)
{
    struct dft_writer_result result;

    dft_spool_wake(spool);
    pthread_join(host.thread, NULL);
    dft_writer_result(host.writer, &result);
    if (result.events == 0 && result.lost == 0)
        dft_log(DFT_LEVEL_WARN,
                "nothing was traced: none of the %u instrumented functions was called", functions);
    else
        dft_log(DFT_LEVEL_INFO, "%llu calls in %s", (unsigned long long)result.events, result.path);
    if (result.dropped)
        dft_log(
            DFT_LEVEL_ERROR,
            "%llu calls were dropped: the spool was full (DFTRACER_SPOOL_MAX sets its size), or a "
            "longjmp left calls nested more than %u deep",
            (unsigned long long)result.dropped, (unsigned)DFT_THREAD_FRAMES - 2);
    if (result.lost)
        dft_log(DFT_LEVEL_ERROR, "%llu calls are missing in %s", (unsigned long long)result.lost,
                result.path);
    dft_writer_close(host.writer);
    host.writer = NULL;
}

void dft_host_forget(void)
{
    /* Its memory is left as it is: the writer may have been changing it when the fork came. */
    if (host.writer)
        dft_writer_forget(host.writer);
    host.writer = NULL;
}
