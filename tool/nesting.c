/*
 * Nesting of one thread's calls.
 *
 * Children first: `roots` holds the calls whose parent has not come. A call takes off the end of it
 * all that began after it began: those are its children, and it takes their place. The same is done
 * once more for each function alone, to find calls of a function below a call of itself. Entries of
 * such a list that lie below one root can only be taken together, so they are merged when the lists
 * have grown; that keeps them as short as the list of roots.
 *
 * What tracing took around calls is a list of its own, from which each call takes what lies in it.
 *
 * Parents first: the calls that are still open when a call begins are a stack.
 *
 * Backwards: time is turned round, so that the end of a call is its start, and calls come parents
 * first.
 *
 * Unfinished calls are put over the roots at the very end: they are open until then, wherever in
 * the file they stand.
 */
#include "tool/nesting.h"

#include "tool/index.h"
#include "tool/spans.h"
#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>

/* Calls of equal start are put in order by their length; a file with more of them is no trace. */
#define MOST_EQUAL_STARTS 1024

/* The lists of single functions are merged when they have grown by this many entries and doubled.
 */
#define MERGE_AFTER 4096

enum order {
    ORDER_UNKNOWN, /* no two calls have been nested yet */
    ORDER_CHILDREN_FIRST,
    ORDER_PARENTS_FIRST,
    ORDER_BACKWARDS,
};

/* A function on this thread. */
struct slot {
    uint32_t function;
    uint32_t open;          /* its calls on the stack; parents first only */
    struct dft_spans calls; /* outermost ones so far; children first only */
};

struct open_call {
    int64_t start;
    int64_t end;
    uint32_t slot;
    int64_t cost;
};

struct dft_nesting {
    enum order order;
    uint64_t disordered;
    struct slot *slots;
    size_t slot_count;
    size_t slot_room;
    struct dft_index index; /* function to slot */

    struct dft_spans roots;
    struct dft_spans costs; /* of roots that have one */
    size_t entries;         /* in the lists of all slots */
    size_t merge_limit;     /* of them */

    /* While the order is unknown, the calls that would be open if it were parents first. */
    struct open_call *stack;
    size_t depth;
    size_t stack_room;

    struct open_call *unfinished;
    size_t unfinished_count;
    size_t unfinished_room;
    size_t unfinished_done; /* backwards: those that have been counted */
    bool is_turned;         /* backwards: they are sorted by their end, in turned time */
};

struct dft_nesting *dft_nesting_new(void)
{
    struct dft_nesting *nesting = dft_tool_zeroed(1, sizeof *nesting);

    nesting->merge_limit = MERGE_AFTER;
    return nesting;
}

struct slot_key {
    const struct dft_nesting *nesting;
    uint32_t function;
};

static bool slot_matches(const void *context, uint32_t number)
{
    const struct slot_key *key = context;

    return key->nesting->slots[number].function == key->function;
}

static uint32_t find_slot(struct dft_nesting *nesting, uint32_t function, bool *is_new)
{
    struct slot_key key = {nesting, function};
    uint64_t hash = dft_hash_number(0, function + UINT64_C(1));
    uint32_t found = dft_index_find(&nesting->index, hash, slot_matches, &key);

    *is_new = found == DFT_INDEX_NONE;
    if (!*is_new)
        return found;
    nesting->slots = dft_tool_grow(nesting->slots, nesting->slot_count, &nesting->slot_room,
                                   sizeof(struct slot));
    found = (uint32_t)nesting->slot_count++;
    nesting->slots[found] = (struct slot){.function = function};
    dft_index_add(&nesting->index, hash, found);
    return found;
}

static int64_t length_of(const struct open_call *call)
{
    return call->end - call->start;
}

static struct dft_times *times_of(const struct dft_nesting *nesting, struct dft_times *times,
                                  uint32_t slot)
{
    return &times[nesting->slots[slot].function];
}

static void count_alone(struct dft_nesting *nesting, struct dft_times *times,
                        const struct open_call *call)
{
    struct dft_times *own = times_of(nesting, times, call->slot);

    own->self += length_of(call);
    own->total += length_of(call);
    nesting->disordered++;
}

/* --- parents first --- */

static void insert_open(struct dft_nesting *nesting, size_t place, const struct open_call *call)
{
    nesting->stack =
        dft_tool_grow(nesting->stack, nesting->depth, &nesting->stack_room, sizeof *nesting->stack);
    memmove(nesting->stack + place + 1, nesting->stack + place,
            (nesting->depth - place) * sizeof *nesting->stack);
    nesting->stack[place] = *call;
    nesting->depth++;
}

