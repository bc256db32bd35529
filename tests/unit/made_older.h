/*
 * Spools as versions 1 to 4 of the format have left them, for unit tests and fuzzers: a spool of
 * the current version that is written to a file in an old layout.
 */
#ifndef DFT_MADE_OLDER_H
#define DFT_MADE_OLDER_H

#include "dftrace/abi.h"
#include "made_spool.h"
#include "spool/older/layouts.h"

#include <fcntl.h>
#include <unistd.h>

/* The part of an old file that is not a hole. */
struct made_older {
    int fd;
    unsigned version;
    uint64_t base; /* where the traced process had mapped it */
    struct dft_region directory, site_index, site_hash, site_text, segments, threads, chunks;
    uint64_t file_size;
};

static inline void put_older(const struct made_older *to, uint64_t at, const void *data,
                             size_t size)
{
    if (pwrite(to->fd, data, size, (off_t)at) != (ssize_t)size)
        abort();
}

static inline void lay_out_older(struct made_older *to, uint32_t chunk_max)
{
    struct {
        struct dft_region *region;
        uint64_t size;
    } regions[] = {
        {&to->directory, (uint64_t)chunk_max * sizeof(struct dft_chunk)},
        {&to->site_index, (uint64_t)DFT_SITE_MAX * sizeof(uint32_t)},
        {&to->site_hash, (uint64_t)DFT_SITE_BUCKETS * sizeof(uint32_t)},
        {&to->site_text, DFT_SITE_TEXT_MAX},
        {&to->segments, (uint64_t)DFT_SEGMENT_MAX * sizeof(struct dft_clock_segment)},
        {&to->threads, (uint64_t)DFT_THREAD_MAX * DFT_THREAD_SIZE},
        {&to->chunks, (uint64_t)chunk_max * DFT_CHUNK_SIZE},
    };
    uint64_t offset = 8192;

    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        if (regions[i].region == &to->segments && to->version == 1)
            continue;
        *regions[i].region = (struct dft_region){offset, regions[i].size};
        offset += (regions[i].size + 4095) / 4096 * 4096;
    }
    to->file_size = offset;
}

static inline struct dft_older_commit older_commit(const struct dft_commit *commit)
{
    return (struct dft_older_commit){
        .size = commit->size,
        .events = commit->totals.events,
        .dropped = commit->totals.dropped,
        .lost = commit->totals.lost,
        .ticks = commit->ticks,
        .main_named = commit->main_named,
        .complete = commit->complete,
    };
}

static inline void put_older_program(struct dft_older_program *program,
                                     const struct dft_spool_header *from)
{
    memcpy(program->app, from->app, sizeof program->app);
    memcpy(program->host, from->host, sizeof program->host);
}

static inline void put_older_settings(struct dft_older_settings *settings,
                                      const struct dft_spool_settings *from)
{
    memcpy(settings->prefix, from->prefix, sizeof settings->prefix);
    settings->member_size = from->member_size;
    settings->compression = from->compression;
    settings->metadata = from->metadata;
}

static inline struct dft_older_head older_head(const struct made_older *to, uint32_t header_size)
{
    struct dft_older_head head = {.version = to->version,
                                  .header_size = header_size,
                                  .file_size = to->file_size,
                                  .base = to->base};

    memcpy(head.magic, DFT_SPOOL_MAGIC, sizeof head.magic);
    return head;
}

static inline void put_header_1(const struct made_older *to, const struct dft_spool_header *from)
{
    struct dft_older_header_1 old = {
        .head = older_head(to, sizeof old),
        .directory = to->directory,
        .site_index = to->site_index,
        .site_hash = to->site_hash,
        .site_text = to->site_text,
        .threads = to->threads,
        .chunks = to->chunks,
        .chunk_limit = from->chunk_limit,
        .chunk_max = from->chunk_max,
        .clock = from->clock,
        .pid = from->pid,
        .ppid = from->ppid,
        .started = from->started,
        .chunk_count = from->chunk_count,
        .thread_count = from->thread_count,
        .site_count = from->site_count,
        .state = from->state - DFT_SPOOL_RUNNING,
        .ended = from->ended,
        .commit = from->commit,
    };

    put_older_program(&old.program, from);
    put_older_settings(&old.settings, &from->settings);
    put_older(to, 0, &old, sizeof old);
}

static inline void put_start_2(const struct made_older *to, const struct dft_spool_header *from,
                               struct dft_older_start_2 *start, uint32_t header_size)
{
    *start = (struct dft_older_start_2){
        .head = older_head(to, header_size),
        .directory = to->directory,
        .site_index = to->site_index,
        .site_hash = to->site_hash,
        .site_text = to->site_text,
        .segments = to->segments,
        .threads = to->threads,
        .chunks = to->chunks,
        .chunk_limit = from->chunk_limit,
        .chunk_max = from->chunk_max,
        .clock = from->clock,
        .chunk_keep = from->chunk_keep,
        .pid = from->pid,
        .ppid = from->ppid,
        .pid_space = from->pid_space,
        .born = from->born,
        .started = from->started,
    };
    memcpy(start->boot, from->boot, sizeof start->boot);
    put_older_program(&start->program, from);
}

