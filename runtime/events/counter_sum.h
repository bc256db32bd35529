/*
 * The value of a counter that any thread may set and add to, signal handlers included. No waiting, no
 * lock, no system call: an operation that a signal handler or a fork interrupts leaves a valid value.
 */
#ifndef DFT_RUNTIME_EVENTS_COUNTER_SUM_H
#define DFT_RUNTIME_EVENTS_COUNTER_SUM_H

#include <stdatomic.h>
#include <stdint.h>

#define DFT_COUNTER_CELLS 8

/* Bits and their type, one of DFTRACE_TYPE_INT, UINT and DOUBLE. */
struct dft_counter_value {
    uint64_t bits;
    uint32_t type;
};

/* All zero: nothing was added yet. */
struct dft_counter_sum {
    _Atomic uint64_t state; /* see counter_sum.c */
    struct dft_counter_cell {
        _Atomic uint64_t whole; /* the sum of all integers, modulo 2^64 */
        _Atomic uint64_t real;  /* the sum of all doubles, inverted; 0: there was none */
        _Atomic uint32_t type;  /* of `whole`: that of the first integer; 0: there was none */
    } cells[DFT_COUNTER_CELLS];
};

void dft_counter_sum_add(struct dft_counter_sum *sum, struct dft_counter_value value);
void dft_counter_sum_set(struct dft_counter_sum *sum, struct dft_counter_value value);

/* The sum; a double as soon as a double was added. */
struct dft_counter_value dft_counter_sum_read(struct dft_counter_sum *sum);

#endif
