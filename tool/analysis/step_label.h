/*
 * What an event says of steps and epochs: its args and its category.
 */
#ifndef DFT_TOOL_ANALYSIS_STEP_LABEL_H
#define DFT_TOOL_ANALYSIS_STEP_LABEL_H

#include "tool/analysis/steps.h"

struct dft_step_label {
    int64_t epoch, step;     /* DFT_STEP_NONE: none */
    enum dft_step_work work; /* DFT_WORK_COUNT: none */
    bool is_counted;         /* has an epoch or a step */
};

/* Depends on the event's args and category only. */
struct dft_step_label dft_step_label_read(const struct dft_event *event);

#endif
