/*
 * From records to events: walks each thread's chain of chunks, and writes calls that are still open
 * as unfinished. Runs in the writer's own thread only.
 */
#include "writer/internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define THREAD_EVENTS_MAX 2               /* when a thread ends: its name, and its last counter */
#define ATTACHED_MAX (4 * DFT_CHUNK_SIZE) /* of one chunk */

/* Chunks that the writer takes from one thread before it looks at the next. */
#define VISIT_CHUNKS_MAX 64

static int32_t shown_tid(const struct dft_writer *writer, const struct dft_thread *thread)
{
    return writer->spool->header->settings.disable_tids && thread->naming != DFT_NAMED_TRACK
               ? writer->start.pid
               : thread->tid;
}

/* Reserves room for calls in the batch; false if memory is exhausted. */
static bool reserve_calls(struct dft_writer *writer, size_t count)
{
    if (dft_buffer_reserve(&dft_batch_job(writer)->calls, count * sizeof(struct dft_call)))
        return true;
    dft_batch_fail(writer, -ENOMEM);
    return false;
}

/*
 * Reserves room in the batch for everything that so many chunks and the end of a thread can add to
 * it. If memory is exhausted, the writer stalls and the chunks stay in the spool.
 */
static bool reserve_chunks(struct dft_writer *writer, size_t chunks)
{
    struct dft_job *job = dft_batch_job(writer);
    size_t calls = chunks * DFT_CHUNK_RECORDS + writer->frames.used / sizeof(struct dft_frame);

    if (dft_buffer_reserve(&job->calls, calls * sizeof(struct dft_call)) &&
        dft_buffer_reserve(&job->attached, chunks * ATTACHED_MAX) &&
        dft_buffer_reserve(&job->chunks, chunks * sizeof(uint32_t)) &&
        dft_buffer_reserve(&job->ended, sizeof(uint32_t)) &&
        dft_buffer_reserve(&job->after, THREAD_EVENTS_MAX * sizeof(struct dft_event)))
        return true;
    dft_batch_stall(writer, -ENOMEM);
    return false;
}

/*
 * Adds a call, for which room was reserved. `record` and `view` are NULL if the call has no
 * attachments.
 */
static void add_call(const struct dft_intake *intake, struct dft_progress *progress,
                     struct dft_call call, uint64_t start, const struct dft_record *record,
                     const struct dft_record_view *view)
{
    if (call.end_ns > progress->last_end_ns)
        progress->last_end_ns = call.end_ns;
    dft_intake_call(intake, call, start, record, view);
}

/*
 * A call that has a record is not open, even if it was open when the shadow stack was read. Removes
 * the call's frame from the copy of the shadow stack, by clearing the frame's site. Frames are
 * sorted by their start.
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

/*
 * Whether an interrupted exit hook has yet to fill a record in this chunk. The hook reserves a
 * record, whose place is in the call's frame. A signal handler that interrupts the hook may close
 * the chunk. Until the frame is popped, the hook may fill the record at any moment. Once the record
 * is filled, only the chunk shows that the call has ended.
 */
static bool is_awaited(const struct dft_writer *writer, uint32_t chunk)
{
    const struct dft_spool_header *header = writer->spool->header;
    const struct dft_record *records = dft_spool_chunk_records(writer->spool, chunk);
    const struct dft_thread *thread =
        dft_spool_thread(writer->spool, writer->spool->directory[chunk].thread);
    uint64_t first = header->base + header->chunks.offset + (uint64_t)chunk * DFT_CHUNK_SIZE;
    uint64_t count = dft_spool_open_frames(writer->spool, thread);

    for (uint64_t i = 1; i < count; i++) {
        struct dft_frame frame = {
            .start = __atomic_load_n(&thread->frames[i].start, __ATOMIC_ACQUIRE),
            .record = __atomic_load_n(&thread->frames[i].record, __ATOMIC_ACQUIRE)};
        uint32_t index = DFT_FRAME_RECORD_INDEX(&frame, first);
        if (frame.start && index < DFT_CHUNK_RECORDS &&
            (__atomic_load_n(&records[index].site, __ATOMIC_ACQUIRE) == 0 ||
             records[index].start == frame.start))
            return true;
    }
    return false;
}

/*
 * Leaves an awaited chunk in the spool, with all of its records. If the filled records were taken
 * now, a writer that comes after a kill could not tell which records of the chunk are in the file
 * and which one was filled later. False if memory is exhausted.
 */
