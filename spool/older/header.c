/* Converts the header of a spool of versions 1 to 4: see header.h. */
#include "spool/older/header.h"
#include "spool/older/older.h"

#include <errno.h>
#include <string.h>

#define PAGE 4096u

_Static_assert(sizeof(struct dft_older_usage) == sizeof(struct dft_process_usage),
               "figures of version 4 are copied as they are");

/* --- the layout --- */

static uint32_t header_size(uint32_t version)
{
    static const uint32_t sizes[] = {
        [1] = sizeof(struct dft_older_header_1),
        [2] = sizeof(struct dft_older_header_2),
        [3] = sizeof(struct dft_older_header_3),
        [4] = sizeof(struct dft_older_header_4),
    };

    return version >= DFT_OLDER_FIRST && version <= DFT_OLDER_LAST ? sizes[version] : 0;
}

/* Whether a region is at `*offset` and has this size; moves the offset behind it. */
static bool is_next(const struct dft_region *region, uint64_t *offset, uint64_t size)
{
    bool is = region->offset == *offset && region->size == size;

    *offset += (size + PAGE - 1) / PAGE * PAGE;
    return is;
}

static bool is_laid_out(const struct dft_older_regions *old, const struct dft_region *site_hash,
                        uint32_t chunk_max, uint64_t file_size)
{
    uint64_t offset = 2 * (uint64_t)PAGE; /* after the header */
    const struct dft_region *segments = &old->segments;

    return is_next(&old->directory, &offset, (uint64_t)chunk_max * sizeof(struct dft_chunk)) &&
           is_next(&old->site_index, &offset, (uint64_t)DFT_SITE_MAX * sizeof(uint32_t)) &&
           is_next(site_hash, &offset, (uint64_t)DFT_SITE_BUCKETS * sizeof(uint32_t)) &&
           is_next(&old->site_text, &offset, DFT_SITE_TEXT_MAX) &&
           (segments->size == 0 ||
            is_next(segments, &offset,
                    (uint64_t)DFT_SEGMENT_MAX * sizeof(struct dft_clock_segment))) &&
           is_next(&old->threads, &offset, (uint64_t)DFT_THREAD_MAX * DFT_THREAD_SIZE) &&
           is_next(&old->chunks, &offset, (uint64_t)chunk_max * DFT_CHUNK_SIZE) &&
           offset == file_size;
}

static int check_layout(const union dft_older_header *old, uint64_t file_size,
                        struct dft_older_regions *regions)
{
    const struct dft_older_start_2 *start = &old->v2.start;
    const struct dft_region *site_hash = &start->site_hash;
    uint32_t chunk_limit = start->chunk_limit, chunk_max = start->chunk_max;

    if (old->head.version == 1) {
        site_hash = &old->v1.site_hash;
        chunk_limit = old->v1.chunk_limit;
        chunk_max = old->v1.chunk_max;
        if (old->v1.state > DFT_SPOOL_FINISHED - DFT_SPOOL_RUNNING)
            return -EBADMSG;
        *regions = (struct dft_older_regions){
            .directory = old->v1.directory,
            .site_index = old->v1.site_index,
            .site_text = old->v1.site_text,
            .threads = old->v1.threads,
            .chunks = old->v1.chunks,
        };
    } else {
        *regions = (struct dft_older_regions){
            .directory = start->directory,
            .site_index = start->site_index,
            .site_text = start->site_text,
            .segments = start->segments,
            .threads = start->threads,
            .chunks = start->chunks,
        };
        if (regions->segments.size == 0)
            return -EBADMSG;
    }
    if (chunk_limit < 1 || chunk_limit > DFT_SPOOL_CHUNKS_MAX ||
        chunk_max != chunk_limit + DFT_THREAD_MAX || old->head.file_size != file_size ||
        !is_laid_out(regions, site_hash, chunk_max, file_size))
        return -EBADMSG;
    return 0;
}

/* --- what all versions have --- */

static void take_program(struct dft_spool_header *header, const struct dft_older_program *program)
{
    memcpy(header->app, program->app, sizeof header->app);
    memcpy(header->host, program->host, sizeof header->host);
    memcpy(header->exe, program->exe, sizeof header->exe);
    memcpy(header->directory_name, program->directory_name, sizeof header->directory_name);
    memcpy(header->command, program->command, sizeof header->command);
}

static void take_settings(struct dft_spool_settings *settings, const struct dft_older_settings *old)
{
    memcpy(settings->prefix, old->prefix, sizeof settings->prefix);
    settings->member_size = old->member_size;
    settings->compression = old->compression;
    settings->metadata = old->metadata;
    settings->disable_tids = old->disable_tids;
    settings->drop_when_full = old->drop_when_full;
    settings->thread_counters = old->thread_counters;
    settings->system_counters = old->system_counters;
}

/* --- version 1 --- */

/*
 * Version 1 did not store the trace's name, and no later writer could continue the trace. What had
 * been committed stays where it is, and a second trace gets the rest. So the new trace is empty as
 * far as commits tell, but their number stays: it tells which chunks are in the first trace.
 */
static void take_version_1(struct dft_spool_header *header, const struct dft_older_header_1 *old)
{
    take_program(header, &old->program);
    take_settings(&header->settings, &old->settings);
    header->clock = old->clock;
    header->pid = header->host_pid = old->pid;
    header->ppid = old->ppid;
    header->started = old->started;
    atomic_init(&header->chunk_count, old->chunk_count);
    atomic_init(&header->thread_count, old->thread_count);
    atomic_init(&header->lost_sites, old->lost_sites);
    atomic_init(&header->state, old->state + DFT_SPOOL_RUNNING);
    header->ended = old->ended;
    atomic_init(&header->commit, old->commit);
}

