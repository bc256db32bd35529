/*
 * The writer on spools made by hand, as a traced process leaves them: ended and open calls, calls
 * longer than a record holds, ties, several chunks, a batch that was committed and one that was
 * not, a file that may not grow.
 */
#include "made_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static struct dft_spool spool;
static char directory[] = "/tmp/dftrace-test-writer-XXXXXX";
static char trace[1 << 20];

static void new_spool(void)
{
    CHECK_INT(dft_spool_create(&spool, directory, 32 * DFT_CHUNK_SIZE), 0);
    struct dft_spool_header *header = spool.header;
    header->clock = DFT_CLOCK_MONOTONIC;
    header->pid = 42;
    header->rank = -1;
    header->started.ticks = header->started.monotonic_ns = 1000;
    strcpy(header->app, "app");
    snprintf(header->settings.prefix, sizeof header->settings.prefix, "%s/trace", directory);
    header->settings.compression = 1;
    header->settings.metadata = 1;
    header->settings.member_size = 16 << 20;
}

static struct dft_thread *new_thread(int32_t tid)
{
    uint32_t slot;
    struct dft_thread *thread = dft_spool_claim_thread(&spool, &slot);

    memset(thread, 0, DFT_THREAD_SIZE);
    thread->tid = tid;
    strcpy(thread->name, "worker");
    thread->top = thread->frames + 1;
    thread->limit = thread->frames + DFT_THREAD_FRAMES;
    thread->oldest = DFT_NO_CHUNK;
    atomic_store(&thread->state, DFT_THREAD_LIVE);
    return thread;
}

static void open_chunk(struct dft_thread *thread)
{
    uint32_t chunk = dft_spool_take_chunk(&spool, true);
    struct dft_chunk *entry = &spool.directory[chunk];

    if (thread->first) {
        struct dft_chunk *before = &spool.directory[thread->chunk];
        before->next = chunk + 1;
        atomic_store(&before->state, DFT_CHUNK_FULL);
    } else {
        thread->oldest = chunk;
    }
    memset(entry, 0, sizeof *entry);
    entry->thread = dft_spool_slot(&spool, thread);
    atomic_store(&entry->state, DFT_CHUNK_OPEN);
    thread->chunk = chunk;
    thread->first = thread->next = dft_spool_chunk_records(&spool, chunk);
    thread->end = thread->first + DFT_CHUNK_RECORDS;
}

static void add(struct dft_thread *thread, uint32_t site, uint64_t start, uint64_t duration)
{
    if (duration <= UINT32_MAX) {
        *thread->next++ = (struct dft_record){start, (uint32_t)duration, site};
        return;
    }
    struct dft_record_long more = {.duration = duration, .site = site};
    *thread->next++ =
        (struct dft_record){.start = start, .site = DFT_RECORD_MAKE(DFT_RECORD_LONG, 1)};
    memcpy(thread->next++, &more, sizeof more);
}

static void push_frame(struct dft_thread *thread, uint32_t site, uint64_t start)
{
    *thread->top++ = (struct dft_frame){.start = start, .site = site};
}

static uint32_t site(const char *name)
{
    char text[128] = {0};

    strcpy(text, name);
    strcpy(text + strlen(name) + 1 + 1, "a.c"); /* no linkage name */
    return dft_spool_intern_site(&spool, text, 7, 0);
}

static struct dft_writer *new_writer(void)
{
    return open_writer(&spool);
}

static void finish(struct dft_writer *writer, uint64_t ended)
{
    finish_trace(&spool, writer, ended, trace, sizeof trace);
}

static unsigned occurrences(const char *part)
{
    return count_parts(trace, part);
}

