/*
 * Order of begins and ends: see perfetto_stream.h. Pure; runs in any of the writer's threads.
 *
 * The calls of one thread come in the order in which they ended: callees before their caller. Read
 * from the last to the first, each call is inside the call before it, or inside one that encloses
 * that. So one pass with a stack places all items, from the latest to the earliest: the end of a
 * call when the call is met, its begin when a call is met that begins earlier.
 *
 * Calls of one thread nest, unless the program switches stacks, tids are disabled, or the spool is
 * damaged. Of two calls that overlap, the earlier one is cut where the later one begins.
 */
#include "writer/encode/perfetto_stream.h"

struct run {
    uint32_t begin, end;
    uint32_t before; /* number + 1 of the thread's run before; 0: none */
};

static struct dft_stream_thread *threads_of(const struct dft_stream *stream)
{
    return (struct dft_stream_thread *)stream->threads.data;
}

static size_t count_threads(const struct dft_stream *stream)
{
    return stream->threads.used / sizeof(struct dft_stream_thread);
}

/* NULL if memory is exhausted. Threads that were seen last are found first. */
static struct dft_stream_thread *find_thread(struct dft_stream *stream, int32_t tid)
{
    struct dft_stream_thread fresh = {.tid = tid};

    for (size_t i = count_threads(stream); i > 0; i--)
        if (threads_of(stream)[i - 1].tid == tid)
            return &threads_of(stream)[i - 1];
    if (!dft_buffer_reserve(&stream->threads, sizeof fresh))
        return NULL;
    dft_put_bytes(&stream->threads, (const char *)&fresh, sizeof fresh);
    return &threads_of(stream)[count_threads(stream) - 1];
}

/* Takes the calls from `begin` on that are of one thread. Returns how many; 0: no memory. */
static size_t take_run(struct dft_stream *stream, const struct dft_call *calls, size_t begin,
                       size_t count, const char *attached)
{
    int32_t tid = dft_call_tid(&calls[begin], attached);
    struct dft_stream_thread *thread = find_thread(stream, tid);
    size_t i = begin;

    if (!thread || !dft_buffer_reserve(&stream->runs, sizeof(struct run)))
        return 0;
    uint64_t last = thread->last_end_ns;
    uint32_t items = 0;
    bool unsorted = false;
    for (; i < count; i++) {
        const struct dft_call *call = &calls[i];
        if (call->attached) {
            const struct dft_attached *details = dft_call_attached(call, attached);
            if (details->tid != tid)
                break;
            items += details->kind == DFT_RECORDED_CALL ? 2 : 1;
        } else if (call->tid == tid) {
            items += 2;
        } else {
            break;
        }
        unsorted |= call->end_ns < last;
        last = call->end_ns;
    }
    struct run run = {(uint32_t)begin, (uint32_t)i, thread->last_run};
    dft_put_bytes(&stream->runs, (const char *)&run, sizeof run);
    thread->last_run = (uint32_t)(stream->runs.used / sizeof run);
    thread->last_end_ns = last;
    thread->item_count += items;
    thread->is_unsorted |= unsorted;
    return i - begin;
}

/* --- placing -------------------------------------------------------------------------------- */

struct placing {
    struct dft_stream *stream;
    const struct dft_call *calls;
    const char *attached;
    dft_item *next;  /* one past the next place, from the last to the first */
    uint32_t *stack; /* calls, with CUT_END */
    size_t depth;
    uint64_t earliest; /* time of the item that was placed last */
};

#define CUT_END 0x80000000u

/* False if memory is exhausted. `must`: the item is marked, although its time is right. */
static bool place(struct placing *placing, enum dft_item_kind kind, uint32_t call, uint64_t ns,
                  bool must, bool *is_cut)
{
    struct dft_cut cut = {.ns = ns < placing->earliest ? ns : placing->earliest, .call = call};
    struct dft_buffer *cuts = &placing->stream->cuts;

    *is_cut = ns > placing->earliest;
    placing->earliest = cut.ns;
    if (__builtin_expect(!*is_cut && !must, 1)) {
        *--placing->next = call << 3 | kind;
        return true;
    }
    if (!dft_buffer_reserve(cuts, sizeof cut))
        return false;
    *--placing->next = (dft_item)(cuts->used / sizeof cut) << 3 | 4u | kind;
    dft_put_bytes(cuts, (const char *)&cut, sizeof cut);
    return true;
}

static bool place_begin(struct placing *placing)
{
    uint32_t entry = placing->stack[--placing->depth], call = entry & ~CUT_END;
    bool is_cut;

    return place(placing, DFT_ITEM_BEGIN, call, placing->calls[call].start_ns, entry & CUT_END,
                 &is_cut);
}

