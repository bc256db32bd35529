/*
 * Spools of versions 1 to 4: opened as a spool of the current version, with everything that they
 * hold; continued where their writer has stopped; refused if they are damaged or in use. The real
 * spools of these versions are in tests/corpus.
 *
 * An old spool is made from one of the current version, with the frozen layouts of spool/older.
 */
#include "made_older.h"
#include "made_spool.h"
#include "made_trace.h"
#include "spool/older/older.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <zlib.h>

#define CALLS 200 /* of make_busy_spool */

static char directory[] = "/tmp/dftrace-test-older-XXXXXX";
static char path[200];         /* of the old spool */
static struct dft_spool spool; /* the current one that it is made of */
static char trace[1 << 20];

/* Two threads, one of them ended, several chunks, open calls, commits after every chunk. */
static void make_busy_spool(void)
{
    unsigned calls = 0;

    CHECK_INT(make_spool(&spool, directory), 0);
    spool.header->settings.member_size = 1;
    uint32_t f = make_site(&spool, "f"), open = make_site(&spool, "open");
    struct dft_thread *first = make_thread(&spool, 43), *second = make_thread(&spool, 44);
    for (int chunk = 0; chunk < 4; chunk++) {
        struct dft_thread *thread = chunk < 3 ? first : second;
        make_chunk(&spool, thread);
        for (int i = 0; i < CALLS / 4; i++)
            make_call(thread, f, 2000 + 10 * calls++, 5);
    }
    make_open_call(first, open, 1500);
    make_open_call(second, open, 1600);
    end_thread(&spool, second, 90000);
    second->dropped = 3;
}

static void drop_spool(void)
{
    dft_spool_unlink(&spool);
    dft_spool_unmap(&spool);
}

/* Returns a descriptor of the old spool. */
static int write_older(unsigned version, struct made_older *made)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    make_older(made, fd, version, &spool);
    return fd;
}

