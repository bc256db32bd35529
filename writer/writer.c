/*
 * The writer: walks each thread's chain of chunks, encodes, compresses, commits.
 *
 * A batch is what goes into one gzip member: its chunks stay in the spool until the member is on
 * disk and one store to the header's `commit` says so. Whoever dies before that store leaves a
 * spool in which the batch is still whole; whoever dies after it, one in which the batch is done.
 */
#include "writer/writer.h"
#include "writer/clock.h"
#include "writer/encoder.h"
#include "writer/file.h"
#include "writer/gzip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* A batch is closed by then at the latest, so that memory comes back. */
#define BATCH_CHUNKS_MOST 256
#define BATCH_THREADS_MOST 256
#define ANCHOR_INTERVAL_NS 100000000u

/* How far the writer has come in one thread slot. */
struct progress {
    uint32_t chunk; /* number + 1 of the chunk to look at next; 0: start at the thread's oldest */
    uint32_t ended; /* everything is in the batch: the slot is freed with the next commit */
    uint32_t lent;  /* the chunk at hand was lent and is in the batch */
    uint64_t last_end_ns;
};

/* A record that a call which a signal handler has interrupted is yet to fill. */
struct unfilled {
    uint32_t chunk;
    uint32_t record;
};

/* Chunks that the writer takes from one thread before it looks at the next. */
#define VISIT_CHUNKS_MOST 64

struct dft_writer {
    struct dft_spool *spool;
    const struct dft_encoder *encoder;
    struct dft_encoder_state state;
    struct dft_trace_info info;
    struct dft_clock clock;
    struct dft_file file;
    struct dft_gzip gzip;

    struct dft_buffer text;     /* encoded, not compressed */
    struct dft_buffer member;   /* compressed, not on disk */
    struct dft_buffer calls;    /* struct dft_call of the chunk at hand */
    struct dft_buffer frames;   /* struct dft_frame of the thread at hand */
    struct dft_buffer batch;    /* uint32_t: chunks of this batch */
    struct dft_buffer unfilled; /* struct unfilled: their chunks are not given back */
    struct dft_buffer progress; /* struct progress by slot */

    uint32_t ended_threads; /* slots to be freed with this batch */
    uint64_t member_text;   /* bytes of text in this batch */
    uint64_t batch_calls;
    uint64_t events; /* calls in the file and in the batch */
    uint64_t dropped;
    uint64_t lost;
    int error;
    bool main_named; /* the main thread's name is in the trace */
    bool finishing;  /* nothing is given back to threads any more */
};

static void fail(struct dft_writer *writer, int error)
{
    if (!writer->error)
        writer->error = error;
}

static struct progress *progress_of(struct dft_writer *writer, uint32_t slot)
{
    struct dft_buffer *all = &writer->progress;
    size_t needed = ((size_t)slot + 1) * sizeof(struct progress);

    if (all->used < needed) {
        if (!dft_buffer_reserve(all, needed - all->used))
            return NULL;
        all->used = needed; /* fresh pages are zero */
    }
    return &((struct progress *)all->data)[slot];
}

static int32_t shown_tid(const struct dft_writer *writer, const struct dft_thread *thread)
{
    return writer->spool->header->settings.disable_tids ? writer->info.pid : thread->tid;
}

/* Moves encoded text into the member. */
static void compress_text(struct dft_writer *writer)
{
    bool fine;

    writer->member_text += writer->text.used;
    if (writer->spool->header->settings.compression)
        fine = dft_gzip_add(&writer->gzip, &writer->text, &writer->member);
    else if ((fine = dft_buffer_reserve(&writer->member, writer->text.used)))
        dft_put_bytes(&writer->member, writer->text.data, writer->text.used);
    if (!fine)
        fail(writer, -ENOMEM);
    writer->text.used = 0;
}

