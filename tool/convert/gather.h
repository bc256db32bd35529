/*
 * What the formats that need the nesting of calls have in common: threads, functions, and the
 * records of calls.
 */
#ifndef DFT_TOOL_CONVERT_GATHER_H
#define DFT_TOOL_CONVERT_GATHER_H

#include "tool/analysis/functions.h"
#include "tool/convert/convert.h"
#include "tool/convert/nest.h"
#include "tool/convert/rows.h"

struct dft_gather {
    struct dft_conversion *conversion;
    struct dft_rows rows;
    struct dft_memory_limit memory;
    struct dft_function_table functions; /* that calls refer to by number */
    struct dft_nest *nest;
    bool has_times;
    int64_t first_ns;
    int64_t last_ns;
};

void dft_gather_begin(struct dft_gather *gather, struct dft_conversion *conversion);

/* Whether the event is a call, or time that dftrace took from its thread. */
bool dft_gather_is_call(const struct dft_event *event);

/* Adds a call or, with `is_point`, an instant. */
void dft_gather_add(struct dft_gather *gather, struct dft_reader *reader,
                    const struct dft_event *event, bool is_point, uint64_t detail);

/* Counts an event that is neither a call nor was noted by dft_rows_note. */
void dft_gather_leave_out(struct dft_gather *gather, const struct dft_event *event);
void dft_gather_end(struct dft_gather *gather);

#endif