/* Runs one step of a writer of the current spool in another process, which ends without a word. */
static void begin_elsewhere(void)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        int error;
        char name[1500];
        struct dft_writer *writer = dft_writer_open(&spool, &error, name, sizeof name);
        if (writer)
            dft_writer_step(writer);
        _exit(writer ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void read_trace(const char *name)
{
    gzFile file = gzopen(name, "rb");
    int length = file ? gzread(file, trace, sizeof trace - 1) : -1;

    trace[length > 0 ? length : 0] = '\0';
    if (file)
        gzclose(file);
}

/* Completes the trace as `dftrace recover` does, and reads it. */
static void recover(int fd)
{
    struct dft_spool opened;
    struct dft_spool_findings findings;
    struct dft_writer_result result;
    char name[1500];
    int error = 0;

    trace[0] = '\0';
    if (!CHECK_INT(dft_spool_open_older(&opened, fd, path), 0))
        return;
    CHECK_INT(dft_spool_examine(&opened, &findings), 0);
    CHECK_INT(findings.damaged, 0);
    opened.gone = true;
    opened.header->ended = findings.latest;
    struct dft_writer *writer = dft_writer_open(&opened, &error, name, sizeof name);
    if (CHECK(writer != NULL)) {
        dft_writer_finish(writer);
        dft_writer_result(writer, &result);
        CHECK_INT(result.error, 0);
        CHECK(!result.restarted);
        read_trace(result.path);
        unlink(result.path);
        dft_writer_close(writer);
    }
    dft_spool_unmap(&opened);
}

static void check_whole(void)
{
    char end[80];

    snprintf(end, sizeof end, "\"num_events\":%u,\"dropped\":3}}\n]", CALLS + 2);
    CHECK_INT(count_parts(trace, "\"name\":\"f\""), CALLS);
    CHECK_INT(count_parts(trace, "\"name\":\"open\""), 2);
    CHECK_INT(count_parts(trace, "\"unfinished\":true"), 2);
    CHECK_INT(count_parts(trace, "\"name\":\"start\""), 1);
    CHECK_INT(count_parts(trace, "\"name\":\"thread_name\""), 3);
    CHECK_CONTAINS(trace, end);
}

static void name_row(unsigned version)
{
    static char row[20];

    snprintf(row, sizeof row, "version %u", version);
    unit_row = row;
}

static void every_call_is_recovered(void)
{
    for (unsigned version = DFT_OLDER_FIRST; version <= DFT_OLDER_LAST; version++) {
        struct made_older made;
        name_row(version);
        make_busy_spool();
        int fd = write_older(version, &made);
        recover(fd);
        check_whole();
        recover(fd); /* nothing was stored in the spool, so it can be read again */
        check_whole();
        close(fd);
        drop_spool();
    }
}

static void begun_traces_are_continued(void)
{
    for (unsigned version = 2; version <= DFT_OLDER_LAST; version++) {
        struct made_older made;
        name_row(version);
        make_busy_spool();
        begin_elsewhere();
        CHECK(spool.header->committed[atomic_load(&spool.header->commit) & 1].totals.events > 0);
        int fd = write_older(version, &made);
        recover(fd);
        check_whole();
        close(fd);
        drop_spool();
    }
}

/* Version 1 cannot name the trace that has the committed calls. The new one does not repeat them. */
static void version_1_repeats_no_committed_chunk(void)
{
    struct made_older made;

    name_row(1);
    make_busy_spool();
    atomic_store(&spool.header->commit, 1);
    spool.directory[dft_spool_thread(&spool, 0)->oldest].pending_commit = 1;
    int fd = write_older(1, &made);
    recover(fd);
    CHECK_INT(count_parts(trace, "\"name\":\"f\""), CALLS - CALLS / 4);
    close(fd);
    drop_spool();
}

/* Stores a number, checks that the spool is refused, and restores what was there. */
static void check_refused(int fd, uint64_t at, uint32_t number, int error)
{
    struct dft_spool opened;
    uint32_t before;

    CHECK_INT(pread(fd, &before, sizeof before, (off_t)at), sizeof before);
    CHECK_INT(pwrite(fd, &number, sizeof number, (off_t)at), sizeof number);
    CHECK_INT(dft_spool_open_older(&opened, fd, path), error);
    CHECK_INT(pwrite(fd, &before, sizeof before, (off_t)at), sizeof before);
}

static uint64_t place_of_thread_count(unsigned version)
{
    const uint64_t places[] = {
        [1] = offsetof(struct dft_older_header_1, thread_count),
        [2] = offsetof(struct dft_older_header_2, thread_count),
        [3] = offsetof(struct dft_older_header_3, thread_count),
        [4] = offsetof(struct dft_older_header_4, thread_count),
    };

    return places[version];
}

static void damaged_spools_are_refused(void)
{
    for (unsigned version = DFT_OLDER_FIRST; version <= DFT_OLDER_LAST; version++) {
        struct dft_spool opened;
        struct made_older made;
        name_row(version);
        make_busy_spool();
        int fd = write_older(version, &made);
        check_refused(fd, 0, 0x6e6f6e65, -ENOMSG);
        check_refused(fd, offsetof(struct dft_older_head, version), 0, -EPROTONOSUPPORT);
        check_refused(fd, offsetof(struct dft_older_head, version), 5, -EPROTONOSUPPORT);
        check_refused(fd, offsetof(struct dft_older_head, header_size), 100, -EPROTONOSUPPORT);
        check_refused(fd, offsetof(struct dft_older_head, file_size), 8192, -EBADMSG);
        check_refused(fd, sizeof(struct dft_older_head), 4096, -EBADMSG); /* first region */
        check_refused(fd, place_of_thread_count(version), DFT_THREAD_MAX + 1, -EBADMSG);
        check_refused(fd, made.site_index.offset, 1, -EBADMSG);
        check_refused(fd, made.site_index.offset, UINT32_MAX & ~3u, -EBADMSG);
        check_refused(fd, made.site_index.offset + 4, 0, -EBADMSG); /* a site twice */
        check_refused(fd, made.site_text.offset + (version == 4 ? 20 : 16), 3,
                      -EBADMSG); /* length */
        CHECK_INT(dft_spool_open_older(&opened, fd, path), 0);
        dft_spool_unmap(&opened);
        CHECK_INT(ftruncate(fd, (off_t)made.file_size - 4096), 0);
        CHECK_INT(dft_spool_open_older(&opened, fd, path), -EBADMSG);
        close(fd);
        drop_spool();
    }
    name_row(1); /* 0xffffffff + 1 would mean that there is nothing to recover */
    make_busy_spool();
    struct made_older made;
    int fd = write_older(1, &made);
    check_refused(fd, offsetof(struct dft_older_header_1, state), UINT32_MAX, -EBADMSG);
    close(fd);
    drop_spool();
}

/* Its process, which has it mapped, is this one. */
static void a_spool_in_use_is_left_alone(void)
{
    for (unsigned version = DFT_OLDER_FIRST; version <= DFT_OLDER_LAST; version++) {
        struct dft_spool opened;
        struct made_older made;
        name_row(version);
        make_busy_spool();
        int fd = write_older(version, &made);
        void *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
        CHECK_INT(dft_spool_open_older(&opened, fd, path), -EINPROGRESS);
        munmap(map, 4096);
        CHECK_INT(dft_spool_open_older(&opened, fd, path), 0);
        dft_spool_unmap(&opened);
        close(fd);
        drop_spool();
    }
}

int main(void)
{
    if (!CHECK(mkdtemp(directory) != NULL))
        return unit_result();
    snprintf(path, sizeof path, "%s/dftrace-1-older", directory);
    every_call_is_recovered();
    begun_traces_are_continued();
    version_1_repeats_no_committed_chunk();
    damaged_spools_are_refused();
    a_spool_in_use_is_left_alone();
    unlink(path);
    CHECK_INT(rmdir(directory), 0);
    return unit_result();
}