static void a_trace_has_its_parts(void)
{
    new_spool();
    struct dft_thread *thread = new_thread(43);
    open_chunk(thread);
    add(thread, site("f"), 2000, 500);
    finish(new_writer(), 3000);
    CHECK(strncmp(trace, "[\n{", 3) == 0);
    CHECK_CONTAINS(trace, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":42,\"tid\":42,"
                          "\"args\":{\"name\":\"app\"}}\n,\n");
    CHECK_CONTAINS(trace, "\n,\n{\"name\":\"f\",\"cat\":\"\",\"ph\":\"X\",\"pid\":42,"
                          "\"args\":{\"file\":\"a.c\",\"line\":7},\"tid\":43,"
                          "\"dur\":0.500,\"ts\":2.000}\n");
    CHECK_CONTAINS(trace, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":42,\"tid\":43,"
                          "\"args\":{\"name\":\"worker\"}}");
    CHECK_CONTAINS(trace, "\"args\":{\"num_events\":1,\"dropped\":0}}\n]");
}

static void open_calls_are_unfinished(void)
{
    new_spool();
    struct dft_thread *thread = new_thread(43);
    uint32_t f = site("f"), g = site("g"), h = site("h");
    open_chunk(thread);
    push_frame(thread, f, 1500);
    push_frame(thread, g, 1600);
    push_frame(thread, h, 1700); /* published, killed before its frame was taken off */
    push_frame(thread, h, 0);    /* killed on its way in */
    add(thread, h, 1700, 100);
    finish(new_writer(), 3000);
    CHECK_CONTAINS(trace, "\"args\":{\"file\":\"a.c\",\"line\":7,\"unfinished\":true},"
                          "\"tid\":43,\"dur\":1.500,\"ts\":1.500}");
    CHECK_CONTAINS(trace, "\"dur\":1.400,\"ts\":1.600}");
    CHECK_CONTAINS(trace, "\"dur\":0.100,\"ts\":1.700}");
    CHECK_INT(occurrences("\"name\":\"h\""), 1);
    CHECK_INT(occurrences("\"unfinished\":true"), 2);
    CHECK_CONTAINS(trace, "\"num_events\":3,");
}

static void long_calls_keep_their_length(void)
{
    new_spool();
    struct dft_thread *thread = new_thread(43);
    open_chunk(thread);
    add(thread, site("day"), 2000, 86400000000000);
    add(thread, site("after"), 86400000009000, 10);
    finish(new_writer(), 86400000010000);
    CHECK_CONTAINS(trace, "\"dur\":86400000000.000,\"ts\":2.000}");
    CHECK_INT(occurrences("\"name\":\"after\""), 1);
}

/* Of calls with the same start and end the caller ends last, and must stand first. */
static void ties_put_the_parent_first(void)
{
    new_spool();
    struct dft_thread *thread = new_thread(43);
    open_chunk(thread);
    add(thread, site("child"), 2000, 5);
    add(thread, site("parent"), 2000, 5);
    add(thread, site("grandparent"), 2000, 6);
    finish(new_writer(), 3000);
    const char *child = strstr(trace, "\"name\":\"child\""),
               *parent = strstr(trace, "\"name\":\"parent\"");
    const char *grandparent = strstr(trace, "\"name\":\"grandparent\"");
    CHECK(child && parent && grandparent && parent < child && child < grandparent);
}

/* Full chunks are taken by steps, given back by the commit, and never written twice. */
static void chunks_go_round(void)
{
    new_spool();
    spool.header->settings.member_size = 1; /* a commit after every chunk */
    struct dft_thread *thread = new_thread(43);
    struct dft_writer *writer = new_writer();
    uint32_t f = site("f");
    unsigned calls = 0;

    open_chunk(thread);
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 100; i++)
            add(thread, f, 2000 + calls++ * 10, 5);
        open_chunk(thread);
        CHECK(dft_writer_step(writer));
        CHECK(!dft_writer_step(writer));
    }
    CHECK(atomic_load(&spool.header->chunk_count) <= 3);
    CHECK(atomic_load(&spool.header->commit) >= 40);
    add(thread, f, 2000 + calls++ * 10, 5);
    finish(writer, 999999);
    CHECK_INT(occurrences("\"name\":\"f\""), calls);
}