/* Marks every chunk of the batch as done by the next commit. */
static void prepare_commit(struct dft_writer *writer, uint32_t commit)
{
    const uint32_t *batch = (const uint32_t *)writer->batch.data;

    for (size_t i = 0; i < writer->batch.used / sizeof *batch; i++) {
        struct dft_chunk *entry = &writer->spool->directory[batch[i]];
        entry->pending = DFT_CHUNK_SIZE;
        entry->pending_commit = commit;
    }
}

static size_t unfilled_count(const struct dft_writer *writer)
{
    return writer->unfilled.used / sizeof(struct unfilled);
}

static bool has_unfilled(const struct dft_writer *writer, uint32_t chunk)
{
    const struct unfilled *unfilled = (const struct unfilled *)writer->unfilled.data;

    for (size_t i = 0; i < unfilled_count(writer); i++)
        if (unfilled[i].chunk == chunk)
            return true;
    return false;
}

static void give_back(struct dft_writer *writer, uint32_t chunk)
{
    struct dft_spool *spool = writer->spool;
    struct dft_chunk *entry = &spool->directory[chunk];
    struct dft_thread *thread = dft_spool_thread(spool, entry->thread);

    if (atomic_load_explicit(&entry->state, memory_order_relaxed) == DFT_CHUNK_LENT &&
        atomic_load(&thread->state) == DFT_THREAD_LIVE) {
        memset(dft_spool_chunk_records(spool, chunk), 0, DFT_CHUNK_SIZE);
        progress_of(writer, entry->thread)->lent = 0;
        atomic_store_explicit(&entry->state, DFT_CHUNK_OPEN, memory_order_release);
        return;
    }
    if (thread->oldest == chunk)
        thread->oldest = entry->next ? entry->next - 1 : DFT_NO_CHUNK;
    dft_spool_free_chunk(spool, chunk);
}

static void free_batch(struct dft_writer *writer)
{
    const uint32_t *batch = (const uint32_t *)writer->batch.data;
    struct progress *progress = (struct progress *)writer->progress.data;

    for (size_t i = 0; !writer->finishing && i < writer->batch.used / sizeof *batch; i++)
        if (!has_unfilled(writer, batch[i]))
            give_back(writer, batch[i]);
    writer->batch.used = 0;
    for (size_t slot = 0; !writer->finishing && writer->ended_threads > 0; slot++) {
        if (!progress[slot].ended)
            continue;
        writer->ended_threads--;
        progress[slot] = (struct progress){0};
        atomic_store_explicit(&dft_spool_thread(writer->spool, (uint32_t)slot)->state,
                              DFT_THREAD_FREE, memory_order_release);
    }
}

static void commit_batch(struct dft_writer *writer)
{
    struct dft_spool_header *header = writer->spool->header;
    uint32_t commit = atomic_load_explicit(&header->commit, memory_order_relaxed) + 1;

    compress_text(writer);
    if (header->settings.compression && !dft_gzip_close_member(&writer->gzip, &writer->member))
        fail(writer, -ENOMEM);
    prepare_commit(writer, commit);
    if (!writer->error)
        fail(writer, dft_file_append(&writer->file, writer->member.data, writer->member.used));
    if (writer->error) {
        writer->lost += writer->batch_calls;
        writer->events -= writer->batch_calls;
    }
    header->committed_size[commit & 1] = writer->file.size;
    header->events = writer->events;
    atomic_store_explicit(&header->commit, commit, memory_order_release);

    writer->member.used = 0;
    writer->member_text = 0;
    writer->batch_calls = 0;
    free_batch(writer);
}

static void encode(struct dft_writer *writer, const struct dft_call *call)
{
    writer->batch_calls++;
    writer->events++;
    if (!writer->error &&
        !writer->encoder->call(&writer->info, &writer->state, call, &writer->text))
        fail(writer, -ENOMEM);
}

static bool is_tie(const struct dft_call *a, const struct dft_call *b)
{
    return a->start_ns == b->start_ns && a->end_ns == b->end_ns;
}

