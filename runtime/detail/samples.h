/* CPU time of a thread and memory of its process, around a call. */
#ifndef DFT_RUNTIME_DETAIL_SAMPLES_H
#define DFT_RUNTIME_DETAIL_SAMPLES_H

#include "spool/format.h"

struct dft_sample_reading {
    uint64_t cpu_ns;
    uint64_t resident_kb; /* 0: unknown */
    uint64_t peak_kb;
    uint32_t minor_faults, major_faults;
    uint32_t voluntary_switches, involuntary_switches;
};

/*
 * Reads all values before a call begins, and after it has ended. The CPU time is the last value
 * read before the call, and the first after it. Any thread, any context; errno is kept.
 */
void dft_samples_begin(struct dft_sample_reading *reading);
void dft_samples_end(struct dft_sample_reading *reading);

/* What was used between the two readings. */
void dft_samples_compare(const struct dft_sample_reading *begin,
                         const struct dft_sample_reading *end, struct dft_sample *sample);

/* Measures what both readings of a call cost together. Only the first call does anything. */
void dft_samples_calibrate(void);

/* In a forked child: the open file is the parent's, and so is the peak. */
void dft_samples_in_child(void);

/* The cost that dft_samples_calibrate has measured, in nanoseconds; 0 before that. */
uint64_t dft_samples_cost_ns(void);

#endif
