/*
 * The value of a counter: an integer sum and a double sum side by side. So a sum never changes its
 * representation while others add to it.
 *
 * Both sums are in a cell. One cell is the current one. To set the value, a thread claims another cell,
 * fills it, and makes it the current one, all at once for those that read. `state` says which cell
 * is current, and which ones are claimed. It also counts how often the value was set: what a reader has
 * seen belongs together if that count is unchanged.
 *
 * An addition to a cell that is no longer current is one that came before the value was set.
 *
 * Any thread, signal handlers included. Keeps errno. Must not wait for other threads.
 */
#include "runtime/events/counter_sum.h"
#include "dftrace/events.h"

#include <stdbool.h>
#include <string.h>

#define CELL_MASK 0xffu
#define CLAIM(cell) (UINT64_C(0x100) << (cell))
#define SET_ONCE (UINT64_C(1) << 32)

static uint64_t bits_of(double real)
{
    uint64_t bits;

    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static double real_of(uint64_t bits)
{
    double real;

    memcpy(&real, &bits, sizeof real);
    return real;
}

static double real_sum(uint64_t inverted)
{
    return inverted ? real_of(~inverted) : 0;
}

static struct dft_counter_cell *current(struct dft_counter_sum *sum, uint64_t state)
{
    return &sum->cells[state & CELL_MASK];
}

void dft_counter_sum_add(struct dft_counter_sum *sum, struct dft_counter_value value)
{
    struct dft_counter_cell *cell = current(sum, atomic_load(&sum->state));

    if (value.type == DFTRACE_TYPE_DOUBLE) {
        uint64_t seen = atomic_load(&cell->real);
        while (!atomic_compare_exchange_weak(&cell->real, &seen,
                                             ~bits_of(real_sum(seen) + real_of(value.bits))))
            ;
        return;
    }
    uint32_t none = 0;
    if (!atomic_load_explicit(&cell->type, memory_order_relaxed))
        atomic_compare_exchange_strong(&cell->type, &none, value.type);
    atomic_fetch_add(&cell->whole, value.bits);
}

/* Readers that see one of these values also see that the cell was claimed before. */
static void fill(struct dft_counter_cell *cell, struct dft_counter_value value)
{
    bool is_real = value.type == DFTRACE_TYPE_DOUBLE;

    atomic_store_explicit(&cell->type, is_real ? 0 : value.type, memory_order_release);
    atomic_store_explicit(&cell->whole, is_real ? 0 : value.bits, memory_order_release);
    atomic_store_explicit(&cell->real, is_real ? ~value.bits : 0, memory_order_release);
}

/* A cell for the caller alone; `state` becomes the state since. DFT_COUNTER_CELLS: all are claimed. */
static unsigned claim(struct dft_counter_sum *sum, uint64_t *state)
{
    *state = atomic_load(&sum->state);
    for (;;) {
        unsigned cell = 0;
        while (cell < DFT_COUNTER_CELLS && (*state & CLAIM(cell) || (*state & CELL_MASK) == cell))
            cell++;
        if (cell == DFT_COUNTER_CELLS)
            return cell;
        if (atomic_compare_exchange_weak(&sum->state, state, *state | CLAIM(cell))) {
            *state |= CLAIM(cell);
            return cell;
        }
    }
}

void dft_counter_sum_set(struct dft_counter_sum *sum, struct dft_counter_value value)
{
    uint64_t state, next;
    unsigned cell = claim(sum, &state);

    /* So many others are in the middle of setting it: one of them has the last word. */
    if (cell == DFT_COUNTER_CELLS)
        return;
    fill(&sum->cells[cell], value);
    do
        next = ((state & ~(CLAIM(cell) | CELL_MASK)) | cell) + SET_ONCE;
    while (!atomic_compare_exchange_weak(&sum->state, &state, next));
}

struct dft_counter_value dft_counter_sum_read(struct dft_counter_sum *sum)
{
    uint64_t state = atomic_load(&sum->state), before, whole, real;
    uint32_t type;

    do {
        const struct dft_counter_cell *cell = current(sum, state);
        before = state;
        type = atomic_load(&cell->type);
        whole = atomic_load(&cell->whole);
        real = atomic_load(&cell->real);
        state = atomic_load(&sum->state);
    } while (before / SET_ONCE != state / SET_ONCE);
    if (!real)
        return (struct dft_counter_value){whole, type ? type : DFTRACE_TYPE_INT};
    double integers = type == DFTRACE_TYPE_UINT ? (double)whole : (double)(int64_t)whole;
    return (struct dft_counter_value){bits_of(integers + real_sum(real)), DFTRACE_TYPE_DOUBLE};
}
