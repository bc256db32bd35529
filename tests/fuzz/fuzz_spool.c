/*
 * Fuzzes what `dftrace recover` does with a spool, with libFuzzer. The input is a list of changes
 * to a small spool that is in order: one byte for the place, four for an offset in it, one for the
 * length, then so many bytes. One of the places stands for a copy of the spool in the layout of an
 * older version, to which the further changes are made. The length of the input selects the output
 * format.
 *
 * Registered as fuzz-spool; CONTRIBUTING.md says how to run it for longer.
 *
 * Works in a directory of its own below /dev/shm. The file names in the spool are set by us: they
 * are the user's own words, and a fuzzer's words must not reach the disk.
 */
#include "made_events.h"
#include "made_older.h"
#include "spool/older/older.h"
#include "spool/owner.h"
#include "writer/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static char directory[] = "/dev/shm/dftrace-fuzz-spool-XXXXXX";

static void make_attached_call(struct dft_thread *thread, uint32_t site)
{
    struct dft_sample sample = {.cpu_ns = 4, .rss_kb = 1};
    struct dft_attachments all = {.used = 0};

    dft_attachments_add(&all, DFT_ATTACHMENT_SAMPLE, &sample, sizeof sample);
    dft_attachments_record(thread->next, &all, site, 2100, 5);
    thread->next += dft_attachments_units(&all);
}

/* An instant that brings its name along. */
static void make_inlined_instant(struct dft_thread *thread)
{
    struct dft_attachments all = {.used = 0};

    dft_attachments_add(&all, DFT_ATTACHMENT_NAME, "inlined", 7);
    dft_attachments_record_as(thread->next, DFT_RECORD_INSTANT, &all, 0, 2160, 0);
    thread->next += dft_attachments_units(&all);
}

/* A call of a function that records its arguments and its result. */
static void make_call_with_values(struct dft_spool *spool, struct dft_thread *thread)
{
    static const char text[] =
        "h\0h\0a.c\0a,b,c,d\0FUNC\0=:f16;a:t8;b:&i4;c:?struct s;d:u8;\0(int)\0"
        "1:h\0";
    static const char arguments[] = "\1\2hi\0\20\0\0\0\0\0\0\0\1\2\3\4\5\6\7\10";
    static const char result[16] = "\0\0\0\0\0\0\0\200\377\77";
    struct dft_attachments all = {.used = 0};
    uint32_t site = dft_spool_intern_site(spool, text, 1, 2);

    dft_attachments_add(&all, DFT_ATTACHMENT_ARGUMENTS, arguments, sizeof arguments - 1);
    dft_attachments_add(&all, DFT_ATTACHMENT_RESULT, result, sizeof result);
    dft_attachments_record(thread->next, &all, site, 2200, 5);
    thread->next += dft_attachments_units(&all);
}

static void make_base(struct dft_spool *spool)
{
    if (make_spool(spool, directory) != 0)
        abort();
    spool->header->settings.member_size = 1;
    uint32_t f = make_site(spool, "f"), g = make_site(spool, "g");
    struct dft_thread *first = make_thread(spool, 43), *second = make_thread(spool, 44);
    for (unsigned chunk = 0; chunk < 3; chunk++) {
        make_chunk(spool, first);
        for (unsigned i = 0; i < 4; i++)
            make_call(first, f, 2000 + 100 * chunk + 10 * i, 5);
    }
    make_chunk(spool, second);
    make_call(second, g, 2000, 5);
    make_attached_call(second, g);
    make_call_with_values(spool, second);
    make_inlined_instant(second);
    make_open_call(first, g, 1500);
    end_thread(spool, second, 9000);
    struct dft_throttled throttled = {.site = f, .since = 2000, .calls = 4, .ticks = 20};
    dft_spool_throttle_site(spool, &throttled);
    first->counts = dft_spool_reserve_counts(spool, dft_spool_slot(spool, first));
    first->counts[0] = 300 * DFT_COUNT_ONE(DFT_COUNT_STEP(0));
    fill_events(spool);
}

#define PLACES 10

/* The spool that the fuzzer changes. */
struct target {
    int fd;
    char path[1100];
    uint64_t places[PLACES];
};

