/*
 * The steps and epochs of a training run: calls whose args have a whole number `step` or `epoch`,
 * which regions, traced arguments and DFTracer's lines may have.
 *
 * A step belongs to the epoch that its calls name. Processes that make the same step make it
 * together: its time is from the first start to the last end.
 */
#ifndef DFT_TOOL_ANALYSIS_STEPS_H
#define DFT_TOOL_ANALYSIS_STEPS_H

#include "tool/trace/walk.h"

#define DFT_STEP_NONE INT64_MIN /* the calls name none */

/* What categories of AI programs do: see dftrace/ai.h. */
enum dft_step_work {
    DFT_WORK_COMPUTE,
    DFT_WORK_DATA, /* dataloader included */
    DFT_WORK_COMM,
    DFT_WORK_CHECKPOINT,
    DFT_WORK_COUNT,
};

const char *dft_step_work_name(enum dft_step_work work);

struct dft_step {
    int64_t epoch; /* DFT_STEP_NONE: none */
    int64_t step;  /* of an epoch: DFT_STEP_NONE */
    uint64_t calls;
    int64_t total_ns; /* of calls that are in no other call of the same step or epoch */
    int64_t sum_ns;   /* of all calls */
    int64_t first_ns, last_ns;
};

struct dft_epoch {
    struct dft_step all;
    uint64_t steps;
    uint64_t processes;
    int64_t work_ns[DFT_WORK_COUNT];
};

struct dft_steps;

struct dft_steps *dft_steps_new(size_t memory); /* bytes, about; 0: no limit */

/* Shows every event to `inner` as well, and does everything else that `inner` does. */
struct dft_visitor dft_steps_visitor(struct dft_steps *steps, const struct dft_visitor *inner);

/* In the order of their numbers; epochs without a number first. Valid until the next trace. */
const struct dft_step *dft_steps_list(struct dft_steps *steps, size_t *count);
const struct dft_epoch *dft_steps_epochs(struct dft_steps *steps, size_t *count);

/* Calls of further steps, for which there was no memory. */
uint64_t dft_steps_left_out(const struct dft_steps *steps);

void dft_steps_free(struct dft_steps *steps);

static inline int64_t dft_step_span(const struct dft_step *step)
{
    int64_t span;

    return __builtin_sub_overflow(step->last_ns, step->first_ns, &span) ? INT64_MAX : span;
}

#endif