/* --- versions 2 to 4 --- */

static void take_start(struct dft_spool_header *header, const struct dft_older_start_2 *start)
{
    take_program(header, &start->program);
    header->clock = start->clock;
    header->pid = start->pid;
    header->ppid = start->ppid;
    header->pid_space = start->pid_space;
    header->born = start->born;
    memcpy(header->boot, start->boot, sizeof header->boot);
    header->started = start->started;
}

static void take_trace(struct dft_spool_header *header, const struct dft_older_trace *trace)
{
    memcpy(header->trace.path, trace->path, sizeof header->trace.path);
    header->trace.device = trace->device;
    header->trace.inode = trace->inode;
    header->host_pid = trace->host_pid;
}

static struct dft_commit commit_of(const struct dft_older_commit *old, uint64_t described)
{
    struct dft_commit commit = {
        .size = old->size,
        .totals = {.events = old->events, .dropped = old->dropped, .lost = old->lost},
        .ticks = old->ticks,
        .main_named = old->main_named,
        .complete = old->complete,
    };

    commit.described = described <= DFT_SITE_MAX ? described : 0;
    return commit;
}

/* The end of the headers of versions 2 to 4, whose fields have the same names. */
#define TAKE_END(header, old)                                                                      \
    do {                                                                                           \
        take_start(header, &(old)->start);                                                         \
        take_settings(&(header)->settings, &(old)->settings);                                      \
        take_trace(header, &(old)->trace);                                                         \
        atomic_init(&(header)->chunk_count, (old)->chunks.chunk_count);                            \
        atomic_init(&(header)->thread_count, (old)->thread_count);                                 \
        atomic_init(&(header)->lost_sites, (old)->lost_sites);                                     \
        atomic_init(&(header)->state, (old)->progress.state);                                      \
        (header)->ended = (old)->progress.ended;                                                   \
        atomic_init(&(header)->commit, (old)->commit);                                             \
        atomic_init(&(header)->anchor_count, (old)->anchor_count);                                 \
        atomic_init(&(header)->segment_count, (old)->segment_count);                               \
        memcpy((header)->latest, (old)->latest, sizeof(header)->latest);                           \
    } while (0)

static void take_version_2(struct dft_spool_header *header, const struct dft_older_header_2 *old)
{
    TAKE_END(header, old);
    for (int i = 0; i < 2; i++)
        header->committed[i] = commit_of(&old->committed[i], 0);
}

static void take_version_3(struct dft_spool_header *header, const struct dft_older_header_3 *old)
{
    TAKE_END(header, old);
    atomic_init(&header->ended_threads, old->ended_threads);
    for (int i = 0; i < 2; i++)
        header->committed[i] = commit_of(&old->committed[i], 0);
}

static void take_version_4(struct dft_spool_header *header, const struct dft_older_header_4 *old)
{
    TAKE_END(header, old);
    atomic_init(&header->ended_threads, old->ended_threads);
    for (int i = 0; i < 2; i++)
        header->committed[i] = commit_of(&old->committed[i].base, old->committed[i].described);
    header->settings.counter_interval_ms = old->counter_interval_ms;
    header->rank = old->rank;
    header->rank_count = old->rank_count;
    memcpy(header->cores, old->cores, sizeof header->cores);
    header->sample_cost_ns = old->sample_cost_ns;
    memcpy(&header->at_begin, &old->at_begin, sizeof header->at_begin);
    memcpy(&header->at_end, &old->at_end, sizeof header->at_end);
}

/* --- any version --- */

int dft_older_convert_header(const union dft_older_header *old, uint64_t file_size,
                             struct dft_spool_header *header, struct dft_older_regions *regions)
{
    if (memcmp(old->head.magic, DFT_SPOOL_MAGIC, sizeof old->head.magic) != 0)
        return -ENOMSG;
    uint32_t size = header_size(old->head.version);
    if (size == 0 || old->head.header_size != size)
        return -EPROTONOSUPPORT;
    int error = check_layout(old, file_size, regions);
    if (error)
        return error;

    memset(header, 0, sizeof *header);
    dft_spool_lay_out(header,
                      old->head.version == 1 ? old->v1.chunk_limit : old->v2.start.chunk_limit);
    memcpy(header->magic, DFT_SPOOL_MAGIC, sizeof header->magic);
    header->version = DFT_SPOOL_OLDEST; /* has nothing that later versions with this layout added */
    header->header_size = sizeof *header;
    header->base = old->head.base + regions->chunks.offset - header->chunks.offset;
    header->rank = -1;
    if (old->head.version == 1)
        take_version_1(header, &old->v1);
    else if (old->head.version == 2)
        take_version_2(header, &old->v2);
    else if (old->head.version == 3)
        take_version_3(header, &old->v3);
    else
        take_version_4(header, &old->v4);
    return 0;
}

uint32_t dft_older_count_sites(const union dft_older_header *old)
{
    switch (old->head.version) {
    case 1:
        return old->v1.site_count;
    case 2:
        return old->v2.site_count;
    case 3:
        return old->v3.site_count;
    default:
        return old->v4.site_count;
    }
}