static inline bool place_call(struct placing *placing, uint32_t number)
{
    const struct dft_call *call = &placing->calls[number];
    bool is_cut;

    while (placing->depth > 0 &&
           placing->calls[placing->stack[placing->depth - 1] & ~CUT_END].start_ns > call->start_ns)
        if (!place_begin(placing))
            return false;
    if (dft_call_kind(call, placing->attached) != DFT_RECORDED_CALL)
        return place(placing, DFT_ITEM_EVENT, number, call->start_ns, false, &is_cut);
    if (!place(placing, DFT_ITEM_END, number, call->end_ns, false, &is_cut))
        return false;
    placing->stack[placing->depth++] = number | (is_cut ? CUT_END : 0);
    return true;
}

/* --- sorting -------------------------------------------------------------------------------- */

/* By end; of calls with the same end, the one that began last is first. */
static bool is_before(const struct dft_call *a, const struct dft_call *b)
{
    return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->start_ns > b->start_ns;
}

static void merge(const struct dft_call *calls, const uint32_t *from, uint32_t *to, size_t begin,
                  size_t middle, size_t end)
{
    size_t a = begin, b = middle;

    for (size_t i = begin; i < end; i++)
        if (a < middle && (b >= end || !is_before(&calls[from[b]], &calls[from[a]])))
            to[i] = from[a++];
        else
            to[i] = from[b++];
}

/* A stable merge sort. Returns which of the two arrays has the result. */
static uint32_t *sort(const struct dft_call *calls, uint32_t *numbers, uint32_t *other,
                      size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            size_t middle = begin + width < count ? begin + width : count;
            size_t end = begin + 2 * width < count ? begin + 2 * width : count;
            merge(calls, numbers, other, begin, middle, end);
        }
        uint32_t *sorted = other;
        other = numbers;
        numbers = sorted;
    }
    return numbers;
}

static bool place_sorted(struct placing *placing, const struct dft_stream_thread *thread)
{
    const struct run *runs = (const struct run *)placing->stream->runs.data;
    struct dft_buffer *order = &placing->stream->order;
    size_t count = 0;

    for (uint32_t run = thread->last_run; run; run = runs[run - 1].before)
        count += runs[run - 1].end - runs[run - 1].begin;
    order->used = 0;
    if (!dft_buffer_reserve(order, 2 * count * sizeof(uint32_t)))
        return false;
    uint32_t *numbers = (uint32_t *)order->data, *at = numbers + count;
    for (uint32_t run = thread->last_run; run; run = runs[run - 1].before)
        for (uint32_t i = runs[run - 1].end; i > runs[run - 1].begin; i--)
            *--at = i - 1;
    numbers = sort(placing->calls, numbers, numbers + count, count);
    for (size_t i = count; i > 0; i--)
        if (!place_call(placing, numbers[i - 1]))
            return false;
    return true;
}

static bool place_runs(struct placing *placing, const struct dft_stream_thread *thread)
{
    const struct run *runs = (const struct run *)placing->stream->runs.data;

    for (uint32_t run = thread->last_run; run; run = runs[run - 1].before)
        for (uint32_t i = runs[run - 1].end; i > runs[run - 1].begin; i--)
            if (!place_call(placing, i - 1))
                return false;
    return true;
}

static bool place_thread(struct placing *placing, const struct dft_stream_thread *thread)
{
    placing->next =
        (dft_item *)placing->stream->items.data + thread->first_item + thread->item_count;
    placing->earliest = UINT64_MAX;
    placing->depth = 0;
    if (!(thread->is_unsorted ? place_sorted(placing, thread) : place_runs(placing, thread)))
        return false;
    while (placing->depth > 0)
        if (!place_begin(placing))
            return false;
    return true;
}

bool dft_stream_make(struct dft_stream *stream, const struct dft_call *calls, size_t count,
                     const char *attached)
{
    struct placing placing = {.stream = stream, .calls = calls, .attached = attached};
    uint32_t items = 0;

    stream->threads.used = stream->runs.used = stream->items.used = stream->cuts.used = 0;
    for (size_t i = 0; i < count;) {
        size_t taken = take_run(stream, calls, i, count, attached);
        if (taken == 0)
            return false;
        i += taken;
    }
    for (size_t i = 0; i < count_threads(stream); i++) {
        threads_of(stream)[i].first_item = items;
        items += threads_of(stream)[i].item_count;
    }
    if (!dft_buffer_reserve(&stream->items, items * sizeof(dft_item)) ||
        !dft_buffer_reserve(&stream->stack, count * sizeof(uint32_t)))
        return false;
    stream->items.used = items * sizeof(dft_item);
    placing.stack = (uint32_t *)stream->stack.data;
    for (size_t i = 0; i < count_threads(stream); i++)
        if (!place_thread(&placing, &threads_of(stream)[i]))
            return false;
    return true;
}

void dft_stream_release(struct dft_stream *stream)
{
    struct dft_buffer *buffers[] = {&stream->threads, &stream->runs,  &stream->items,
                                    &stream->cuts,    &stream->stack, &stream->order};

    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        dft_buffer_release(buffers[i]);
}