static void aim_at_current(struct target *target, const struct dft_spool *spool)
{
    const struct dft_spool_header *plan = spool->header;
    const uint64_t places[PLACES] = {0,
                                     offsetof(struct dft_spool_header, free_chunks),
                                     plan->directory.offset,
                                     plan->site_index.offset,
                                     plan->site_text.offset,
                                     plan->segments.offset,
                                     plan->throttled.offset,
                                     plan->threads.offset,
                                     plan->threads.offset + DFT_THREAD_SIZE,
                                     plan->chunks.offset};

    snprintf(target->path, sizeof target->path, "%s", spool->path);
    target->fd = open(target->path, O_RDWR | O_CLOEXEC);
    memcpy(target->places, places, sizeof places);
}

/* Replaces the target by a copy of the spool in an older layout. */
static void aim_at_older(struct target *target, const struct dft_spool *spool, unsigned version)
{
    struct made_older made;

    close(target->fd);
    snprintf(target->path, sizeof target->path, "%s/dftrace-1-older", directory);
    target->fd = open(target->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    make_older(&made, target->fd, version, spool);
    const uint64_t places[PLACES] = {0,
                                     offsetof(struct dft_older_header_2, chunks),
                                     made.directory.offset,
                                     made.site_index.offset,
                                     made.site_text.offset,
                                     made.segments.offset,
                                     offsetof(struct dft_older_header_1, free_chunks),
                                     made.threads.offset,
                                     made.threads.offset + DFT_THREAD_SIZE,
                                     made.chunks.offset};
    memcpy(target->places, places, sizeof places);
}

static void change(struct target *target, const struct dft_spool *spool, const uint8_t *data,
                   size_t size)
{
    while (size >= 6) {
        uint32_t offset;
        memcpy(&offset, data + 1, sizeof offset);
        size_t length = data[5] < size - 6 ? data[5] : size - 6;
        size_t place = data[0] % (PLACES + 2);
        if (place == PLACES) {
            if (ftruncate(target->fd, offset) != 0)
                abort();
            return;
        }
        if (place == PLACES + 1) {
            aim_at_older(target, spool,
                         DFT_OLDER_FIRST + offset % (DFT_OLDER_LAST - DFT_OLDER_FIRST + 1));
        } else {
            uint64_t at = target->places[place] + offset % (1u << 16);
            if (pwrite(target->fd, data + 6, length, (off_t)at) != (ssize_t)length)
                abort();
        }
        data += 6 + length;
        size -= 6 + length;
    }
}

static void recover(struct dft_spool *spool, unsigned format)
{
    struct dft_spool_header *header = spool->header;
    struct dft_spool_findings findings;
    struct dft_writer_result result;
    char path[1500];
    int error;

    dft_owner_look(spool);
    if (dft_spool_examine(spool, &findings) != 0)
        return;
    header->ended = findings.latest;
    header->settings.format = (uint8_t)format;
    spool->gone = true;
    snprintf(header->settings.prefix, sizeof header->settings.prefix, "%s/trace", directory);
    if (header->trace.path[0])
        snprintf(header->trace.path, sizeof header->trace.path, "%s/trace-app-1.pfw.gz", directory);
    dft_writer_is_complete(spool);
    struct dft_writer *writer = dft_writer_open(spool, &error, path, sizeof path);
    if (!writer)
        return;
    dft_writer_finish(writer);
    dft_writer_result(writer, &result);
    unlink(result.path);
    dft_writer_close(writer);
}

static void remove_directory(void)
{
    rmdir(directory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int made;
    struct dft_spool base, opened;
    struct target target;

    if (!made++) {
        if (!mkdtemp(directory))
            abort();
        atexit(remove_directory);
    }
    make_base(&base);
    aim_at_current(&target, &base);
    change(&target, &base, data, size);
    int error = dft_spool_open(&opened, target.fd, target.path);
    if (error == -EPROTONOSUPPORT)
        error = dft_spool_open_older(&opened, target.fd, target.path);
    if (!error) {
        recover(&opened, size % DFT_FORMATS);
        dft_spool_unmap(&opened);
    }
    close(target.fd);
    if (strcmp(target.path, base.path) != 0)
        unlink(target.path);
    dft_spool_unlink(&base);
    dft_spool_unmap(&base);
    return 0;
}