static bool defer(struct dft_writer *writer, uint32_t chunk)
{
    if (!dft_buffer_reserve(&writer->deferred, sizeof chunk))
        return false;
    dft_put_bytes(&writer->deferred, (const char *)&chunk, sizeof chunk);
    return true;
}

/* Takes one record; returns its length in units of struct dft_record. */
static uint32_t take_record(const struct dft_intake *intake, struct dft_progress *progress,
                            const struct dft_thread *thread, const struct dft_record *record,
                            uint32_t room)
{
    struct dft_writer *writer = intake->writer;
    struct dft_record_view view;

    if (!dft_spool_read_record(record, room, &view))
        return room;
    if (view.kind >= DFT_RECORDED_INSTANT) {
        dft_intake_event(intake, dft_clock_convert(&writer->clock, view.start),
                         shown_tid(writer, thread), record, &view);
    } else if (view.kind == DFT_RECORDED_CALL && view.site <= DFT_SITE_MAX) {
        uint64_t end = view.start + view.duration;
        struct dft_call call = {.start_ns = dft_clock_convert(&writer->clock, view.start),
                                .end_ns = dft_clock_convert(&writer->clock, end),
                                .site = view.site,
                                .tid = shown_tid(writer, thread)};
        add_call(intake, progress, call, view.start, record, view.attached ? &view : NULL);
        if (writer->frames.used)
            close_frame(writer, view.start, view.site);
    } else if (view.open) {
        dft_intake_open_calls(intake, record, &view);
    }
    return view.units;
}

/*
 * Takes plain records from `i` on, up to the first that is not plain. Nearly all records are plain.
 * Used if no call is aggregated.
 */
static uint32_t take_plain_records(struct dft_writer *writer, struct dft_progress *progress,
                                   const struct dft_thread *thread,
                                   const struct dft_record *records, uint32_t i, uint32_t used)
{
    struct dft_job *job = dft_batch_job(writer);
    struct dft_call *call = (struct dft_call *)(job->calls.data + job->calls.used);
    struct dft_clock *clock = &writer->clock;
    uint64_t last_end = progress->last_end_ns;
    int32_t tid = shown_tid(writer, thread);

    for (; i < used; i++, call++) {
        uint32_t site = __atomic_load_n(&records[i].site, __ATOMIC_ACQUIRE);
        if (site == 0 || site > DFT_SITE_MAX) /* none, extended, or damaged */
            break;
        uint64_t start = records[i].start;
        call->start_ns = dft_clock_convert(clock, start);
        call->end_ns = dft_clock_convert(clock, start + records[i].duration);
        call->site = site;
        call->unfinished = call->attached = 0;
        call->tid = tid;
        job->own += dft_spool_is_own(writer->spool, site);
        if (call->end_ns > last_end)
            last_end = call->end_ns;
    }
    progress->last_end_ns = last_end;
    job->calls.used = (size_t)((char *)call - job->calls.data);
    return i;
}

/* Like take_plain_records. Used if calls may be aggregated. */
static uint32_t aggregate_plain_records(const struct dft_intake *intake,
                                        struct dft_progress *progress,
                                        const struct dft_thread *thread,
                                        const struct dft_record *records, uint32_t i, uint32_t used)
{
    struct dft_clock *clock = &intake->writer->clock;
    struct dft_call call = {.tid = shown_tid(intake->writer, thread)};

    for (; i < used; i++) {
        uint32_t site = __atomic_load_n(&records[i].site, __ATOMIC_ACQUIRE);
        if (site == 0 || site > DFT_SITE_MAX)
            break;
        uint64_t start = records[i].start;
        call.start_ns = dft_clock_convert(clock, start);
        call.end_ns = dft_clock_convert(clock, start + records[i].duration);
        call.site = site;
        add_call(intake, progress, call, start, NULL, NULL);
    }
    return i;
}

/* Takes the records of a chunk. `late`: the chunk was deferred. */
static void take_records(struct dft_writer *writer, struct dft_progress *progress, uint32_t chunk,
                         bool late)
{
    const struct dft_chunk *entry = &writer->spool->directory[chunk];
    const struct dft_thread *thread = dft_spool_thread(writer->spool, entry->thread);
    const struct dft_record *records = dft_spool_chunk_records(writer->spool, chunk);
    uint32_t used = dft_spool_chunk_used(writer->spool, chunk);
    struct dft_intake intake = dft_intake_begin(writer, entry->thread, used);
    bool plain = !writer->frames.used;

    if (late) /* calls that ended later have been taken already */
        intake.nest = NULL;
    for (uint32_t i = 0; i < used && reserve_calls(writer, used - i);) {
        if (plain && intake.aggregation.is_wanted)
            i = aggregate_plain_records(&intake, progress, thread, records, i, used);
        else if (plain)
            i = take_plain_records(writer, progress, thread, records, i, used);
        if (i < used)
            i += take_record(&intake, progress, thread, &records[i], used - i);
    }
    dft_batch_add(writer, chunk);
}