static void ended_threads_give_their_slot_back(void)
{
    new_spool();
    spool.header->settings.member_size = 1;
    struct dft_thread *thread = new_thread(43);
    struct dft_writer *writer = new_writer();

    open_chunk(thread);
    add(thread, site("f"), 2000, 5);
    push_frame(thread, site("cancelled"), 1900);
    spool.directory[thread->chunk].next = 0;
    atomic_store(&spool.directory[thread->chunk].state, DFT_CHUNK_FULL);
    thread->ended = 2500;
    dft_spool_end_thread(&spool, thread);
    CHECK(dft_writer_step(writer));
    atomic_store(&spool.header->waiting, 1);
    dft_writer_step(writer);
    struct dft_thread *again = new_thread(44);
    CHECK(again == thread);
    finish(writer, 9000);
    CHECK_CONTAINS(trace, "\"tid\":43,\"dur\":0.600,\"ts\":1.900}");
    CHECK_INT(occurrences("\"thread_name\""), 3); /* both, and the main thread */
}

/* Its last chunk is closed a moment before it says that it has ended. */
static void a_thread_on_its_way_out_is_taken_once(void)
{
    new_spool();
    spool.header->settings.member_size = 1;
    struct dft_thread *thread = new_thread(43);
    struct dft_writer *writer = new_writer();

    open_chunk(thread);
    add(thread, site("f"), 2000, 5);
    atomic_store(&spool.directory[thread->chunk].state, DFT_CHUNK_FULL);
    dft_writer_step(writer);
    dft_spool_end_thread(&spool, thread);
    dft_writer_step(writer);
    finish(writer, 9000);
    CHECK_INT(occurrences("\"name\":\"f\""), 1);
}

/*
 * A signal handler has filled and closed the chunk in which the call that it interrupted has a
 * record yet to fill. Filled before the chunk's batch is committed, it must not give the chunk back
 * twice.
 */
static void a_record_filled_late_gives_its_chunk_back_once(void)
{
    new_spool();
    struct dft_thread *thread = new_thread(43);
    struct dft_writer *writer = new_writer();
    uint32_t f = site("f"), late = site("late");

    open_chunk(thread);
    uint32_t first = thread->chunk;
    struct dft_record *record = thread->next++;
    push_frame(thread, late, 1900);
    thread->top[-1].record = DFT_FRAME_RECORD((uintptr_t)record);
    add(thread, f, 2000, 5);
    open_chunk(thread);
    CHECK(dft_writer_step(writer));
    *record = (struct dft_record){1900, 200, late};
    thread->top--;
    CHECK(dft_writer_step(writer));
    atomic_store(&spool.header->waiting, 1);
    dft_writer_step(writer);
    CHECK_INT(dft_spool_take_chunk(&spool, true), first);
    CHECK(dft_spool_take_chunk(&spool, true) != first);
    finish(writer, 3000);
    CHECK_INT(occurrences("\"name\":\"late\""), 1);
    CHECK_INT(occurrences("\"name\":\"f\""), 1);
}

/* Some readers see the first member only. */
static void a_small_trace_is_one_member(void)
{
    new_spool();
    spool.header->settings.member_size = 1 << 20;
    struct dft_thread *thread = new_thread(43);
    struct dft_writer *writer = new_writer();
    uint32_t f = site("f");

    open_chunk(thread);
    for (unsigned i = 0; i < 5 * DFT_CHUNK_RECORDS; i++) {
        if (thread->next == thread->end)
            open_chunk(thread);
        add(thread, f, 2000 + i * 10, 5);
    }
    while (dft_writer_step(writer))
        continue;
    CHECK_INT(atomic_load(&spool.header->commit), 0);
    finish(writer, 999999);
}

enum { BATCHES = 12, BATCH_CALLS = 300 };

