/* What a thread has used of the processor, and its process of memory. */
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
 * Before a call begins and after it has ended; the processor time is what is read next to the call.
 * Any thread and context; keep errno.
 */
void dft_samples_begin(struct dft_sample_reading *gauge);
void dft_samples_end(struct dft_sample_reading *gauge);

/* What was used in between. */
void dft_samples_compare(const struct dft_sample_reading *begin,
                         const struct dft_sample_reading *end, struct dft_sample *sample);

/* Measures, the first time that it is asked, what both together take. */
void dft_samples_calibrate(void);

/* After a fork: its memory is another. */
void dft_samples_in_child(void);

/* In nanoseconds; 0 before it has been measured. */
uint64_t dft_samples_cost_ns(void);

#endif