/*
 * Takes those deferred chunks of one thread that are complete by now; with `all`, takes all of
 * them.
 */
static bool take_deferred(struct dft_writer *writer, uint32_t slot, bool all)
{
    uint32_t *deferred = (uint32_t *)writer->deferred.data;
    size_t count = writer->deferred.used / sizeof *deferred, left = 0;
    struct dft_progress *progress = dft_batch_progress(writer, slot);

    for (size_t i = 0; i < count; i++)
        if (writer->spool->directory[deferred[i]].thread != slot ||
            (!all && is_awaited(writer, deferred[i])) || !reserve_chunks(writer, 1))
            deferred[left++] = deferred[i];
        else
            take_records(writer, progress, deferred[i], true);
    writer->deferred.used = left * sizeof *deferred;
    return left < count;
}

/*
 * Copies the thread's open frames. close_frame removes those whose calls turn out to have a record.
 * The thread may be running, or may have died while it filled a frame, so frames out of order are
 * ignored. If memory is exhausted, the writer stalls.
 */
static bool read_frames(struct dft_writer *writer, const struct dft_thread *thread)
{
    uint64_t count = dft_spool_open_frames(writer->spool, thread), last = 0;

    writer->frames.used = 0;
    if (!dft_buffer_reserve(&writer->frames, (count + 1) * sizeof(struct dft_frame))) {
        dft_batch_stall(writer, -ENOMEM);
        return false;
    }
    for (uint64_t i = 1; i < count; i++) {
        struct dft_frame frame = thread->frames[i];
        if (frame.start <= last || frame.site == 0 || frame.site > DFT_SITE_MAX)
            continue;
        last = frame.start;
        dft_put_bytes(&writer->frames, (const char *)&frame, sizeof frame);
    }
    return true;
}

/*
 * Writes open calls as unfinished: the innermost first, because that is the order in which calls
 * end.
 */
static void write_open_calls(struct dft_writer *writer, struct dft_progress *progress,
                             const struct dft_thread *thread, uint64_t end)
{
    const struct dft_frame *frames = (const struct dft_frame *)writer->frames.data;
    struct dft_intake intake =
        dft_intake_begin(writer, dft_spool_slot(writer->spool, thread), DFT_THREAD_FRAMES);

    if (!reserve_calls(writer, writer->frames.used / sizeof *frames))
        return;
    for (size_t i = writer->frames.used / sizeof *frames; i > 0; i--) {
        const struct dft_frame *frame = &frames[i - 1];
        if (frame->site == 0)
            continue;
        struct dft_call call = {
            .start_ns = dft_clock_convert(&writer->clock, frame->start),
            .end_ns = dft_clock_convert(&writer->clock, end > frame->start ? end : frame->start),
            .site = frame->site & ~DFT_RECORD_EXTENDED,
            .unfinished = 1,
            .tid = shown_tid(writer, thread)};
        /*
         * A thread other than the one that ended the session may have recorded calls after the end
         * time.
         */
        if (call.end_ns < progress->last_end_ns)
            call.end_ns = progress->last_end_ns;
        add_call(&intake, progress, call, frame->start, NULL, NULL);
    }
    writer->frames.used = 0;
}

