/*
 * Counter events: what the process uses, sampled at intervals. Runs in the writer's own thread.
 */
#ifndef DFT_WRITER_COUNTERS_H
#define DFT_WRITER_COUNTERS_H

#include "spool/usage.h"
#include "writer/buffer.h"

struct dft_writer;

/* The number of kinds of counters. The latest values of each kind are kept. */
#define DFT_COUNTER_KINDS 10

struct dft_counters {
    uint64_t interval_ns; /* 0: there are no counters */
    bool begun;
    bool from_begin; /* no earlier writer has written counters */
    struct dft_process_usage last;
    uint64_t moved[DFT_DIRECTIONS]; /* bytes of recorded I/O calls, at the last sample */
    struct dft_machine_usage machine;
    uint32_t searched; /* entries of the site table that were searched for names of files */
    bool has_files;
    struct dft_buffer threads; /* by slot: struct dft_thread_figures */
    struct {
        bool told;
        uint64_t values[4];
    } latest[DFT_COUNTER_KINDS];
};

/* Begins with the sample that the process stored when its session began. */
void dft_counters_begin(struct dft_writer *writer);

/* Takes a sample if one is due. */
void dft_counters_step(struct dft_writer *writer);

/*
 * Writes the sample that the process stored when it ended. If the process is alive, takes a sample
 * now.
 */
void dft_counters_end(struct dft_writer *writer);

/* Called when the thread in this slot has ended, at `ns`. */
void dft_counters_end_thread(struct dft_writer *writer, uint32_t slot, uint64_t ns);

/* Milliseconds until the next sample, at most `most`. */
unsigned dft_counters_wait_ms(const struct dft_writer *writer, unsigned most);

/* Back to the state before dft_counters_begin. */
void dft_counters_reset(struct dft_counters *counters);

void dft_counters_release(struct dft_counters *counters);

#endif
