/*
 * Snapshots and thread counters: what a snapshot has written is cut off again, so the counters of
 * the trace itself go on from the sample before it.
 */
#include "made_spool.h"
#include "made_trace.h"
#include "os/time.h"

#include <stdlib.h>
#include <unistd.h>

#define DAY_MS (24 * 3600 * 1000)

static char directory[] = "/tmp/dftrace-test-snapshots-XXXXXX";
static struct dft_spool spool;
static char trace[1 << 20];

static uint64_t now(void)
{
    return dft_time_now(CLOCK_MONOTONIC);
}

/* A spool of this process, in which the main thread is traced. */
static struct dft_thread *begin(uint32_t interval_ms)
{
    CHECK_INT(make_spool(&spool, directory), 0);
    spool.header->settings.thread_counters = 1;
    spool.header->settings.counter_interval_ms = interval_ms;
    spool.header->at_begin = (struct dft_process_usage){.monotonic_ns = now(), .threads = 1};
    struct dft_thread *thread = make_thread(&spool, getpid());
    make_chunk(&spool, thread);
    return thread;
}

static void finish(struct dft_writer *writer)
{
    finish_trace(&spool, writer, now(), trace, sizeof trace);
}

static void show(struct dft_writer *writer)
{
    atomic_store(&spool.header->show, DFT_SHOW_ASKED);
    dft_writer_show_if_asked(writer, false);
    CHECK_INT(atomic_load(&spool.header->show), DFT_SHOW_DONE);
}

/* The first sample of the thread's CPU time in the trace holds from the session's beginning on. */
static void check_first_sample(uint64_t begin_ns)
{
    char expected[64];
    const char *sample = strstr(trace, "\"name\":\"thread cpu\"");

    snprintf(expected, sizeof expected, "\"ts\":%llu.%03llu,", (unsigned long long)begin_ns / 1000,
             (unsigned long long)begin_ns % 1000);
    if (CHECK(sample != NULL)) {
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(sample, "\n"), sample);
        CHECK_CONTAINS(line, expected);
    }
}

static void a_sample_in_a_snapshot_is_not_in_the_trace(void)
{
    struct dft_thread *thread = begin(DAY_MS);
    uint64_t begin_ns = spool.header->at_begin.monotonic_ns;
    struct dft_writer *writer = open_writer(&spool);

    make_call(thread, make_site(&spool, "f"), begin_ns + 1, 5);
    show(writer);
    finish(writer);
    check_first_sample(begin_ns);
}

/* The process failed to exec. Before that it had made no call, so its trace was removed. */
static void a_sample_in_a_removed_trace_is_not_in_the_next(void)
{
    struct dft_thread *thread = begin(DAY_MS);
    uint64_t begin_ns = spool.header->at_begin.monotonic_ns;
    struct dft_writer *writer = open_writer(&spool);

    spool.header->ended = now();
    dft_writer_conclude(writer);
    dft_writer_go_on(writer);
    CHECK_INT(dft_writer_error(writer), 0);
    make_call(thread, make_site(&spool, "f"), begin_ns + 1, 5);
    finish(writer);
    check_first_sample(begin_ns);
}

/* A thread's last counter says that it uses no processor any more. */
static void a_thread_that_ends_before_a_snapshot_ends_in_the_trace(void)
{
    struct dft_thread *thread = begin(1);
    struct dft_writer *writer = open_writer(&spool);

    make_call(thread, make_site(&spool, "f"), now(), 5);
    usleep(2000); /* longer than an interval: the next step takes a sample */
    dft_writer_step(writer);
    uint64_t ended_ns = now();
    end_thread(&spool, thread, ended_ns);
    show(writer);
    finish(writer);
    char expected[128];
    snprintf(expected, sizeof expected, "\"ts\":%llu.%03llu,\"args\":{\"worker %ld pct\":0.0}}",
             (unsigned long long)ended_ns / 1000, (unsigned long long)ended_ns % 1000,
             (long)getpid());
    CHECK_CONTAINS(trace, expected);
}

int main(void)
{
    if (!CHECK(mkdtemp(directory) != NULL))
        return unit_result();
    a_sample_in_a_snapshot_is_not_in_the_trace();
    a_sample_in_a_removed_trace_is_not_in_the_next();
    a_thread_that_ends_before_a_snapshot_ends_in_the_trace();
    CHECK_INT(rmdir(directory), 0);
    return unit_result();
}
