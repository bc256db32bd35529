/*
 * Fibers. What hooks use of a thread, its slot and what belongs to the slot's frames, is exchanged
 * when the thread switches to another fiber. The slot is claimed by the fiber's first recorded call,
 * like that of a thread (thread.c).
 *
 * Runs in threads of the program, with signals blocked, because hooks in a signal handler must find
 * everything of one fiber. Keeps errno. The table is protected by the private heap's lock. A fiber
 * that has ended leaves its slot to a later one, so there are only as many as exist at one time.
 */
#include "runtime/session/fibers.h"
#include "runtime/base/guard.h"
#include "runtime/base/private_heap.h"
#include "runtime/detail/detail.h"
#include "runtime/events/event_names.h"
#include "runtime/finstrument/overflow_stack.h"
#include "runtime/guest/deep_guests.h"
#include "runtime/hooks/slow_path.h"
#include "runtime/session/thread.h"
#include "runtime/sites/throttle.h"

#include <stdio.h>
#include <string.h>

#define BUCKETS 1024u
#define NAME_SIZE 32

/* What belongs to a stack that a thread runs on. While it does, this is what it ran on before. */
struct stack {
    struct dft_thread *slot; /* NULL: no call was recorded on it */
    struct dft_details details;
    struct dft_overflow_calls overflow;
    struct dft_deep_calls deep;
    struct dft_paid paid;
};

struct fiber {
    uint64_t id;        /* 0: it has ended */
    uint32_t ordinal;   /* from 1 on */
    uint32_t number;    /* of the entry that names it; 0: not yet known */
    bool is_running;    /* a thread runs on it */
    struct fiber *next; /* in the bucket, or the next one that has ended */
    struct stack stack;
};

static struct fiber *buckets[BUCKETS];
static struct fiber *ended;
static uint32_t fiber_count;

static DFT_TLS struct fiber *current; /* NULL: the thread runs on its own stack */
static DFT_TLS struct stack own;      /* the thread's own stack, while it runs on another */

static struct fiber **bucket_of(uint64_t id)
{
    return &buckets[(id * 0x9e3779b97f4a7c15u >> 32) % BUCKETS];
}

/* The place that refers to the fiber; it contains NULL if there is none. */
static struct fiber **find(uint64_t id)
{
    struct fiber **at = bucket_of(id);

    while (*at && (*at)->id != id)
        at = &(*at)->next;
    return at;
}

/* NULL without memory. */
static struct fiber *make(uint64_t id)
{
    struct fiber *fiber = ended;

    if (fiber)
        ended = fiber->next;
    else if ((fiber = dft_private_heap_calloc(1, sizeof *fiber)))
        fiber->ordinal = ++fiber_count;
    if (!fiber)
        return NULL;
    struct fiber **bucket = bucket_of(id);
    fiber->id = id;
    fiber->next = *bucket;
    *bucket = fiber;
    return fiber;
}

/*
 * The fiber, on which this thread runs from now on. NULL if there is none and `makes` is not set, if
 * there is no memory, or if another thread runs on it, which is a mistake of the program.
 */
static struct fiber *take(uint64_t id, bool makes)
{
    struct fiber *fiber = NULL;

    if (id == 0 || !dft_private_heap_lock())
        return NULL;
    fiber = *find(id);
    if (!fiber && makes)
        fiber = make(id);
    if (fiber && __atomic_exchange_n(&fiber->is_running, true, __ATOMIC_ACQUIRE))
        fiber = NULL;
    dft_private_heap_unlock();
    return fiber;
}

/* Keeps a fiber that has ended for the next one that begins. */
static void retire(struct fiber *fiber)
{
    if (!dft_private_heap_lock())
        return;
    struct fiber **place = find(fiber->id);
    if (*place == fiber && !__atomic_load_n(&fiber->is_running, __ATOMIC_ACQUIRE)) {
        *place = fiber->next;
        fiber->id = 0;
        fiber->next = ended;
        ended = fiber;
    }
    dft_private_heap_unlock();
}

/* Exchanges what hooks use with that of another stack. */
static void exchange(struct stack *stack)
{
    struct dft_thread *slot = dft_self;

    dft_thread_use(stack->slot);
    stack->slot = slot;
    dft_detail_exchange(&stack->details);
    dft_overflow_stack_exchange(&stack->overflow);
    dft_deep_guests_exchange(&stack->deep);
    dft_throttle_exchange(&stack->paid);
}

/* NULL: to the thread's own stack. */
static void go_to(struct fiber *fiber)
{
    if (current) {
        exchange(&own);
        current->stack = own;
        own = (struct stack){0};
        __atomic_store_n(&current->is_running, false, __ATOMIC_RELEASE);
    }
    current = fiber;
    if (fiber) {
        own = fiber->stack;
        fiber->stack = (struct stack){0};
        exchange(&own);
    }
}

void dft_fibers_switch(uint64_t id)
{
    struct dft_guard guard;

    if (dft_busy || id == (current ? current->id : 0))
        return;
    dft_guard_enter(&guard);
    go_to(take(id, true));
    dft_guard_leave(&guard);
}

void dft_fibers_end(uint64_t id)
{
    struct fiber *before = current;
    struct dft_guard guard;

    if (dft_busy || id == 0)
        return;
    dft_guard_enter(&guard);
    struct fiber *fiber = before && before->id == id ? before : take(id, false);
    if (fiber) {
        if (fiber != before)
            go_to(fiber);
        dft_slow_path_close_all();
        if (before && fiber != before)
            __atomic_store_n(&before->is_running, true, __ATOMIC_RELAXED);
        go_to(fiber == before ? NULL : before);
        retire(fiber);
    }
    dft_guard_leave(&guard);
}

uint32_t dft_fibers_number(void)
{
    char text[2 * NAME_SIZE + DFTRACE_TEXT_COUNT] = {0};

    if (!current || current->number)
        return current ? current->number : 0;
    int length = snprintf(text, NAME_SIZE, "fiber %u", current->ordinal);
    memcpy(text + length + 1, text, (size_t)length); /* the track's path */
    current->number = dft_event_names_intern(text, 0);
    return current->number;
}

void dft_fibers_leave(void)
{
    if (current)
        go_to(NULL);
}

void dft_fibers_in_child(void)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        buckets[i] = NULL;
    ended = NULL;
    fiber_count = 0;
    current = NULL;
    own = (struct stack){0};
}
