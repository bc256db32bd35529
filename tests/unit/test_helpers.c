/*
 * The writer with helper threads: the same trace as without them, and whenever it is killed, each
 * call is either in the file or still in the spool.
 */
#include "unit.h"
#include "writer/writer.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define CHUNKS 120
#define CALLS (CHUNKS * DFT_CHUNK_RECORDS)
#define FIRST_START 2000000000u
#define APART 1000 /* ns from one start to the next */

static struct dft_spool spool;
static char directory[] = "/tmp/dftrace-test-helpers-XXXXXX";
static char trace[2][128 << 20];

/* Two threads, as they leave a spool behind that nobody has emptied yet. */
static void fill_spool(bool compression)
{
    static const char text[64] = "solver::step\0\0a.c\0\0FUNC";
    struct dft_thread *threads[2];
    uint32_t slot, number = 0;

    CHECK_INT(dft_spool_create(&spool, directory, 2 * CHUNKS * DFT_CHUNK_SIZE), 0);
    struct dft_spool_header *header = spool.header;
    header->clock = DFT_CLOCK_MONOTONIC;
    header->pid = 42;
    memcpy(header->app, "app", 4);
    snprintf(header->settings.prefix, sizeof header->settings.prefix, "%s/trace", directory);
    header->settings.compression = compression;
    header->settings.metadata = 1;
    header->settings.member_size = 1; /* a member for each chunk */
    header->ended = FIRST_START + CALLS * APART;
    uint32_t site = dft_spool_intern_site(&spool, text, 7, 0);
    for (int i = 0; i < 2; i++) {
        threads[i] = dft_spool_claim_thread(&spool, &slot);
        memset(threads[i], 0, DFT_THREAD_SIZE);
        threads[i]->tid = 43 + i;
        threads[i]->top = threads[i]->frames + 1;
        threads[i]->oldest = threads[i]->chunk = DFT_NO_CHUNK;
        atomic_store(&threads[i]->state, DFT_THREAD_LIVE);
    }
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        struct dft_thread *thread = threads[chunk % 2];
        CHECK_INT(dft_spool_take_chunk(&spool, false), chunk);
        if (thread->chunk != DFT_NO_CHUNK) {
            spool.directory[thread->chunk].next = chunk + 1;
            atomic_store(&spool.directory[thread->chunk].state, DFT_CHUNK_FULL);
        } else {
            thread->oldest = chunk;
        }
        thread->chunk = chunk;
        spool.directory[chunk] = (struct dft_chunk){.thread = chunk % 2};
        atomic_store(&spool.directory[chunk].state, DFT_CHUNK_OPEN);
        struct dft_record *records = dft_spool_chunk_records(&spool, chunk);
        for (uint32_t i = 0; i < DFT_CHUNK_RECORDS; i++, number++)
            records[i] = (struct dft_record){FIRST_START + (uint64_t)number * APART, 500, site};
    }
}

static void remove_spool(void)
{
    dft_spool_unlink(&spool);
    dft_spool_unmap(&spool);
}

static struct dft_writer *open_writer(char *path)
{
    struct dft_writer_result result;
    char wrong[2048];
    int error = 0;
    struct dft_writer *writer = dft_writer_open(&spool, &error, wrong, sizeof wrong);

    if (!CHECK_INT(error, 0))
        exit(unit_result());
    dft_writer_result(writer, &result);
    snprintf(path, 2048, "%s", result.path);
    return writer;
}

static void read_trace(const char *path, char *text)
{
    gzFile file = gzopen(path, "rb");
    int length = file ? gzread(file, text, sizeof trace[0] - 1) : -1;

    CHECK(length >= 0);
    text[length > 0 ? length : 0] = '\0';
    if (file)
        gzclose(file);
}

static _Atomic unsigned began, ended, unblocked, hasty, commits;

static void begin_helper(void)
{
    sigset_t blocked;

    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (!sigismember(&blocked, SIGTERM) || !sigismember(&blocked, SIGPROF))
        atomic_fetch_add(&unblocked, 1);
    atomic_fetch_add(&began, 1);
}

static void end_helper(void)
{
    /* Of Linux, a thread's own: the traced program goes first. */
    if (getpriority(PRIO_PROCESS, (id_t)gettid()) <= 0)
        atomic_fetch_add(&hasty, 1);
    atomic_fetch_add(&ended, 1);
}

