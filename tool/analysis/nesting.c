/*
 * Nesting of one thread's calls: finds out in which order they come, and has their times worked out
 * accordingly, in children_first.c or parents_first.c.
 *
 * While the order is unknown, calls are counted as if it were children first, which is right as
 * long as none lies inside another, and the stack of parents first is kept beside that.
 */
#include "tool/analysis/nesting.h"

#include "tool/analysis/nesting_internal.h"
#include "tool/base/tool.h"

#include <stdlib.h>

struct dft_nesting *dft_nesting_new(void)
{
    return dft_tool_zeroed(1, sizeof(struct dft_nesting));
}

struct dft_pauses *dft_nesting_pauses(struct dft_nesting *nesting)
{
    return &nesting->pauses;
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
                                   sizeof(struct dft_nesting_slot));
    found = (uint32_t)nesting->slot_count++;
    nesting->slots[found] = (struct dft_nesting_slot){.function = function};
    dft_index_add(&nesting->index, hash, found);
    return found;
}

static void defer_unfinished(struct dft_nesting *nesting, const struct dft_open_call *call)
{
    nesting->unfinished = dft_tool_grow(nesting->unfinished, nesting->unfinished_count,
                                        &nesting->unfinished_room, sizeof *nesting->unfinished);
    nesting->unfinished[nesting->unfinished_count++] = *call;
}

static void enter_parents_first(struct dft_nesting *nesting, struct dft_times *times)
{
    dft_children_first_settle(nesting, times);
    dft_nesting_sort_unfinished(nesting);
    dft_parents_first_begin(nesting);
    dft_children_first_free(nesting);
    nesting->order = DFT_ORDER_PARENTS_FIRST;
}

static void add_unknown(struct dft_nesting *nesting, struct dft_times *times,
                        const struct dft_open_call *call)
{
    if (nesting->roots.count > 0) {
        const struct dft_span *last = &nesting->roots.list[nesting->roots.count - 1];
        int64_t last_end = last->start + last->time;

        if ((call->start > last->start && call->start < last_end && call->end <= last_end) ||
            (call->start == last->start && call->end < last_end)) {
            enter_parents_first(nesting, times);
            dft_parents_first_add(nesting, times, call);
            return;
        }
        if (call->start < last->start && !dft_call_is_before(call, last)) {
            nesting->order = DFT_ORDER_CHILDREN_FIRST;
            nesting->depth = 0;
        } else if (call->start >= last->start) {
            dft_parents_first_track(nesting, call);
        }
    } else {
        dft_parents_first_track(nesting, call);
    }
    dft_children_first_add(nesting, times, call);
}

bool dft_nesting_add(struct dft_nesting *nesting, struct dft_times *times,
                     const struct dft_nested_call *call)
{
    bool is_new;
    struct dft_open_call entry = {call->start, call->end,
                                  find_slot(nesting, call->function, &is_new), call->cost,
                                  call->pause};

    if (nesting->order == DFT_ORDER_PARENTS_FIRST)
        dft_parents_first_add(nesting, times, &entry);
    else if (call->unfinished)
        defer_unfinished(nesting, &entry);
    else if (nesting->order == DFT_ORDER_CHILDREN_FIRST)
        dft_children_first_add(nesting, times, &entry);
    else if (nesting->order == DFT_ORDER_UNKNOWN)
        add_unknown(nesting, times, &entry);
    return is_new;
}

size_t dft_nesting_pending(const struct dft_nesting *nesting)
{
    return nesting->roots.count + nesting->costs.count + nesting->entries + nesting->depth;
}

bool dft_nesting_is_settled(const struct dft_nesting *nesting)
{
    return nesting->order == DFT_ORDER_PARENTS_FIRST;
}

void dft_nesting_give_up(struct dft_nesting *nesting)
{
    dft_children_first_free(nesting);
    nesting->depth = 0;
    nesting->disordered = 0;
    nesting->order = DFT_ORDER_BACKWARDS;
}

void dft_nesting_add_backwards(struct dft_nesting *nesting, struct dft_times *times,
                               const struct dft_nested_call *call)
{
    bool is_new;
    struct dft_open_call entry = {call->start, call->end,
                                  find_slot(nesting, call->function, &is_new), call->cost,
                                  call->pause};

    dft_parents_first_add_backwards(nesting, times, &entry);
}

uint64_t dft_nesting_finish(struct dft_nesting *nesting, struct dft_times *times)
{
    if (nesting->is_turned)
        dft_parents_first_end_backwards(nesting, times);
    else
        dft_children_first_settle(nesting, times);
    uint64_t disordered = nesting->disordered;

    dft_children_first_free(nesting);
    dft_index_free(&nesting->index);
    free(nesting->slots);
    free(nesting->stack);
    free(nesting->unfinished);
    dft_pauses_free(&nesting->pauses);
    free(nesting);
    return disordered;
}
