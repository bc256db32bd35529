/*
 * Counters of traces with I/O calls: read and write bandwidth, and how many calls are in flight. Runs
 * in the writer's own thread. Frames are read while their threads change them: the number is that of
 * about this moment.
 */
#include "writer/internal.h"

#include <string.h>

/* Whether the site table has the name of a file. It is searched once. */
static bool has_files(struct dft_writer *writer)
{
    struct dft_counters *counters = &writer->counters;
    uint32_t count = dft_spool_sites(writer->spool);
    struct dft_site_view site;

    while (!counters->has_files && counters->searched < count)
        if (dft_spool_site(writer->spool, ++counters->searched, &site))
            counters->has_files =
                site.flags & DFT_SITE_EVENT && strcmp(site.category, DFT_FILE_CATEGORY) == 0;
    return counters->has_files;
}

static bool is_io(const struct dft_writer *writer, uint32_t id)
{
    struct dft_site_view site;

    return dft_spool_site(writer->spool, id, &site) && site.flags & DFT_SITE_EVENT &&
           !site.file[0] &&
           (strcmp(site.category, "POSIX") == 0 || strcmp(site.category, "STDIO") == 0);
}

/* Whether the innermost open call of the thread is an I/O call. */
static bool is_in_io(const struct dft_writer *writer, const struct dft_thread *thread)
{
    uint64_t count = dft_spool_open_frames(writer->spool, thread);

    if (atomic_load(&thread->state) != DFT_THREAD_LIVE || count < 2)
        return false;
    const struct dft_frame *frame = &thread->frames[count - 1];
    return __atomic_load_n(&frame->start, __ATOMIC_RELAXED) != 0 &&
           is_io(writer, __atomic_load_n(&frame->site, __ATOMIC_RELAXED));
}

static uint64_t calls_in_flight(const struct dft_writer *writer)
{
    uint32_t count = atomic_load(&writer->spool->header->thread_count);
    uint64_t calls = 0;

    for (uint32_t slot = 0; slot < count && slot < DFT_THREAD_MAX; slot++)
        calls += is_in_io(writer, dft_spool_thread(writer->spool, slot));
    return calls;
}

static uint64_t per_second(uint64_t before, uint64_t now, uint64_t interval_ns)
{
    uint64_t bytes = now > before ? now - before : 0;

    return interval_ns ? (uint64_t)((unsigned __int128)bytes * 1000000000u / interval_ns) : 0;
}

/* Not from the kernel, which adds the bytes of a child to those of its parent when the child ends. */
void dft_io_counters_moved(const struct dft_writer *writer, uint64_t moved[DFT_DIRECTIONS])
{
    struct dft_spool_header *header = writer->spool->header;

    memset(moved, 0, DFT_DIRECTIONS * sizeof *moved);
    for (size_t part = 0; header->version >= DFT_SPOOL_MOVED && part < DFT_MOVED_PARTS; part++)
        for (size_t i = 0; i < DFT_DIRECTIONS; i++)
            moved[i] += atomic_load_explicit(&header->moved[part].bytes[i], memory_order_relaxed);
}

bool dft_io_counters_bandwidth(struct dft_writer *writer, const struct dft_process_usage *last,
                               const struct dft_process_usage *now, struct dft_counter *counter)
{
    uint64_t interval_ns = now->monotonic_ns - last->monotonic_ns;
    uint64_t before[DFT_DIRECTIONS], *moved = writer->counters.moved;

    memcpy(before, moved, sizeof before);
    dft_io_counters_moved(writer, moved);
    if (writer->spool->header->version < DFT_SPOOL_MOVED || !has_files(writer))
        return false;
    *counter = (struct dft_counter){
        .name = "io bandwidth",
        .ns = last->monotonic_ns,
        .count = 2,
        .values = {{.key = "read_bytes_per_s",
                    .value =
                        per_second(before[DFT_IO_READ_FROM], moved[DFT_IO_READ_FROM], interval_ns)},
                   {.key = "write_bytes_per_s",
                    .value = per_second(before[DFT_IO_WRITTEN_TO], moved[DFT_IO_WRITTEN_TO],
                                        interval_ns)}},
    };
    return true;
}

bool dft_io_counters_in_flight(struct dft_writer *writer, uint64_t ns, struct dft_counter *counter)
{
    if (writer->spool->gone || !has_files(writer))
        return false;
    *counter = (struct dft_counter){
        .name = "io calls in flight",
        .ns = ns,
        .count = 1,
        .values = {{.key = "calls", .value = calls_in_flight(writer)}},
    };
    return true;
}
