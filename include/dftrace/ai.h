/*
 * Names for what AI programs do: the categories and events of DFTracer's `ai` module, so that traces
 * of C, C++ and Python programs fit together. C99 and C++11.
 *
 *   DFTRACE_AI_SCOPE(DFTRACE_AI_COMPUTE_FORWARD, "epoch", epoch, "step", step);
 *
 * `dftrace report --by step` adds up what has an epoch or a step, and shows how much of an epoch is
 * compute, data, comm and checkpoint. `=compute` behind a rule of an allowlist gives a function such
 * a category, without a change of the program.
 */
#ifndef DFTRACE_AI_H
#define DFTRACE_AI_H

#include <dftrace/dftrace.h>

/* --- categories ----------------------------------------------------------------------------- */

#define DFTRACE_AI_COMPUTE "compute"
#define DFTRACE_AI_DATA "data"
#define DFTRACE_AI_DATALOADER "dataloader"
#define DFTRACE_AI_COMM "comm"
#define DFTRACE_AI_DEVICE "device"
#define DFTRACE_AI_CHECKPOINT "checkpoint"
#define DFTRACE_AI_PIPELINE "pipeline"
#define DFTRACE_AI_OTHER "other"

/* --- events: a category and a name, for the macros below ------------------------------------ */

#define DFTRACE_AI_COMPUTE_FORWARD DFTRACE_AI_COMPUTE, "forward"
#define DFTRACE_AI_COMPUTE_BACKWARD DFTRACE_AI_COMPUTE, "backward"
#define DFTRACE_AI_COMPUTE_STEP DFTRACE_AI_COMPUTE, "step"

#define DFTRACE_AI_DATA_PREPROCESS DFTRACE_AI_DATA, "preprocess"
#define DFTRACE_AI_DATA_ITEM DFTRACE_AI_DATA, "item"
#define DFTRACE_AI_DATA_OPEN DFTRACE_AI_DATA, "data.io.open"
#define DFTRACE_AI_DATA_READ DFTRACE_AI_DATA, "data.io.read"
#define DFTRACE_AI_DATA_WRITE DFTRACE_AI_DATA, "data.io.write"
#define DFTRACE_AI_DATA_CLOSE DFTRACE_AI_DATA, "data.io.close"

#define DFTRACE_AI_DATALOADER_FETCH DFTRACE_AI_DATALOADER, "fetch"

#define DFTRACE_AI_COMM_SEND DFTRACE_AI_COMM, "send"
#define DFTRACE_AI_COMM_RECEIVE DFTRACE_AI_COMM, "receive"
#define DFTRACE_AI_COMM_BARRIER DFTRACE_AI_COMM, "barrier"
#define DFTRACE_AI_COMM_BCAST DFTRACE_AI_COMM, "bcast"
#define DFTRACE_AI_COMM_REDUCE DFTRACE_AI_COMM, "reduce"
#define DFTRACE_AI_COMM_ALL_REDUCE DFTRACE_AI_COMM, "all_reduce"
#define DFTRACE_AI_COMM_GATHER DFTRACE_AI_COMM, "gather"
#define DFTRACE_AI_COMM_ALL_GATHER DFTRACE_AI_COMM, "all_gather"
#define DFTRACE_AI_COMM_SCATTER DFTRACE_AI_COMM, "scatter"
#define DFTRACE_AI_COMM_REDUCE_SCATTER DFTRACE_AI_COMM, "reduce_scatter"
#define DFTRACE_AI_COMM_ALL_TO_ALL DFTRACE_AI_COMM, "all_to_all"

#define DFTRACE_AI_DEVICE_TRANSFER DFTRACE_AI_DEVICE, "transfer"

#define DFTRACE_AI_CHECKPOINT_CAPTURE DFTRACE_AI_CHECKPOINT, "capture"
#define DFTRACE_AI_CHECKPOINT_RESTART DFTRACE_AI_CHECKPOINT, "restart"
#define DFTRACE_AI_CHECKPOINT_OPEN DFTRACE_AI_CHECKPOINT, "checkpoint.io.open"
#define DFTRACE_AI_CHECKPOINT_READ DFTRACE_AI_CHECKPOINT, "checkpoint.io.read"
#define DFTRACE_AI_CHECKPOINT_WRITE DFTRACE_AI_CHECKPOINT, "checkpoint.io.write"
#define DFTRACE_AI_CHECKPOINT_CLOSE DFTRACE_AI_CHECKPOINT, "checkpoint.io.close"

#define DFTRACE_AI_PIPELINE_EPOCH DFTRACE_AI_PIPELINE, "epoch"
#define DFTRACE_AI_PIPELINE_TRAIN DFTRACE_AI_PIPELINE, "train"
#define DFTRACE_AI_PIPELINE_EVALUATE DFTRACE_AI_PIPELINE, "evaluate"
#define DFTRACE_AI_PIPELINE_TEST DFTRACE_AI_PIPELINE, "test"

#define DFTRACE_AI_OTHER_LOG DFTRACE_AI_OTHER, "other.log"
#define DFTRACE_AI_OTHER_OPEN DFTRACE_AI_OTHER, "other.io.open"
#define DFTRACE_AI_OTHER_READ DFTRACE_AI_OTHER, "other.io.read"
#define DFTRACE_AI_OTHER_WRITE DFTRACE_AI_OTHER, "other.io.write"
#define DFTRACE_AI_OTHER_CLOSE DFTRACE_AI_OTHER, "other.io.close"

/* --- what they are for ---------------------------------------------------------------------- */

/* A region to the end of the block, with keys and values as for DFTRACE_SCOPE. */
#define DFTRACE_AI_SCOPE(...) DFTRACE_SCOPE_IN(__VA_ARGS__)

/* A region from the first to dftrace_ai_end. */
#define dftrace_ai_begin(...) dftrace_begin_in(__VA_ARGS__)
#define dftrace_ai_end() dftrace_end()

/*
 * The start or end of an event that is no region, such as the epoch that a loader works ahead for:
 * the metadata "NAME.start" or "NAME.end", whose value is the time of day in microseconds.
 */
#define dftrace_ai_start_metadata(...) DFTRACE_AI_MARK(__VA_ARGS__, "start")
#define dftrace_ai_end_metadata(...) DFTRACE_AI_MARK(__VA_ARGS__, "end")

#ifdef DFTRACE_DISABLE

#define DFTRACE_AI_MARK(...) ((void)0)

#else

#include <stdio.h>
#include <sys/time.h>

#define DFTRACE_AI_MARK(...) DFTRACE_AI_MARK_(__VA_ARGS__)
#define DFTRACE_AI_MARK_(category, name, what) dftrace_ai_mark(name, what)

static inline void dftrace_ai_mark(const char *name, const char *what)
{
    struct timeval now;
    char key[128], value[24];

    if (!__dftrace_metadata)
        return;
    gettimeofday(&now, 0);
    snprintf(key, sizeof key, "%s.%s", name, what);
    snprintf(value, sizeof value, "%lld", (long long)now.tv_sec * 1000000 + now.tv_usec);
    dftrace_metadata((const char *)key, (const char *)value);
}

#endif
#endif