/* A thread that has ended, with a chunk for each of several members. */
static void fill_batches(void)
{
    spool.header->settings.member_size = 1;
    struct dft_thread *thread = new_thread(43);
    uint32_t f = site("f");

    for (unsigned i = 0; i < BATCHES * BATCH_CALLS; i++) {
        if (i % BATCH_CALLS == 0)
            open_chunk(thread);
        add(thread, f, 2000 + i * 10, 1 + i * 7919 % 9);
    }
    thread->dropped = 5;
    atomic_store(&spool.directory[thread->chunk].state, DFT_CHUNK_FULL);
    dft_spool_end_thread(&spool, thread);
}

/* Room for two members or so beside the reserve. */
static void limit_files(bool limited)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = limited ? 22 << 10 : limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void a_member_that_cannot_be_written_is_tried_again(void)
{
    new_spool();
    fill_batches();
    struct dft_writer *writer = new_writer();

    limit_files(true);
    for (int i = 0; i < 3; i++)
        dft_writer_step(writer);
    CHECK_INT(dft_writer_error(writer), -EFBIG);
    CHECK_INT(atomic_load(&spool.header->failing), 1);
    CHECK(atomic_load(&spool.header->commit) > 0);
    limit_files(false);
    usleep(150000); /* longer than between two attempts */
    dft_writer_step(writer);
    CHECK_INT(dft_writer_error(writer), 0);
    CHECK_INT(atomic_load(&spool.header->failing), 0);
    while (dft_writer_step(writer))
        continue;
    finish(writer, 999999);
    CHECK_INT(occurrences("\"name\":\"f\","), BATCHES * BATCH_CALLS);
    CHECK_INT(occurrences("\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":42,\"tid\":43"), 1);
    CHECK_CONTAINS(trace, "\"dropped\":5,\"reason\":\"File too large\"}}\n]");
}

static void what_cannot_be_written_is_counted_and_stays(void)
{
    new_spool();
    fill_batches();
    struct dft_writer *writer = new_writer();
    struct dft_writer_result result;
    char expected[128];

    limit_files(true);
    spool.header->ended = 999999;
    dft_writer_step(writer);
    dft_writer_finish(writer);
    dft_writer_result(writer, &result);
    limit_files(false);
    CHECK(result.is_kept);
    CHECK_INT(result.dropped, 5);
    CHECK_INT(result.events + result.lost, BATCHES * BATCH_CALLS);
    CHECK(result.events > 0 && result.lost > 0);
    gzFile file = gzopen(result.path, "rb");
    int length = file ? gzread(file, trace, sizeof trace - 1) : 0;
    trace[length > 0 ? length : 0] = '\0';
    gzclose(file);
    CHECK_INT(occurrences("\"name\":\"f\",\"cat\""), result.events);
    snprintf(expected, sizeof expected,
             "\"num_events\":%llu,\"dropped\":5,\"lost\":%llu,\"reason\":\"File too large\"}}\n]",
             (unsigned long long)result.events, (unsigned long long)result.lost);
    CHECK_CONTAINS(trace, expected);
    dft_writer_close(writer);

    spool.gone = true;
    finish(new_writer(), 999999);
    CHECK_INT(occurrences("\"name\":\"f\","), BATCHES * BATCH_CALLS);
    CHECK_INT(occurrences("\"name\":\"end\","), 1);
    CHECK_CONTAINS(trace, "\"dropped\":5,\"reason\":\"File too large\"}}\n]");
}