static void note_progress(uint64_t done, uint64_t all)
{
    static uint64_t last;

    CHECK(done <= all && (done >= last || done <= 1) && all == CHUNKS);
    last = done;
    atomic_fetch_add(&commits, 1);
}

static void the_trace_is_the_same_with_helpers(bool compression)
{
    static const struct dft_writer_host host = {begin_helper, end_helper, note_progress};
    char path[2048];

    for (int helpers = 0; helpers < 2; helpers++) {
        fill_spool(compression);
        struct dft_writer *writer = open_writer(path);
        dft_writer_set_host(writer, &host);
        if (helpers)
            dft_writer_start_helpers(writer);
        atomic_store(&commits, 0);
        dft_writer_finish(writer);
        dft_writer_close(writer);
        CHECK(atomic_load(&commits) >= CHUNKS);
        CHECK_INT(atomic_load(&began), atomic_load(&ended)); /* close has joined them */
        CHECK_INT(atomic_load(&unblocked), 0);
        CHECK_INT(atomic_load(&hasty), 0);
        read_trace(path, trace[helpers]);
        unlink(path);
        remove_spool();
    }
    CHECK(strcmp(trace[0], trace[1]) == 0);
    CHECK_CONTAINS(strrchr(trace[0], '{'), "\"num_events\":491520,");
}

/* --- killed ------------------------------------------------------------------------------------
 */

static unsigned char times_seen[CALLS];

static void see(uint64_t start)
{
    uint64_t number = (start - FIRST_START) / APART;

    if (CHECK(number < CALLS))
        times_seen[number]++;
}

/* What a recovery would take from the spool: chunks that no commit covers. */
static void see_spool(void)
{
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        const struct dft_chunk *entry = &spool.directory[chunk];
        const struct dft_record *records = dft_spool_chunk_records(&spool, chunk);
        bool committed = dft_spool_is_committed(&spool, entry->pending_commit);
        if (atomic_load(&entry->state) == DFT_CHUNK_FREE || committed)
            continue;
        for (uint32_t i = 0; i < DFT_CHUNK_RECORDS; i++)
            if (records[i].site)
                see(records[i].start);
    }
}

static void see_file(const char *path)
{
    uint32_t commit = atomic_load(&spool.header->commit);

    CHECK_INT(truncate(path, (off_t)spool.header->committed[commit & 1].size), 0);
    read_trace(path, trace[0]);
    for (const char *at = trace[0]; (at = strstr(at, "\n{\"name\":\"solver::step\"")); at++) {
        const char *ts = strstr(at, "\"ts\":");
        char *decimals;
        uint64_t us = strtoull(ts + 5, &decimals, 10);
        see(us * 1000 + strtoull(decimals + 1, NULL, 10));
    }
}

static void write_until_killed(bool step)
{
    char path[2048];
    struct dft_writer *writer = open_writer(path);

    dft_writer_start_helpers(writer);
    while (step && dft_writer_step(writer))
        continue;
    dft_writer_finish(writer);
    pause();
    _exit(1);
}

static void a_killed_writer_neither_loses_nor_repeats(uint32_t at_commit, bool step)
{
    char path[2048];
    int status;

    fill_spool(true);
    snprintf(path, sizeof path, "%s/trace-app-42.pfw.gz", directory);
    pid_t child = fork();
    if (child == 0)
        write_until_killed(step);
    while (atomic_load(&spool.header->commit) < at_commit && waitpid(child, &status, WNOHANG) == 0)
        usleep(50);
    kill(child, SIGKILL);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

    memset(times_seen, 0, sizeof times_seen);
    see_spool();
    see_file(path);
    unsigned wrong = 0;
    for (size_t i = 0; i < CALLS; i++)
        wrong += times_seen[i] != 1;
    CHECK_INT(wrong, 0);
    unlink(path);
    remove_spool();
}

int main(void)
{
    if (!CHECK(mkdtemp(directory) != NULL))
        return unit_result();
    the_trace_is_the_same_with_helpers(true);
    the_trace_is_the_same_with_helpers(false);
    for (uint32_t commit = 1; commit < CHUNKS; commit += 7)
        a_killed_writer_neither_loses_nor_repeats(commit, commit % 2);
    CHECK_INT(rmdir(directory), 0); /* nothing was left behind */
    return unit_result();
}