/*
 * Where on the stack a call belongs: above all that began before it, and below those of the same
 * start that it is longer than. False when there are too many of these.
 */
static bool find_place(const struct dft_nesting *nesting, const struct open_call *call,
                       bool equal_is_inside, size_t *place)
{
    size_t at = nesting->depth;

    for (; at > 0; at--) {
        const struct open_call *other = &nesting->stack[at - 1];

        if (other->start != call->start || other->end > call->end ||
            (other->end == call->end && !equal_is_inside))
            break;
        if (nesting->depth - at == MOST_EQUAL_STARTS)
            return false;
    }
    *place = at;
    return true;
}

/* The part of `call` that lies inside `parent`: rounded ends may stand out by a digit. */
static int64_t part_inside(const struct open_call *call, const struct open_call *parent)
{
    return (call->end < parent->end ? call->end : parent->end) - call->start;
}

/* Whether a call at `place` has its own function below it; `above` is its lowest one above. */
static bool is_recursive(const struct dft_nesting *nesting, const struct open_call *call,
                         size_t place, const struct open_call **above)
{
    uint32_t open = nesting->slots[call->slot].open;

    *above = NULL;
    for (size_t i = nesting->depth; i > place; i--) {
        if (nesting->stack[i - 1].slot == call->slot) {
            *above = &nesting->stack[i - 1];
            open--;
        }
    }
    return open > 0;
}

static void add_parents_first(struct dft_nesting *nesting, struct dft_times *times,
                              const struct open_call *call)
{
    struct dft_times *own = times_of(nesting, times, call->slot);
    const struct open_call *above;
    size_t place;

    while (nesting->depth > 0 && nesting->stack[nesting->depth - 1].end <= call->start)
        nesting->slots[nesting->stack[--nesting->depth].slot].open--;
    if ((nesting->depth > 0 && nesting->stack[nesting->depth - 1].start > call->start) ||
        !find_place(nesting, call, false, &place)) {
        count_alone(nesting, times, call);
        return;
    }
    const struct open_call *parent = place > 0 ? &nesting->stack[place - 1] : NULL;
    const struct open_call *inner = place < nesting->depth ? &nesting->stack[place] : NULL;

    own->self += length_of(call);
    if (inner)
        own->self -= length_of(inner);
    if (parent)
        times_of(nesting, times, parent->slot)->self -= part_inside(call, parent) + call->cost;
    if (parent && inner)
        times_of(nesting, times, parent->slot)->self += part_inside(inner, parent);
    if (!is_recursive(nesting, call, place, &above))
        own->total += length_of(call) - (above ? length_of(above) : 0);
    nesting->slots[call->slot].open++;
    insert_open(nesting, place, call);
}

/* --- backwards --- */

/* Start and end are those of the turned time. */
static int compare_turned(const void *left, const void *right)
{
    const struct open_call *a = left;
    const struct open_call *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return 0;
}

static struct open_call turn(const struct open_call *call)
{
    /* The smallest number has no counterpart. */
    struct open_call turned = {~call->end, ~call->start, call->slot, call->cost};

    return turned;
}

/* Rounded ends may stand out of the parent's by a digit: for the parent they end with it. */
static void add_turned(struct dft_nesting *nesting, struct dft_times *times, struct open_call *call)
{
    if (nesting->depth > 0) {
        const struct open_call *top = &nesting->stack[nesting->depth - 1];
        bool stands_out = call->start < top->start;

        if (stands_out && call->end > top->start && call->end <= top->end) {
            struct dft_times *own = times_of(nesting, times, call->slot);
            int64_t outside = top->start - call->start;

            own->self += outside;
            own->total += nesting->slots[call->slot].open ? 0 : outside;
            call->start = top->start;
        }
    }
    add_parents_first(nesting, times, call);
}

/* Those that are open when a call ends are its parents, and must be there before it. */
static void add_unfinished_until(struct dft_nesting *nesting, struct dft_times *times,
                                 int64_t start)
{
    while (nesting->unfinished_count > nesting->unfinished_done &&
           nesting->unfinished[nesting->unfinished_done].start <= start)
        add_turned(nesting, times, &nesting->unfinished[nesting->unfinished_done++]);
}

size_t dft_nesting_pending(const struct dft_nesting *nesting)
{
    return nesting->roots.count + nesting->costs.count + nesting->entries + nesting->depth;
}

bool dft_nesting_is_settled(const struct dft_nesting *nesting)
{
    return nesting->order == ORDER_PARENTS_FIRST;
}