/* Some members of the conclusion are written, one is not, and calls are left behind that one. */
static void a_conclusion_that_fails_is_taken_back(void)
{
    enum { THREADS = 14, CALLS = 300 };
    new_spool();
    struct dft_writer *writer = new_writer();
    struct dft_thread *thread = NULL;
    struct dft_writer_result result;
    uint32_t f = site("f");

    for (unsigned i = 0; i < THREADS * CALLS; i++) {
        if (i % CALLS == 0)
            open_chunk(thread = new_thread(43 + (int)(i / CALLS)));
        add(thread, f, 2000 + i * 10, 1 + i * 7919 % 9);
        if (i == CALLS - 2) /* what is before is committed first */
            open_chunk(thread);
    }
    atomic_store(&spool.header->waiting, 1);
    dft_writer_step(writer);
    atomic_store(&spool.header->waiting, 0);
    CHECK_INT(atomic_load(&spool.header->commit), 1);
    spool.header->settings.member_size = CALLS * 200; /* the calls of two threads */
    spool.header->ended = 900000;
    limit_files(true);
    dft_writer_conclude(writer);
    limit_files(false);
    dft_writer_result(writer, &result);
    CHECK_INT(result.error, -EFBIG);
    CHECK(result.events > CALLS && result.lost > CALLS);
    CHECK_INT(result.events + result.lost, THREADS * CALLS);
    dft_writer_go_on(writer);
    CHECK_INT(dft_writer_error(writer), 0);
    atomic_store(&spool.header->waiting, 1);
    dft_writer_step(writer);
    CHECK_INT(atomic_load(&thread->state), DFT_THREAD_LIVE);
    CHECK_INT(atomic_load(&spool.directory[thread->chunk].state), DFT_CHUNK_OPEN);
    finish(writer, 999999);
    CHECK_INT(occurrences("\"name\":\"f\",\"cat\""), THREADS * CALLS);
}

/* It has events like calls, is never added up and never counts as a call. */
static void own_work_is_no_call(void)
{
    new_spool();
    dft_spool_add_own_sites(&spool);
    uint32_t wait = spool.header->own_sites[DFT_OWN_WAIT];
    uint32_t work = spool.header->own_sites[DFT_OWN_WORK], f = site("f");
    struct dft_thread *thread = new_thread(43);
    struct dft_spool_findings findings;
    struct dft_spool_unwritten unwritten;

    dft_spool_add_own_sites(&spool); /* as in the child of a fork: their numbers stay */
    CHECK_INT(spool.header->own_sites[DFT_OWN_WAIT], wait);
    spool.header->settings.min_duration_ns = 1000;
    open_chunk(thread);
    add(thread, f, 2000, 5000);
    add(thread, wait, 8000, 100);
    add(thread, work, 7500, 0x100000000);
    dft_spool_examine(&spool, &findings);
    CHECK_INT(findings.calls, 1);
    dft_spool_count_unwritten(&spool, &unwritten);
    CHECK_INT(unwritten.calls, 1);
    finish(new_writer(), 0x200000000);
    CHECK_CONTAINS(trace,
                   "{\"name\":\"dftrace: waiting for writer\",\"cat\":\"dftrace\",\"ph\":\"X\"");
    CHECK_CONTAINS(trace, ",\"dur\":0.100,\"ts\":8.000}");
    CHECK_CONTAINS(trace, "{\"name\":\"dftrace: bookkeeping\",\"cat\":\"dftrace\",\"ph\":\"X\"");
    CHECK_CONTAINS(trace, ",\"dur\":4294967.296,\"ts\":7.500}");
    CHECK_CONTAINS(trace, "\"num_events\":1,\"dropped\":0");
    CHECK(strstr(trace, "calls of") == NULL);
    CHECK(strstr(trace, "\"function\":\"dftrace") == NULL);
}

static void a_trace_without_a_call_is_removed(void)
{
    new_spool();
    finish(new_writer(), 3000);
    CHECK_TEXT(trace, "");
}

int main(void)
{
    if (!CHECK(mkdtemp(directory) != NULL))
        return unit_result();
    a_trace_has_its_parts();
    open_calls_are_unfinished();
    long_calls_keep_their_length();
    ties_put_the_parent_first();
    chunks_go_round();
    ended_threads_give_their_slot_back();
    a_thread_on_its_way_out_is_taken_once();
    a_record_filled_late_gives_its_chunk_back_once();
    a_small_trace_is_one_member();
    a_member_that_cannot_be_written_is_tried_again();
    what_cannot_be_written_is_counted_and_stays();
    a_conclusion_that_fails_is_taken_back();
    own_work_is_no_call();
    a_trace_without_a_call_is_removed();
    CHECK_INT(rmdir(directory), 0); /* nothing was left behind */
    return unit_result();
}
