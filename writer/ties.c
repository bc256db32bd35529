/*
 * Calls that begin in the same nanosecond as a call inside them which is in an earlier member. Runs
 * in the writer's own thread, for one job after the other.
 *
 * A format of begins and ends needs the begin of the caller first. In one member the encoder sees
 * to that; across members it cannot, because the callee is in the file already. So such a caller
 * is shown to begin one nanosecond earlier, and its true start is attached to it.
 *
 * For each thread, the writer keeps the calls that no later call has enclosed so far: its roots.
 * Roots that only a call can enclose that is no longer open are forgotten, if there are too many.
 */
#include "writer/internal.h"

#define ROOTS_MAX 2048  /* of one thread */
#define ROOTS_KEPT 1024 /* at least so many of the latest */
#define THREADS_MAX 64

struct root {
    uint64_t start_ns, end_ns;
    uint64_t shown_ns; /* its start in the file */
    uint64_t job;
};

static struct root *roots_of(const struct dft_tied_thread *thread)
{
    return (struct root *)thread->roots.data;
}

/* The thread's entry, perhaps taken from another thread. */
static struct dft_tied_thread *find_thread(struct dft_ties *ties, int32_t tid)
{
    struct dft_tied_thread *thread = &ties->threads[ties->latest];

    if (thread->tid == tid)
        return thread;
    for (unsigned i = 0; i < THREADS_MAX; i++)
        if (ties->threads[i].tid == tid) {
            ties->latest = i;
            return &ties->threads[i];
        }
    ties->latest = ties->next++ % THREADS_MAX;
    thread = &ties->threads[ties->latest];
    thread->tid = tid;
    thread->roots.used = 0;
    return thread;
}

static const struct dft_thread *find_slot(const struct dft_writer *writer, int32_t tid)
{
    uint32_t count = atomic_load(&writer->spool->header->thread_count);

    for (uint32_t slot = 0; slot < count && slot < DFT_THREAD_MAX; slot++) {
        const struct dft_thread *thread = dft_spool_thread(writer->spool, slot);
        if (thread->tid == tid && atomic_load(&thread->state) == DFT_THREAD_LIVE)
            return thread;
    }
    return NULL;
}

/*
 * Keeps the latest roots, and of the others those with which an open call may begin: for each open
 * call, the first root after its start.
 */
static void forget_roots(struct dft_writer *writer, struct dft_tied_thread *thread)
{
    struct root *roots = roots_of(thread);
    size_t count = thread->roots.used / sizeof *roots, kept = 0, i = 0;
    const struct dft_thread *slot = find_slot(writer, thread->tid);
    uint64_t frames = slot ? dft_spool_open_frames(writer->spool, slot) : 0;

    for (uint64_t frame = 1; frame < frames && i < count - ROOTS_KEPT; frame++) {
        uint64_t ticks = __atomic_load_n(&slot->frames[frame].start, __ATOMIC_ACQUIRE);
        uint64_t start = ticks ? dft_clock_convert(&writer->clock, ticks) : 0;
        while (i < count - ROOTS_KEPT && roots[i].start_ns < start)
            i++;
        if (start && i < count - ROOTS_KEPT)
            roots[kept++] = roots[i++];
    }
    memmove(roots + kept, roots + count - ROOTS_KEPT, ROOTS_KEPT * sizeof *roots);
    thread->roots.used = (kept + ROOTS_KEPT) * sizeof *roots;
}

/* Lets the call begin at `shown`, and attaches its true start. */
static void show_earlier(struct dft_job *job, struct dft_call *call, uint64_t shown)
{
    struct dft_attachment kind = {DFT_ATTACHMENT_START, sizeof call->start_ns};
    struct dft_attached head = {.kind = DFT_RECORDED_CALL, .tid = call->tid};
    struct dft_buffer *all = &job->attached;
    uint32_t before = call->attached ? call->place : 0;
    size_t padding = -all->used % _Alignof(struct dft_attached);

    if (call->attached)
        head = *dft_call_attached(call, all->data);
    uint32_t length = head.length;
    head.length += (uint32_t)(sizeof kind + sizeof call->start_ns);
    if (!dft_buffer_reserve(all, padding + sizeof head + head.length))
        return; /* without memory, the call is shown inside the other one */
    all->used += padding;
    call->place = (uint32_t)all->used;
    dft_put_bytes(all, (const char *)&head, sizeof head);
    dft_put_bytes(all, (const char *)&kind, sizeof kind);
    dft_put_bytes(all, (const char *)&call->start_ns, sizeof call->start_ns);
    if (length)
        dft_put_bytes(all, all->data + before + offsetof(struct dft_attached, bytes), length);
    call->attached = 1;
    call->start_ns = shown;
}

static void take_call(struct dft_writer *writer, struct dft_job *job, struct dft_call *call)
{
    struct dft_ties *ties = &writer->ties;
    struct dft_tied_thread *thread = find_thread(ties, dft_call_tid(call, job->attached.data));
    struct root *roots = roots_of(thread);
    size_t count = thread->roots.used / sizeof *roots;
    struct root next = {call->start_ns, call->end_ns, call->start_ns, ties->job};

    for (; count > 0 && roots[count - 1].start_ns >= next.start_ns; count--) {
        const struct root *inside = &roots[count - 1];
        uint64_t latest = inside->shown_ns - (inside->job != ties->job);
        if (latest < next.shown_ns)
            next.shown_ns = latest;
    }
    /* A call before this one may have ended just then. */
    if (count > 0 && roots[count - 1].end_ns > next.shown_ns)
        next.shown_ns = next.start_ns;
    if (next.shown_ns < next.start_ns)
        show_earlier(job, call, next.shown_ns);
    thread->roots.used = count * sizeof next;
    if (count == ROOTS_MAX)
        forget_roots(writer, thread);
    if (dft_buffer_reserve(&thread->roots, sizeof next))
        dft_put_bytes(&thread->roots, (const char *)&next, sizeof next);
}

void dft_ties_resolve(struct dft_writer *writer, struct dft_job *job)
{
    struct dft_call *calls = (struct dft_call *)job->calls.data;
    size_t count = dft_job_events(job);
    struct dft_ties *ties = &writer->ties;

    if (!writer->encoder->begins_and_ends)
        return;
    if (!ties->threads) {
        if (!dft_buffer_reserve(&ties->memory, THREADS_MAX * sizeof *ties->threads))
            return;
        ties->threads = (struct dft_tied_thread *)ties->memory.data; /* fresh pages are zero */
    }
    ties->job++;
    for (size_t i = 0; i < count; i++)
        if (dft_call_kind(&calls[i], job->attached.data) == DFT_RECORDED_CALL)
            take_call(writer, job, &calls[i]);
}

void dft_ties_forget(struct dft_writer *writer)
{
    for (unsigned i = 0; writer->ties.threads && i < THREADS_MAX; i++)
        writer->ties.threads[i].roots.used = 0;
}

void dft_ties_release(struct dft_writer *writer)
{
    for (unsigned i = 0; writer->ties.threads && i < THREADS_MAX; i++)
        dft_buffer_release(&writer->ties.threads[i].roots);
    dft_buffer_release(&writer->ties.memory);
    writer->ties.threads = NULL;
}
