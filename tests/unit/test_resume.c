/*
 * A trace that one writer has begun and another one continues: whatever the first had done when it
 * was stopped, every call is there once. And spools that are damaged at random: no crash, no hang.
 *
 * The first writer runs in a child, on the same spool, and leaves by _exit where the test wants it:
 * between two of its steps. States that last a few instructions only are made by hand.
 */
#include "made_spool.h"
#include "made_trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define ROUNDS 400

static char directory[] = "/tmp/dftrace-test-resume-XXXXXX";
static struct dft_spool spool;
static char trace[1 << 22];

/* Runs `steps` steps of a writer in another process, which ends without a further word. */
static void begin_elsewhere(int steps)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        int error;
        char path[1500];
        struct dft_writer *writer = dft_writer_open(&spool, &error, path, sizeof path);
        for (int i = 0; writer && i < steps; i++)
            dft_writer_step(writer);
        _exit(writer ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void read_trace(const char *path)
{
    gzFile file = gzopen(path, "rb");
    int length = file ? gzread(file, trace, sizeof trace - 1) : -1;

    trace[length > 0 ? length : 0] = '\0';
    if (file)
        gzclose(file);
}

/* Completes the trace as a recovery does; false where that was not possible. */
static bool recover(struct dft_writer_result *result)
{
    struct dft_spool_findings findings;
    char path[1500];
    int error = dft_spool_examine(&spool, &findings);

    spool.gone = true;
    spool.header->ended = findings.latest;
    struct dft_writer *writer = error ? NULL : dft_writer_open(&spool, &error, path, sizeof path);
    trace[0] = '\0';
    if (!writer)
        return false;
    dft_writer_finish(writer);
    dft_writer_result(writer, result);
    read_trace(result->path);
    unlink(result->path);
    dft_writer_close(writer);
    return true;
}

static void drop_spool(void)
{
    dft_spool_unlink(&spool);
    dft_spool_unmap(&spool);
}

static unsigned occurrences(const char *part)
{
    return count_parts(trace, part);
}

/* Two threads, one of them ended, several full chunks, open calls, commits after every chunk. */
static unsigned make_busy_spool(void)
{
    unsigned calls = 0;

    CHECK_INT(make_spool(&spool, directory), 0);
    spool.header->settings.member_size = 1;
    uint32_t f = make_site(&spool, "f"), open = make_site(&spool, "open");
    struct dft_thread *first = make_thread(&spool, 43), *second = make_thread(&spool, 44);
    for (int chunk = 0; chunk < 3; chunk++) {
        make_chunk(&spool, first);
        for (int i = 0; i < 50; i++)
            make_call(first, f, 2000 + 10 * calls++, 5);
    }
    make_chunk(&spool, second);
    for (int i = 0; i < 50; i++)
        make_call(second, f, 2000 + 10 * calls++, 5);
    make_open_call(first, open, 1500);
    make_open_call(second, open, 1600);
    end_thread(&spool, second, 90000);
    second->dropped = 3;
    return calls;
}

static void check_whole(unsigned calls)
{
    char end[80];

    snprintf(end, sizeof end, "\"num_events\":%u,\"dropped\":3}}\n]", calls + 2);
    CHECK_INT(occurrences("\"name\":\"f\""), calls);
    CHECK_INT(occurrences("\"name\":\"open\""), 2);
    CHECK_INT(occurrences("\"unfinished\":true"), 2);
    CHECK_INT(occurrences("\"name\":\"start\""), 1);
    CHECK_INT(occurrences("\"name\":\"thread_name\""), 3);
    CHECK_CONTAINS(trace, end);
    CHECK(strncmp(trace, "[\n{", 3) == 0);
}

static void goes_on_after_any_number_of_steps(void)
{
    for (int steps = 0; steps < 4; steps++) {
        struct dft_writer_result result;
        unsigned calls = make_busy_spool();
        begin_elsewhere(steps);
        CHECK(recover(&result) && !result.restarted);
        check_whole(calls);
        drop_spool();
    }
}

/* Stopped after its bytes were appended, before the commit that makes them count. */
static void cuts_off_what_was_not_committed(void)
{
    struct dft_writer_result result;
    unsigned calls = make_busy_spool();

    begin_elsewhere(2);
    int fd = open(spool.header->trace.path, O_WRONLY | O_APPEND);
    CHECK_INT(write(fd, "half a member", 13), 13);
    close(fd);
    uint32_t commit = atomic_load(&spool.header->commit);
    spool.header->committed[(commit + 1) & 1] = (struct dft_commit){.size = 1, .complete = 1};
    for (uint32_t i = 0; i < atomic_load(&spool.header->chunk_count); i++)
        if (spool.directory[i].pending_commit == 0)
            spool.directory[i].pending_commit = commit + 1;
    CHECK(recover(&result));
    check_whole(calls);
    drop_spool();
}

/* Stopped right after the commit: nothing was given back, everything still stands in its place. */
static void repeats_nothing_that_was_committed(void)
{
    struct dft_writer_result result;
    unsigned calls = make_busy_spool();
    const struct dft_thread *first = dft_spool_thread(&spool, 0);
    uint32_t oldest = first->oldest;
    static char records[DFT_CHUNK_SIZE];
    struct dft_chunk entry = spool.directory[oldest];

    memcpy(records, dft_spool_chunk_records(&spool, oldest), sizeof records);
    begin_elsewhere(1);
    uint32_t next = entry.next - 1;
    CHECK(dft_spool_thread(&spool, 0)->oldest != oldest);
    /* The chunk again as it was before the commit gave it back. */
    entry.pending_commit = 1;
    entry.next = dft_spool_thread(&spool, 0)->oldest + 1;
    spool.directory[oldest] = entry;
    dft_spool_thread(&spool, 0)->oldest = oldest;
    memcpy(dft_spool_chunk_records(&spool, oldest), records, sizeof records);
    CHECK(next != oldest);
    CHECK(recover(&result));
    check_whole(calls);
    drop_spool();
}

/* A thread's end is in the file, its slot not yet free. */
static void ends_a_thread_once(void)
{
    struct dft_writer_result result;
    unsigned calls = make_busy_spool();
    struct dft_thread *second = dft_spool_thread(&spool, 1);

    atomic_store(&spool.header->waiting, 1); /* a step commits what it has */
    begin_elsewhere(1);
    CHECK_INT(atomic_load(&second->state), DFT_THREAD_FREE);
    CHECK(second->pending_commit > 0);
    dft_spool_end_thread(&spool, second);
    CHECK(recover(&result));
    check_whole(calls);
    drop_spool();
}

static void recovers_a_recovery(void)
{
    struct dft_writer_result result;
    unsigned calls = make_busy_spool();

    begin_elsewhere(1);
    pid_t child = fork();
    if (child == 0) { /* another recovery, which dies when half of the trace is written */
        struct dft_spool_findings findings;
        char path[1500];
        int error;
        dft_spool_examine(&spool, &findings);
        spool.gone = true;
        struct dft_writer *writer = dft_writer_open(&spool, &error, path, sizeof path);
        if (writer)
            dft_writer_step(writer);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    CHECK(recover(&result));
    check_whole(calls);
    drop_spool();
}

static void a_complete_trace_is_left_alone(void)
{
    struct dft_writer_result result;

    make_busy_spool();
    CHECK(!dft_writer_is_complete(&spool));
    CHECK(recover(&result));
    CHECK(dft_writer_is_complete(&spool));
    drop_spool();
}

static void a_file_that_is_gone_is_made_again(void)
{
    struct dft_writer_result result;

    make_busy_spool();
    begin_elsewhere(1);
    CHECK_INT(unlink(spool.header->trace.path), 0);
    CHECK(recover(&result) && result.restarted);
    CHECK_INT(occurrences("\"name\":\"start\""), 1);
    CHECK(occurrences("\"name\":\"open\"") >= 1);
    CHECK(occurrences("\"name\":\"f\"") >= 50);
    drop_spool();
}

/* Stopped between making the file and noting which one it is. */
static void a_nameless_file_is_taken_over(void)
{
    struct dft_writer_result result;
    struct stat status;
    char path[1500];
    unsigned calls = make_busy_spool();

    begin_elsewhere(0);
    spool.header->trace.inode = 0;
    snprintf(path, sizeof path, "%s", spool.header->trace.path);
    CHECK(stat(path, &status) == 0 && status.st_size == 0);
    CHECK(recover(&result));
    check_whole(calls);
    CHECK_TEXT(spool.header->trace.path, path);
    drop_spool();
}

/* The counter's rate is in the spool: two anchors that the writer has left. */
static void converts_ticks_of_another_boot(void)
{
    struct dft_writer_result result;
    struct dft_anchor latest = {.ticks = 5000000000u, .monotonic_ns = 3000000000u};

    CHECK_INT(make_spool(&spool, directory), 0);
    spool.header->clock = DFT_CLOCK_COUNTER;
    spool.header->started = (struct dft_anchor){.ticks = 1000000000u, .monotonic_ns = 1000000000u};
    snprintf(spool.header->boot, sizeof spool.header->boot, "another");
    dft_spool_keep_anchor(&spool, &latest);
    struct dft_thread *thread = make_thread(&spool, 43);
    make_chunk(&spool, thread);
    make_call(thread, make_site(&spool, "f"), 1000002000u, 1000);
    make_open_call(thread, make_site(&spool, "open"), 1000001000u);
    CHECK(recover(&result));
    CHECK_CONTAINS(trace, "\"dur\":0.500,\"ts\":1000001.000}");
    /* It was alive when the latest anchor was taken. */
    CHECK_CONTAINS(trace, "\"dur\":1999999.500,\"ts\":1000000.500}");
    drop_spool();
}

/* --- damage --- */

static uint64_t seed = 88172645463325252u;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static void damage(void)
{
    struct dft_spool_header *header = spool.header;
    const struct {
        uint64_t offset, size;
    } parts[] = {
        {offsetof(struct dft_spool_header, pid),
         offsetof(struct dft_spool_header, settings) - offsetof(struct dft_spool_header, pid)},
        {offsetof(struct dft_spool_header, free_chunks),
         sizeof *header - offsetof(struct dft_spool_header, free_chunks)},
        {header->directory.offset, 8 * sizeof(struct dft_chunk)},
        {header->site_index.offset, 16},
        {header->site_text.offset, 128},
        {header->segments.offset, 128},
        {header->throttled.offset, 128},
        {header->threads.offset, 512},
        {header->threads.offset + DFT_THREAD_SIZE, 512},
        {header->chunks.offset, 256}};
    size_t count = sizeof parts / sizeof *parts;
    const uint64_t sizes[2] = {header->committed[0].size, header->committed[1].size};

    for (unsigned i = 0; i < 1 + next_random() % 8; i++) {
        size_t part = next_random() % count;
        uint64_t value = next_random() % 3 == 0 ? next_random() : next_random() % 20;
        size_t width = next_random() % 2 ? 4 : 1;
        uint64_t at = parts[part].offset + next_random() % (parts[part].size / 4) * 4;
        memcpy((char *)header + at, &value, width);
    }
    /* Nothing else tells where a member ends: the file would be cut inside of one. */
    header->committed[0].size = sizes[0];
    header->committed[1].size = sizes[1];
}

static void damaged_spools_do_no_harm(void)
{
    for (int round = 0; round < unit_rounds(ROUNDS); round++) {
        struct dft_writer_result result;
        make_busy_spool();
        if (round % 2)
            begin_elsewhere(1);
        damage();
        if (recover(&result))
            CHECK(result.error || result.events == 0 || strstr(trace, "\n]"));
        else if (spool.header->trace.path[0])
            unlink(spool.header->trace.path);
        drop_spool();
    }
}

static void only_spools_are_opened(void)
{
    struct dft_spool opened;
    char path[200];

    snprintf(path, sizeof path, "%s/file", directory);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    CHECK_INT(dft_spool_open(&opened, fd, path), -ENODATA);
    CHECK_INT(write(fd, "no spool, but some text", 23), 23);
    CHECK_INT(dft_spool_open(&opened, fd, path), -ENOMSG);
    close(fd);
    unlink(path);
    fd = open(directory, O_RDONLY);
    CHECK_INT(dft_spool_open(&opened, fd, path), -EINVAL);
    close(fd);

    make_busy_spool();
    fd = open(spool.path, O_RDWR);
    CHECK_INT(dft_spool_open(&opened, fd, spool.path), 0);
    dft_spool_unmap(&opened);
    spool.header->threads.offset += 4096;
    CHECK_INT(dft_spool_open(&opened, fd, spool.path), -EBADMSG);
    spool.header->threads.offset -= 4096;
    spool.header->version++;
    CHECK_INT(dft_spool_open(&opened, fd, spool.path), -EPROTONOSUPPORT);
    spool.header->version = DFT_SPOOL_OLDEST - 1;
    CHECK_INT(dft_spool_open(&opened, fd, spool.path), -EPROTONOSUPPORT);
    spool.header->version = DFT_SPOOL_OLDEST;
    CHECK_INT(dft_spool_open(&opened, fd, spool.path), -EPROTONOSUPPORT);
    spool.header->header_size = offsetof(struct dft_spool_header, moved);
    CHECK_INT(dft_spool_open(&opened, fd, spool.path), 0);
    dft_spool_unmap(&opened);
    spool.header->version = DFT_SPOOL_VERSION;
    spool.header->header_size = sizeof *spool.header;
    CHECK_INT(ftruncate(fd, (off_t)spool.size - 4096), 0);
    CHECK_INT(dft_spool_open(&opened, fd, spool.path), -EBADMSG);
    close(fd);
    drop_spool();
}

static void remove_rest(void)
{
    DIR *rest = opendir(directory);
    struct dirent *entry;

    while (rest && (entry = readdir(rest)))
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(rest), entry->d_name, 0);
    closedir(rest);
}

int main(void)
{
    if (!CHECK(mkdtemp(directory) != NULL))
        return unit_result();
    goes_on_after_any_number_of_steps();
    cuts_off_what_was_not_committed();
    repeats_nothing_that_was_committed();
    ends_a_thread_once();
    recovers_a_recovery();
    a_complete_trace_is_left_alone();
    a_file_that_is_gone_is_made_again();
    a_nameless_file_is_taken_over();
    converts_ticks_of_another_boot();
    only_spools_are_opened();
    damaged_spools_do_no_harm();
    remove_rest();
    CHECK_INT(rmdir(directory), 0);
    return unit_result();
}