/*
 * Calls come in the order in which they ended. Of two with the same start and end the later one is
 * the caller, and readers take the first in the file for the parent: a run of ties is turned round.
 */
static void encode_calls(struct dft_writer *writer)
{
    const struct dft_call *calls = (const struct dft_call *)writer->calls.data;
    size_t count = writer->calls.used / sizeof *calls;

    for (size_t i = 0; i < count;) {
        size_t run = i + 1;
        while (run < count && is_tie(&calls[i], &calls[run]))
            run++;
        for (size_t j = run; j > i; j--)
            encode(writer, &calls[j - 1]);
        i = run;
    }
    writer->calls.used = 0;
    compress_text(writer);
}

static void add_call(struct dft_writer *writer, struct progress *progress,
                     const struct dft_thread *thread, uint32_t site, uint64_t start, uint64_t end,
                     bool unfinished)
{
    struct dft_call call = {.site = site,
                            .tid = shown_tid(writer, thread),
                            .start_ns = dft_clock_convert(&writer->clock, start),
                            .end_ns = dft_clock_convert(&writer->clock, end),
                            .unfinished = unfinished};

    if (call.end_ns > progress->last_end_ns)
        progress->last_end_ns = call.end_ns;
    if (!dft_buffer_reserve(&writer->calls, sizeof call)) {
        fail(writer, -ENOMEM);
        return;
    }
    dft_put_bytes(&writer->calls, (const char *)&call, sizeof call);
}

/*
 * A call whose record is there is not open, whatever the shadow stack said a moment earlier. Frames
 * stand in the order of their start; one that is struck out has no site.
 */