void dft_drain_refresh_name(const struct dft_writer *writer, struct dft_thread *thread)
{
    char path[64], name[sizeof thread->name + 1];

    if (writer->spool->gone || /* the pid may be another process's by now */
        thread->naming != DFT_NAMED_BY_KERNEL)
        return;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/comm", (long)writer->start.pid,
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

void dft_drain_write_thread(struct dft_writer *writer, const struct dft_thread *thread)
{
    struct dft_job *job = dft_batch_job(writer);
    struct dft_event event = {.kind = DFT_EVENT_THREAD, .thread.tid = shown_tid(writer, thread)};

    if (thread->naming == DFT_NAMED_BY_KERNEL)
        memcpy(event.thread.name, thread->name, sizeof thread->name);
    else
        event.thread.label = thread->label;
    job->dropped += thread->dropped;
    job->omitted += thread->omitted;
    writer->main_named = writer->main_named || event.thread.tid == writer->start.pid;
    if (!writer->error && !dft_batch_put_event(writer, &event))
        dft_batch_fail(writer, -ENOMEM);
}

/* Whether the writer may take this chunk now. `last`: the chunk's thread adds no more records. */
static bool is_due(struct dft_chunk *entry, const struct dft_progress *progress, bool last)
{
    switch (atomic_load_explicit(&entry->state, memory_order_acquire)) {
    case DFT_CHUNK_FULL:
        /* A full chunk without a successor is the last of a thread that is about to end. */
        return entry->next || last;
    case DFT_CHUNK_LENT:
        return !progress->lent;
    default:
        return last;
    }
}

bool dft_drain_thread(struct dft_writer *writer, uint32_t slot, bool all)
{
    struct dft_spool *spool = writer->spool;
    struct dft_thread *thread = dft_spool_thread(spool, slot);
    struct dft_progress *progress = dft_batch_progress(writer, slot);
    uint32_t state = atomic_load_explicit(&thread->state, memory_order_acquire);
    uint32_t newest = __atomic_load_n(&thread->chunk, __ATOMIC_ACQUIRE) + 1;
    bool found = false;

    if (!progress)
        dft_batch_stall(writer, -ENOMEM);
    if (!progress || progress->ended || (state != DFT_THREAD_LIVE && state != DFT_THREAD_ENDED))
        return false;
    bool last = state == DFT_THREAD_ENDED || all;
    /* The chunks that are taken together with the end of the thread: see below. */
    size_t at_end = writer->deferred.used / sizeof(uint32_t);
    if (last && !(read_frames(writer, thread) && reserve_chunks(writer, at_end)))
        return false;
    if (!last && writer->deferred.used)
        found = take_deferred(writer, slot, false);
    if (progress->chunk == 0)
        progress->chunk = thread->oldest + 1;
    for (unsigned visited = 0; last || visited < VISIT_CHUNKS_MAX; visited++) {
        uint32_t chunk = progress->chunk - 1;
        if (writer->stalled) /* the thread's next chunk is taken later */
            return found;
        if (progress->chunk == 0 || chunk >= spool->header->chunk_max)
            break;
        struct dft_chunk *entry = &spool->directory[chunk];
        /* The spool of another process may be damaged: do not follow a cycle. */
        if (entry->thread != slot || visited > spool->header->chunk_max)
            break;
        if (!is_due(entry, progress, last))
            break;
        if (!reserve_chunks(writer, last ? at_end + 1 : 1))
            return found;
        bool full = atomic_load_explicit(&entry->state, memory_order_acquire) == DFT_CHUNK_FULL;
        uint32_t next = full ? entry->next : 0;
        if (!dft_spool_is_committed(spool, entry->pending_commit) && /* by an earlier writer */
            !(is_awaited(writer, chunk) && defer(writer, chunk)))
            take_records(writer, progress, chunk, false);
        progress->lent = !full && !last;
        found = true;
        /* A thread that still records while the process ends must not keep the writer here. */
        if (all && progress->chunk == newest)
            next = 0;
        if (next)
            progress->chunk = next;
        /* This may give the chunk back: its entry must not be used afterwards. */
        if (next || !last)
            dft_batch_close_if_due(writer);
        if (!next)
            break;
    }
    if (!last)
        return found;
    /*
     * A call that seemed open may have a record after all, in the last chunk or in a deferred one.
     * So these chunks are committed together with the open calls. If they were committed earlier, a
     * later writer would not read them, and would take the call for an open one. For the same
     * reason, none of them is taken before there is room for all. (The room has been reserved,
     * unless the thread's chain of chunks is damaged.)
     */
    if (!reserve_chunks(writer, writer->deferred.used / sizeof(uint32_t)))
        return found; /* the end of this thread is taken later */
    take_deferred(writer, slot, true);
    if (state == DFT_THREAD_LIVE)
        dft_drain_refresh_name(writer, thread);
    write_open_calls(writer, progress, thread,
                     state == DFT_THREAD_ENDED ? thread->ended : spool->header->ended);
    dft_intake_end_thread(writer, slot);
    dft_drain_write_thread(writer, thread);
    if (state == DFT_THREAD_ENDED)
        dft_counters_end_thread(writer, slot, dft_clock_convert(&writer->clock, thread->ended));
    progress->ended = 1;
    dft_batch_end_thread(writer, slot);
    dft_batch_close_if_due(writer);
    return true;
}