void dft_nesting_add_backwards(struct dft_nesting *nesting, struct dft_times *times,
                               const struct dft_nested_call *call)
{
    bool is_new;
    struct open_call entry = {call->start, call->end, find_slot(nesting, call->function, &is_new),
                              call->cost};
    struct open_call turned = turn(&entry);

    if (!nesting->is_turned) {
        for (size_t i = 0; i < nesting->unfinished_count; i++)
            nesting->unfinished[i] = turn(&nesting->unfinished[i]);
        if (nesting->unfinished_count > 0)
            qsort(nesting->unfinished, nesting->unfinished_count, sizeof *nesting->unfinished,
                  compare_turned);
        nesting->is_turned = true;
    }
    add_unfinished_until(nesting, times, turned.start);
    add_turned(nesting, times, &turned);
}

/* --- children first --- */

static void merge_entries(struct dft_nesting *nesting)
{
    nesting->entries = 0;
    for (size_t i = 0; i < nesting->slot_count; i++) {
        dft_spans_merge(&nesting->slots[i].calls, &nesting->roots);
        nesting->entries += nesting->slots[i].calls.count;
    }
    nesting->merge_limit = nesting->entries * 2 + MERGE_AFTER;
}

/* What is left of a call's time when `inside` is taken away; rounding may have made it more. */
static int64_t remainder_of(const struct open_call *call, int64_t inside)
{
    return length_of(call) > inside ? length_of(call) - inside : 0;
}

/* Over before the other one began; a call of no length at its very end lies inside it. */
static bool is_before(const struct open_call *call, const struct dft_span *span)
{
    return call->start < span->start &&
           (call->end < span->start || (call->end == span->start && span->time > 0));
}

static void add_children_first(struct dft_nesting *nesting, struct dft_times *times,
                               const struct open_call *call)
{
    struct dft_times *own = times_of(nesting, times, call->slot);
    struct dft_spans *same = &nesting->slots[call->slot].calls;

    if (nesting->roots.count > 0) {
        const struct dft_span *last = &nesting->roots.list[nesting->roots.count - 1];
        int64_t last_end = last->start + last->time;

        if (is_before(call, last) || (call->start == last->start && call->end < last_end)) {
            count_alone(nesting, times, call);
            return;
        }
        if (call->start > last->start && call->start < last_end && call->end <= last_end)
            nesting->disordered++; /* its parent has been here already */
    }
    int64_t inside = dft_spans_take(&nesting->roots, call->start);
    own->self += remainder_of(call, inside) - dft_spans_take(&nesting->costs, call->start);
    dft_spans_push(&nesting->roots, call->start, length_of(call));
    if (call->cost)
        dft_spans_push(&nesting->costs, call->start, call->cost);

    size_t before = same->count;
    own->total += remainder_of(call, dft_spans_take(same, call->start));
    dft_spans_push(same, call->start, length_of(call));
    nesting->entries = nesting->entries - before + same->count;
    if (nesting->entries > nesting->merge_limit)
        merge_entries(nesting);
}

/* --- unfinished calls --- */

static void defer_unfinished(struct dft_nesting *nesting, const struct open_call *call)
{
    nesting->unfinished = dft_tool_grow(nesting->unfinished, nesting->unfinished_count,
                                        &nesting->unfinished_room, sizeof *nesting->unfinished);
    nesting->unfinished[nesting->unfinished_count++] = *call;
}

/* Innermost first. */
static int compare_calls(const void *left, const void *right)
{
    const struct open_call *a = left;
    const struct open_call *b = right;

    if (a->start != b->start)
        return a->start > b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return 0;
}

static int compare_slots(const void *left, const void *right)
{
    const struct open_call *a = left;
    const struct open_call *b = right;

    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    return compare_calls(left, right);
}

/* Puts sorted calls over a list; each of them adds what it does not cover to its function. */
static void cover_spans(struct dft_nesting *nesting, struct dft_times *times,
                        struct dft_spans *spans, const struct open_call *calls, size_t count,
                        bool is_self)
{
    struct dft_cover *covers = dft_tool_zeroed(count, sizeof *covers);

    for (size_t i = 0; i < count; i++)
        covers[i] = (struct dft_cover){.start = calls[i].start, .end = calls[i].end};
    dft_spans_cover(spans, covers, count);
    for (size_t i = 0; i < count; i++) {
        struct dft_times *own = times_of(nesting, times, calls[i].slot);

        *(is_self ? &own->self : &own->total) += remainder_of(&calls[i], covers[i].inside);
    }
    free(covers);
}