static void close_frame(struct dft_writer *writer, uint64_t start, uint32_t site)
{
    struct dft_frame *frames = (struct dft_frame *)writer->frames.data;
    size_t low = 0, high = writer->frames.used / sizeof *frames;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (frames[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < writer->frames.used / sizeof *frames && frames[low].start == start &&
        frames[low].site == site)
        frames[low].site = 0;
}

/* Frames in use, the sentinel among them; 0 where the pointer is none. */
static uint64_t open_frames(const struct dft_writer *writer, const struct dft_thread *thread)
{
    const struct dft_spool_header *header = writer->spool->header;
    uint64_t top = (uint64_t)(uintptr_t)__atomic_load_n(&thread->top, __ATOMIC_ACQUIRE);
    uint64_t frames =
        header->base + (uint64_t)((const char *)thread->frames - (const char *)header);
    uint64_t count = top > frames ? (top - frames) / sizeof(struct dft_frame) : 0;

    return count <= DFT_THREAD_FRAMES ? count : 0;
}

/*
 * A signal handler may have filled and closed a chunk in which the call that it interrupted has a
 * record yet to fill: then that call's frame names the record.
 */
static bool is_named(const struct dft_writer *writer, uint32_t chunk, uint32_t record)
{
    const struct dft_spool_header *header = writer->spool->header;
    const struct dft_thread *thread =
        dft_spool_thread(writer->spool, writer->spool->directory[chunk].thread);
    uint64_t address = header->base + header->chunks.offset + (uint64_t)chunk * DFT_CHUNK_SIZE +
                       (uint64_t)record * sizeof(struct dft_record);
    uint64_t count = open_frames(writer, thread);

    for (uint64_t i = 1; i < count; i++)
        if (__atomic_load_n(&thread->frames[i].record, __ATOMIC_ACQUIRE) ==
            DFT_FRAME_RECORD(address))
            return true;
    return false;
}

/* Before the records of a chunk are taken: which of them are left for later. */
static void note_unfilled(struct dft_writer *writer, uint32_t chunk)
{
    const struct dft_spool_header *header = writer->spool->header;
    const struct dft_record *records = dft_spool_chunk_records(writer->spool, chunk);
    const struct dft_thread *thread =
        dft_spool_thread(writer->spool, writer->spool->directory[chunk].thread);
    uint32_t first =
        DFT_FRAME_RECORD(header->base + header->chunks.offset + (uint64_t)chunk * DFT_CHUNK_SIZE);
    uint64_t count = open_frames(writer, thread);

    for (uint64_t i = 1; i < count; i++) {
        uint32_t index = __atomic_load_n(&thread->frames[i].record, __ATOMIC_ACQUIRE) - first;
        struct unfilled unfilled = {chunk, index};
        if (index < DFT_CHUNK_RECORDS &&
            __atomic_load_n(&records[index].site, __ATOMIC_ACQUIRE) == 0 &&
            dft_buffer_reserve(&writer->unfilled, sizeof unfilled))
            dft_put_bytes(&writer->unfilled, (const char *)&unfilled, sizeof unfilled);
    }
}

static bool is_left(const struct dft_writer *writer, uint32_t chunk, uint32_t record)
{
    const struct unfilled *unfilled = (const struct unfilled *)writer->unfilled.data;

    for (size_t i = 0; i < unfilled_count(writer); i++)
        if (unfilled[i].chunk == chunk && unfilled[i].record == record)
            return true;
    return false;
}

/* Takes one record; returns how many units it has. */
static uint32_t take_record(struct dft_writer *writer, struct progress *progress,
                            const struct dft_thread *thread, const struct dft_record *record,
                            uint32_t room)
{
    uint32_t site = __atomic_load_n(&record->site, __ATOMIC_ACQUIRE), units = 0;
    uint64_t start = record->start, duration = record->duration;

    if (site & DFT_RECORD_EXTENDED) {
        uint32_t kind = DFT_RECORD_KIND(site);
        units = DFT_RECORD_UNITS(site);
        if (units >= room)
            return room; /* damaged: an extended record never crosses a chunk's end */
        const struct dft_record_long *more = (const struct dft_record_long *)(record + 1);
        site = kind == DFT_RECORD_LONG && units == 1 ? more->site : 0;
        duration = more->duration;
    }
    if (site) {
        add_call(writer, progress, thread, site, start, start + duration, false);
        close_frame(writer, start, site);
    }
    return units + 1;
}

static void add_to_batch(struct dft_writer *writer, uint32_t chunk)
{
    if (dft_buffer_reserve(&writer->batch, sizeof chunk))
        dft_put_bytes(&writer->batch, (const char *)&chunk, sizeof chunk);
    else
        fail(writer, -ENOMEM);
}

static void take_records(struct dft_writer *writer, struct progress *progress, uint32_t chunk)
{
    const struct dft_chunk *entry = &writer->spool->directory[chunk];
    const struct dft_thread *thread = dft_spool_thread(writer->spool, entry->thread);
    const struct dft_record *records = dft_spool_chunk_records(writer->spool, chunk);
    bool some_left = has_unfilled(writer, chunk);

    for (uint32_t i = 0; i < DFT_CHUNK_RECORDS;)
        if (some_left && is_left(writer, chunk, i))
            i++;
        else
            i +=
                take_record(writer, progress, thread, &records[i], (uint32_t)DFT_CHUNK_RECORDS - i);
    encode_calls(writer);
    add_to_batch(writer, chunk);
}

/* Takes the records that were left, as they are filled or turn out to be given up by a jump. */
static bool take_unfilled(struct dft_writer *writer)
{
    struct unfilled *unfilled = (struct unfilled *)writer->unfilled.data;
    bool found = false;

    for (size_t i = 0; i < unfilled_count(writer);) {
        struct unfilled this = unfilled[i];
        const struct dft_chunk *entry = &writer->spool->directory[this.chunk];
        const struct dft_record *record =
            dft_spool_chunk_records(writer->spool, this.chunk) + this.record;
        struct progress *progress = progress_of(writer, entry->thread);
        bool waiting = is_named(writer, this.chunk, this.record) && !writer->finishing;
        bool filled = __atomic_load_n(&record->site, __ATOMIC_ACQUIRE) != 0;
        if (waiting && !filled) {
            i++;
            continue;
        }
        if (filled && progress) {
            take_record(writer, progress, dft_spool_thread(writer->spool, entry->thread), record,
                        1);
            encode_calls(writer);
        }
        writer->unfilled.used -= sizeof this;
        unfilled[i] = unfilled[unfilled_count(writer)];
        if (!has_unfilled(writer, this.chunk))
            add_to_batch(writer, this.chunk);
        found = true;
    }
    return found;
}

/*
 * Copies the frames that are open now; take_record strikes out those that end meanwhile. Their
 * thread may be running, or have died on its way in: what is not in order is no frame.
 */
static void read_frames(struct dft_writer *writer, const struct dft_thread *thread)
{
    uint64_t count = open_frames(writer, thread), last = 0;

    writer->frames.used = 0;
    if (!dft_buffer_reserve(&writer->frames, (count + 1) * sizeof(struct dft_frame)))
        return;
    for (uint64_t i = 1; i < count; i++) {
        struct dft_frame frame = thread->frames[i];
        if (frame.start <= last || frame.site == 0)
            continue;
        last = frame.start;
        dft_put_bytes(&writer->frames, (const char *)&frame, sizeof frame);
    }
}

/* Innermost first, as calls end. */
static void write_open_calls(struct dft_writer *writer, struct progress *progress,
                             const struct dft_thread *thread, uint64_t end)
{
    const struct dft_frame *frames = (const struct dft_frame *)writer->frames.data;

    for (size_t i = writer->frames.used / sizeof *frames; i > 0; i--) {
        const struct dft_frame *frame = &frames[i - 1];
        if (frame->site == 0)
            continue;
        add_call(writer, progress, thread, frame->site, frame->start,
                 end > frame->start ? end : frame->start, true);
        struct dft_call *call = (struct dft_call *)(writer->calls.data + writer->calls.used) - 1;
        /* Another thread may have gone on a little after the end was called. */
        if (writer->calls.used && call->end_ns < progress->last_end_ns)
            call->end_ns = progress->last_end_ns;
    }
    encode_calls(writer);
    writer->frames.used = 0;
}

/* The name that a thread has now, while there is someone to ask. */
static void refresh_name(const struct dft_writer *writer, struct dft_thread *thread)
{
    char path[64], name[sizeof thread->name + 1];

    snprintf(path, sizeof path, "/proc/%ld/task/%ld/comm", (long)writer->info.pid,
             (long)thread->tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t length = read(fd, name, sizeof name - 1);
    close(fd);
    if (length <= 0)
        return;
    if (name[length - 1] == '\n')
        length--;
    name[length < (ssize_t)sizeof thread->name ? length : (ssize_t)sizeof thread->name - 1] = '\0';
    memcpy(thread->name, name, sizeof thread->name);
}

static void write_thread(struct dft_writer *writer, const struct dft_thread *thread)
{
    char name[sizeof thread->name + 1];

    memcpy(name, thread->name, sizeof thread->name);
    name[sizeof thread->name] = '\0';
    writer->dropped += thread->dropped;
    writer->main_named = writer->main_named || shown_tid(writer, thread) == writer->info.pid;
    if (!writer->error &&
        !writer->encoder->thread(&writer->info, shown_tid(writer, thread), name, &writer->text))
        fail(writer, -ENOMEM);
}

static void commit_if_due(struct dft_writer *writer)
{
    const struct dft_spool_header *header = writer->spool->header;
    size_t chunks = writer->batch.used / sizeof(uint32_t);

    if (writer->member_text >= header->settings.member_size || chunks >= BATCH_CHUNKS_MOST ||
        chunks > header->chunk_limit / 4 || writer->ended_threads >= BATCH_THREADS_MOST)
        commit_batch(writer);
}

/* Whether the writer may take this chunk now; `last`: its thread makes no more records. */
static bool is_due(struct dft_chunk *entry, const struct progress *progress, bool last)
{
    switch (atomic_load_explicit(&entry->state, memory_order_acquire)) {
    case DFT_CHUNK_FULL:
        /* Without a next one its thread is about to end: taken then, and only then. */
        return entry->next || last;
    case DFT_CHUNK_LENT:
        return !progress->lent;
    default:
        return last;
    }
}

/* Everything that one thread has filled; with `all` also its open chunk. */
static bool drain_thread(struct dft_writer *writer, uint32_t slot, bool all)
{
    struct dft_spool *spool = writer->spool;
    struct dft_thread *thread = dft_spool_thread(spool, slot);
    struct progress *progress = progress_of(writer, slot);
    uint32_t state = atomic_load_explicit(&thread->state, memory_order_acquire);
    uint32_t newest = __atomic_load_n(&thread->chunk, __ATOMIC_ACQUIRE) + 1;
    bool found = false;

    if (!progress || progress->ended || (state != DFT_THREAD_LIVE && state != DFT_THREAD_ENDED))
        return false;
    bool last = state == DFT_THREAD_ENDED || all;
    if (last)
        read_frames(writer, thread);
    if (progress->chunk == 0)
        progress->chunk = thread->oldest + 1;
    for (unsigned visited = 0; last || visited < VISIT_CHUNKS_MOST; visited++) {
        uint32_t chunk = progress->chunk - 1;
        if (progress->chunk == 0 || chunk >= spool->header->chunk_max)
            break;
        struct dft_chunk *entry = &spool->directory[chunk];
        if (!is_due(entry, progress, last))
            break;
        bool full = atomic_load_explicit(&entry->state, memory_order_acquire) == DFT_CHUNK_FULL;
        uint32_t next = full ? entry->next : 0;
        if (!last)
            note_unfilled(writer, chunk);
        progress->lent = !full && !last;
        take_records(writer, progress, chunk);
        found = true;
        /* A thread that goes on while the process ends must not keep us here for ever. */
        if (all && progress->chunk == newest)
            next = 0;
        if (next)
            progress->chunk = next;
        commit_if_due(writer); /* gives the chunk back: its entry is not ours after this */
        if (!next)
            break;
    }
    if (!last)
        return found;
    if (state == DFT_THREAD_LIVE)
        refresh_name(writer, thread);
    write_open_calls(writer, progress, thread,
                     state == DFT_THREAD_ENDED ? thread->ended : spool->header->ended);
    write_thread(writer, thread);
    progress->ended = 1;
    writer->ended_threads++;
    commit_if_due(writer);
    return true;
}

static void update_clock(struct dft_writer *writer)
{
    struct dft_anchor now;

    dft_spool_take_anchor(writer->clock.kind, &now);
    if (now.monotonic_ns - writer->clock.last.monotonic_ns >= ANCHOR_INTERVAL_NS ||
        writer->clock.segments.used == 0)
        dft_clock_add(&writer->clock, &now);
}

/* The rate of the clock is measured before anything is converted by it. */
static bool clock_is_ready(struct dft_writer *writer)
{
    struct dft_anchor now;

    if (writer->clock.kind == DFT_CLOCK_MONOTONIC || writer->clock.segments.used > 0)
        return true;
    dft_spool_take_anchor(DFT_CLOCK_MONOTONIC, &now);
    return now.monotonic_ns - writer->clock.last.monotonic_ns >= DFT_CLOCK_BASELINE_NS;
}

bool dft_writer_step(struct dft_writer *writer)
{
    struct dft_spool_header *header = writer->spool->header;
    uint32_t threads = atomic_load_explicit(&header->thread_count, memory_order_acquire);

    if (!clock_is_ready(writer))
        return false;
    update_clock(writer);
    bool found = take_unfilled(writer);
    for (uint32_t slot = 0; slot < threads; slot++)
        found |= drain_thread(writer, slot, false);
    if ((writer->batch.used || writer->ended_threads) && atomic_load(&header->waiting))
        commit_batch(writer);
    return found;
}

void dft_writer_finish(struct dft_writer *writer)
{
    struct dft_spool_header *header = writer->spool->header;
    uint32_t threads = atomic_load_explicit(&header->thread_count, memory_order_acquire);

    writer->finishing = true;
    update_clock(writer);
    take_unfilled(writer);
    for (uint32_t slot = 0; slot < threads; slot++)
        drain_thread(writer, slot, true);
    if (!writer->main_named) { /* it made no traced call, but start and end stand on its track */
        struct dft_thread main_thread = {.tid = writer->info.pid};
        memcpy(main_thread.name, header->app, sizeof main_thread.name - 1);
        refresh_name(writer, &main_thread);
        write_thread(writer, &main_thread);
    }
    struct dft_trace_end end = {.ns = dft_clock_convert(&writer->clock, header->ended),
                                .events = writer->events,
                                .dropped = writer->dropped};
    if (!writer->error && !writer->encoder->end(&writer->info, &end, &writer->text))
        fail(writer, -ENOMEM);
    commit_batch(writer);
    if (writer->events == 0 && !writer->error)
        dft_file_remove(&writer->file);
    else
        dft_file_close(&writer->file);
    atomic_store(&header->state, DFT_SPOOL_FINISHED);
}

void dft_writer_result(const struct dft_writer *writer, struct dft_writer_result *result)
{
    *result = (struct dft_writer_result){.events = writer->events,
                                         .dropped = writer->dropped,
                                         .lost = writer->lost,
                                         .error = writer->error,
                                         .path = writer->file.path};
}

int dft_writer_error(const struct dft_writer *writer)
{
    return writer->error;
}

struct dft_writer *dft_writer_open(struct dft_spool *spool, int *error, char *path,
                                   size_t path_size)
{
    const struct dft_spool_header *header = spool->header;
    const struct dft_spool_settings *settings = &header->settings;
    struct dft_writer *writer =
        mmap(NULL, sizeof *writer, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char extension[16];

    if (writer == MAP_FAILED) {
        *error = -ENOMEM;
        snprintf(path, path_size, "%s", settings->prefix);
        return NULL;
    }
    writer->spool = spool;
    writer->encoder = &dft_encoder_json;
    writer->info = (struct dft_trace_info){.spool = spool,
                                           .started_ns = header->started.monotonic_ns,
                                           .metadata = settings->metadata,
                                           .pid = header->pid};
    dft_clock_init(&writer->clock, header->clock, &header->started);
    snprintf(extension, sizeof extension, "%s%s", writer->encoder->extension,
             settings->compression ? ".gz" : "");
    *error = dft_file_create(&writer->file, settings->prefix, header->app, header->pid, extension);
    if (!*error && settings->compression && !dft_gzip_init(&writer->gzip))
        *error = -ENOMEM;
    if (!*error && !writer->encoder->begin(&writer->info, &writer->state, &writer->text))
        *error = -ENOMEM;
    if (*error) {
        snprintf(path, path_size, "%s", writer->file.path);
        if (writer->file.fd >= 0)
            dft_file_remove(&writer->file);
        dft_writer_close(writer);
        return NULL;
    }
    return writer;
}

void dft_writer_close(struct dft_writer *writer)
{
    struct dft_buffer *buffers[] = {&writer->text,     &writer->member,      &writer->calls,
                                    &writer->frames,   &writer->batch,       &writer->progress,
                                    &writer->unfilled, &writer->state.index, &writer->state.text};

    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        dft_buffer_release(buffers[i]);
    dft_clock_release(&writer->clock);
    dft_file_close(&writer->file);
    if (writer->gzip.memory.data)
        dft_gzip_release(&writer->gzip);
    munmap(writer, sizeof *writer);
}

void dft_writer_forget(struct dft_writer *writer)
{
    dft_file_close(&writer->file);
}