/* Versions 2 to 4, whose fields have the same names. */
#define PUT_HEADER(to, from, old)                                                                  \
    do {                                                                                           \
        put_start_2(to, from, &(old)->start, sizeof *(old));                                       \
        put_older_settings(&(old)->settings, &(from)->settings);                                   \
        memcpy((old)->trace.path, (from)->trace.path, sizeof(old)->trace.path);                    \
        (old)->trace.device = (from)->trace.device;                                                \
        (old)->trace.inode = (from)->trace.inode;                                                  \
        (old)->trace.host_pid = (from)->host_pid;                                                  \
        (old)->chunks.chunk_count = (from)->chunk_count;                                           \
        (old)->thread_count = (from)->thread_count;                                                \
        (old)->site_count = (from)->site_count;                                                    \
        (old)->progress.state = (from)->state;                                                     \
        (old)->progress.ended = (from)->ended;                                                     \
        (old)->commit = (from)->commit;                                                            \
        (old)->anchor_count = (from)->anchor_count;                                                \
        (old)->segment_count = (from)->segment_count;                                              \
        memcpy((old)->latest, (from)->latest, sizeof(old)->latest);                                \
    } while (0)

static inline void put_older_header(const struct made_older *to,
                                    const struct dft_spool_header *from)
{
    union dft_older_header old = {0};

    if (to->version == 1) {
        put_header_1(to, from);
        return;
    }
    if (to->version == 2)
        PUT_HEADER(to, from, &old.v2);
    else if (to->version == 3)
        PUT_HEADER(to, from, &old.v3);
    else
        PUT_HEADER(to, from, &old.v4);
    for (int i = 0; i < 2; i++) {
        struct dft_older_commit commit = older_commit(&from->committed[i]);
        if (to->version == 2)
            old.v2.committed[i] = commit;
        else if (to->version == 3)
            old.v3.committed[i] = commit;
        else
            old.v4.committed[i] = (struct dft_older_commit_4){commit, from->committed[i].described};
    }
    if (to->version == 4)
        old.v4.rank = -1;
    put_older(to, 0, &old, old.head.header_size);
}

/* The strings that the version had, without those that were added later. */
static inline void put_older_sites(const struct made_older *to, const struct dft_spool *from)
{
    int strings = to->version == 4 ? DFT_OLDER_STRINGS_4 : DFT_OLDER_STRINGS_1;
    uint32_t offset = 0;

    for (uint32_t id = 1; id <= dft_spool_sites(from); id++) {
        struct dft_site_view site;
        if (!dft_spool_site(from, id, &site))
            abort();
        const char *end = site.name; /* the strings follow each other */
        for (int i = 0; i < strings; i++)
            end += strlen(end) + 1;
        uint32_t length = (uint32_t)(end - site.name);
        struct dft_older_site_1 v1 = {.line = site.line, .flags = site.flags, .length = length};
        struct dft_older_site_4 v4 = {.line = site.line, .flags = site.flags, .length = length};
        const void *entry = to->version == 4 ? (const void *)&v4 : (const void *)&v1;
        uint32_t size = to->version == 4 ? sizeof v4 : sizeof v1;
        put_older(to, to->site_index.offset + (id - 1) * sizeof offset, &offset, sizeof offset);
        put_older(to, to->site_text.offset + offset, entry, size);
        put_older(to, to->site_text.offset + offset + size, site.name, length);
        offset += (size + length + 3) & ~3u;
    }
}

/* Addresses in the old spool's process. */
static inline void put_older_threads(const struct made_older *to, const struct dft_spool *from)
{
    const struct dft_spool_header *header = from->header;
    uint64_t frames = to->base + to->threads.offset - (header->base + header->threads.offset);
    uint64_t records = to->base + to->chunks.offset - (header->base + header->chunks.offset);

    for (uint32_t slot = 0; slot < atomic_load(&header->thread_count); slot++) {
        struct dft_thread *copy = malloc(DFT_THREAD_SIZE);
        if (!copy)
            abort();
        memcpy(copy, dft_spool_thread(from, slot), DFT_THREAD_SIZE);
        copy->top = (struct dft_frame *)((uintptr_t)copy->top + frames);
        copy->limit = (struct dft_frame *)((uintptr_t)copy->limit + frames);
        copy->next = (struct dft_record *)((uintptr_t)copy->next + records);
        copy->end = (struct dft_record *)((uintptr_t)copy->end + records);
        copy->first = (struct dft_record *)((uintptr_t)copy->first + records);
        copy->counts = NULL;
        if (to->version == 1)
            copy->pending_commit = 0;
        put_older(to, to->threads.offset + (uint64_t)slot * DFT_THREAD_SIZE, copy, DFT_THREAD_SIZE);
        free(copy);
    }
}

/*
 * Writes the spool to the file in the layout of this version. The spool must not use what the
 * version did not have.
 */
static inline void make_older(struct made_older *to, int fd, unsigned version,
                              const struct dft_spool *from)
{
    const struct dft_spool_header *header = from->header;
    const char *start = (const char *)header;
    uint32_t chunks = atomic_load(&header->chunk_count);

    *to = (struct made_older){.fd = fd, .version = version, .base = UINT64_C(0x7f1234560000)};
    lay_out_older(to, header->chunk_max);
    if (ftruncate(fd, (off_t)to->file_size) != 0)
        abort();
    put_older_sites(to, from);
    put_older_threads(to, from);
    put_older(to, to->directory.offset, from->directory, chunks * sizeof *from->directory);
    put_older(to, to->chunks.offset, start + header->chunks.offset,
              (size_t)chunks * DFT_CHUNK_SIZE);
    if (version > 1)
        put_older(to, to->segments.offset, start + header->segments.offset,
                  atomic_load(&header->segment_count) * sizeof(struct dft_clock_segment));
    put_older_header(to, header);
}

#endif