static void settle_unfinished(struct dft_nesting *nesting, struct dft_times *times)
{
    struct open_call *calls = nesting->unfinished;
    size_t count = nesting->unfinished_count;

    if (count == 0)
        return;
    qsort(calls, count, sizeof *calls, compare_calls);
    cover_spans(nesting, times, &nesting->roots, calls, count, true);
    for (size_t i = 0; i < count; i++)
        times_of(nesting, times, calls[i].slot)->self -=
            dft_spans_take(&nesting->costs, calls[i].start);
    qsort(calls, count, sizeof *calls, compare_slots);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;

        while (end < count && calls[end].slot == calls[i].slot)
            end++;
        cover_spans(nesting, times, &nesting->slots[calls[i].slot].calls, calls + i, end - i,
                    false);
        i = end;
    }
}

/* --- the order --- */

static void free_spans(struct dft_nesting *nesting)
{
    dft_spans_free(&nesting->roots);
    dft_spans_free(&nesting->costs);
    for (size_t i = 0; i < nesting->slot_count; i++)
        dft_spans_free(&nesting->slots[i].calls);
    nesting->entries = 0;
}

/* The stack holds the last call, and those of the same start that lie inside it. */
static void enter_parents_first(struct dft_nesting *nesting, struct dft_times *times)
{
    int64_t start = nesting->stack[0].start;
    size_t place = 0;

    settle_unfinished(nesting, times);
    if (nesting->unfinished_count > 0)
        qsort(nesting->unfinished, nesting->unfinished_count, sizeof *nesting->unfinished,
              compare_calls);
    for (size_t i = nesting->unfinished_count; i > 0; i--) {
        const struct open_call *call = &nesting->unfinished[i - 1];

        if (call->start <= start && call->end > start)
            insert_open(nesting, place++, call);
    }
    nesting->unfinished_count = 0;
    for (size_t i = 0; i < nesting->depth; i++)
        nesting->slots[nesting->stack[i].slot].open++;
    free_spans(nesting);
    nesting->order = ORDER_PARENTS_FIRST;
}

/* Keeps the stack as it would be if the order turned out to be parents first. */
static void track_open(struct dft_nesting *nesting, const struct open_call *call)
{
    size_t place;

    while (nesting->depth > 0 && nesting->stack[nesting->depth - 1].end <= call->start)
        nesting->depth--;
    if (!find_place(nesting, call, true, &place))
        place = nesting->depth = 0;
    insert_open(nesting, place, call);
}

static void add_unknown(struct dft_nesting *nesting, struct dft_times *times,
                        const struct open_call *call)
{
    if (nesting->roots.count > 0) {
        const struct dft_span *last = &nesting->roots.list[nesting->roots.count - 1];
        int64_t last_end = last->start + last->time;

        if ((call->start > last->start && call->start < last_end && call->end <= last_end) ||
            (call->start == last->start && call->end < last_end)) {
            enter_parents_first(nesting, times);
            add_parents_first(nesting, times, call);
            return;
        }
        if (call->start < last->start && !is_before(call, last)) {
            nesting->order = ORDER_CHILDREN_FIRST;
            nesting->depth = 0;
        } else if (call->start >= last->start) {
            track_open(nesting, call);
        }
    } else {
        track_open(nesting, call);
    }
    add_children_first(nesting, times, call);
}

void dft_nesting_give_up(struct dft_nesting *nesting)
{
    free_spans(nesting);
    nesting->depth = 0;
    nesting->disordered = 0;
    nesting->order = ORDER_BACKWARDS;
}

bool dft_nesting_add(struct dft_nesting *nesting, struct dft_times *times,
                     const struct dft_nested_call *call)
{
    bool is_new;
    struct open_call entry = {call->start, call->end, find_slot(nesting, call->function, &is_new),
                              call->cost};

    if (nesting->order == ORDER_PARENTS_FIRST)
        add_parents_first(nesting, times, &entry);
    else if (call->unfinished)
        defer_unfinished(nesting, &entry);
    else if (nesting->order == ORDER_CHILDREN_FIRST)
        add_children_first(nesting, times, &entry);
    else if (nesting->order == ORDER_UNKNOWN)
        add_unknown(nesting, times, &entry);
    return is_new;
}

uint64_t dft_nesting_finish(struct dft_nesting *nesting, struct dft_times *times)
{
    if (nesting->is_turned)
        add_unfinished_until(nesting, times, INT64_MAX);
    else
        settle_unfinished(nesting, times);
    uint64_t disordered = nesting->disordered;

    free_spans(nesting);
    dft_index_free(&nesting->index);
    free(nesting->slots);
    free(nesting->stack);
    free(nesting->unfinished);
    free(nesting);
    return disordered;
}
