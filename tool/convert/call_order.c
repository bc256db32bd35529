/*
 * For each thread a stack of calls. Where callers come before their callees, a call leaves the
 * stack when a call that begins later shows that it has ended. Where callees come first, a call
 * that begins earlier than the one before, or encloses it, shows that all of them have ended.
 */
#include "tool/convert/call_order.h"

#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

struct dft_held_call {
    struct dft_held_call *below;
    struct dft_encoding_event event;
    unsigned char bytes[];
};

struct dft_order_thread {
    int32_t tid;
    struct dft_held_call *top;
};

struct key {
    const struct dft_call_order *order;
    int32_t tid;
};

static bool matches(const void *context, uint32_t number)
{
    const struct key *key = context;

    return key->order->threads[number].tid == key->tid;
}

static struct dft_order_thread *find(struct dft_call_order *order, int32_t tid)
{
    struct key key = {order, tid};
    uint64_t hash = dft_hash_number(11, (uint64_t)tid);
    uint32_t found = dft_index_find(&order->index, hash, matches, &key);

    if (found == DFT_INDEX_NONE) {
        order->threads =
            dft_tool_grow(order->threads, order->count, &order->room, sizeof *order->threads);
        found = (uint32_t)order->count++;
        order->threads[found] = (struct dft_order_thread){tid, NULL};
        dft_index_add(&order->index, hash, found);
    }
    return &order->threads[found];
}

static void pop(struct dft_call_order *order, struct dft_order_thread *thread)
{
    struct dft_held_call *held = thread->top;

    thread->top = held->below;
    order->take(order->context, &held->event);
    free(held);
}

/* Whether a new call shows that the innermost held one has ended. */
static bool has_ended(const struct dft_encoding_event *held, const struct dft_encoding_event *event)
{
    bool is_equal = held->start_ns == event->start_ns && held->end_ns == event->end_ns;

    if (is_equal)
        return event->from_pair;
    return held->end_ns <= event->start_ns || event->start_ns < held->start_ns ||
           (event->start_ns == held->start_ns && event->end_ns > held->end_ns);
}

void dft_call_order_add(struct dft_call_order *order, const struct dft_encoding_event *event)
{
    struct dft_order_thread *thread = find(order, event->tid);
    struct dft_held_call *held = dft_tool_resize(NULL, sizeof *held + event->length, 1);

    while (thread->top && has_ended(&thread->top->event, event))
        pop(order, thread);
    held->below = thread->top;
    held->event = *event;
    if (event->length > 0)
        memcpy(held->bytes, event->attachments, event->length);
    held->event.attachments = held->bytes;
    thread->top = held;
}

void dft_call_order_advance(struct dft_call_order *order, int32_t tid, uint64_t ns)
{
    struct dft_order_thread *thread = find(order, tid);

    while (thread->top && thread->top->event.end_ns <= ns)
        pop(order, thread);
}

void dft_call_order_finish(struct dft_call_order *order)
{
    for (size_t i = 0; i < order->count; i++) {
        while (order->threads[i].top)
            pop(order, &order->threads[i]);
    }
}

void dft_call_order_free(struct dft_call_order *order)
{
    free(order->threads);
    dft_index_free(&order->index);
}
