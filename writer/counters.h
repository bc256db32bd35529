/*
 * Counter events: what the process uses, sampled at intervals. Runs in the writer's own thread.
 */
#ifndef DFT_WRITER_COUNTERS_H
#define DFT_WRITER_COUNTERS_H

#include "spool/usage.h"
#include "writer/buffer.h"

struct dft_writer;

/* Of each, the values that were told last. */
#define DFT_COUNTER_KINDS 8

struct dft_counters {
    uint64_t interval_ns; /* 0: there are none */
    bool begun;
    bool from_begin; /* no other writer has told any before */
    struct dft_process_usage last;
    struct dft_machine_usage machine;
    struct dft_buffer threads; /* by slot: struct dft_thread_figures */
    struct {
        bool told;
        uint64_t values[4];
    } latest[DFT_COUNTER_KINDS];
};

/* With what the process has noted of itself when its session began. */
void dft_counters_begin(struct dft_writer *writer);

/* Takes a sample where it is time for one. */
void dft_counters_step(struct dft_writer *writer);

/* With what the process has noted when it ended, or, should it be alive, what it has used by now.
 */
void dft_counters_end(struct dft_writer *writer);

/* The thread in this slot has ended, at `ns`. */
void dft_counters_end_thread(struct dft_writer *writer, uint32_t slot, uint64_t ns);

/* Milliseconds until the next one, `most` at the most. */
unsigned dft_counters_wait_ms(const struct dft_writer *writer, unsigned most);

void dft_counters_release(struct dft_counters *counters);

#endif
