/*
 * Shared by the files of the writer: drain.c (from records to events), batch.c (filling batches),
 * job.c (from events to a member), pool.c (the threads for that), commit.c (from members to the
 * file), writer.c (open, step, finish) and the others named below. Besides the writer, only
 * tests/model includes this file.
 */
#ifndef DFT_WRITER_INTERNAL_H
#define DFT_WRITER_INTERNAL_H

#include "writer/aggregate.h"
#include "writer/counters.h"
#include "writer/encode/encoder.h"
#include "writer/file.h"
#include "writer/gzip/gzip.h"
#include "writer/nesting.h"
#include "writer/tick_clock.h"
#include "writer/writer.h"

#include <errno.h>
#include <pthread.h>

/* How far the writer has come in one thread slot. */
struct dft_progress {
    uint32_t chunk; /* number + 1 of the chunk to look at next; 0: start at the thread's oldest */
    uint32_t ended; /* all of the thread is in batches: the last one's commit frees the slot */
    uint32_t lent;  /* the current chunk was lent and is in a batch */
    uint64_t last_end_ns;
};

/* --- jobs ----------------------------------------------------------------------------------- */

enum dft_job_state {
    DFT_JOB_FILLING, /* belongs to the writer's own thread */
    DFT_JOB_READY,   /* the thread that changes it to TAKEN runs the job */
    DFT_JOB_TAKEN,
    DFT_JOB_DONE, /* belongs to the writer's own thread again */
};

/*
 * A batch that becomes one member of the file. The writer's own thread fills it, any thread makes
 * it into a member, and the writer's own thread commits it.
 */
struct dft_job {
    _Atomic uint32_t state;           /* enum dft_job_state */
    uint64_t first_event;             /* events of all kinds before this job */
    bool begins;                      /* the start of the trace is in this job */
    uint32_t described_before;        /* sites described in earlier jobs */
    uint32_t described;               /* sites described up to the end of this job */
    uint32_t functions;               /* events that describe the sites in between */
    struct dft_buffer calls;          /* struct dft_call */
    struct dft_buffer attached;       /* struct dft_attached of some calls, aligned */
    struct dft_aggregates aggregates; /* calls without an event of their own */
    uint64_t counted; /* calls of throttled functions that were only counted; 0 before the end */
    uint64_t own;     /* how many of `calls` are own work */
    struct dft_buffer after;  /* struct dft_event */
    struct dft_buffer chunks; /* uint32_t: chunks that contain the calls */
    struct dft_buffer ended;  /* uint32_t: slots of threads that have ended */
    struct dft_buffer member;
    uint64_t text;    /* bytes before compression, without aggregates */
    uint64_t dropped; /* by threads that ended in this job */
    uint64_t omitted;
    bool main_named;    /* the main thread's name is in this job or an earlier one */
    uint32_t throttled; /* throttled functions whose events are in the trace */
    bool is_ordered;    /* the encoder has put the calls in its order */
    bool failed;        /* memory was exhausted */
};

/* What one thread needs to run jobs. */
struct dft_worker {
    struct dft_buffer state; /* the encoder's */
    struct dft_output output;
    struct dft_gzip gzip;
};

#define DFT_JOBS_MAX 8
#define DFT_HELPERS_MAX 3

struct dft_helper {
    struct dft_writer *writer;
    struct dft_worker worker;
    pthread_t thread;
};

/*
 * Jobs form a ring: `pending` jobs, from `oldest` on, wait to be committed; the next one is being
 * filled.
 */
struct dft_pool {
    struct dft_job jobs[DFT_JOBS_MAX];
    unsigned oldest;
    unsigned pending;
    unsigned helper_count; /* helper threads that exist */
    struct dft_helper helpers[DFT_HELPERS_MAX];
    _Alignas(64) _Atomic uint32_t bell; /* futex word: counts jobs that became ready or done */
    _Atomic uint32_t resting;           /* threads that wait for `bell` */
    _Atomic uint32_t invited;           /* helpers that may take jobs */
    _Atomic bool stopping;
};

/* The state before a snapshot, to be restored after it. */
struct dft_before_conclusion {
    struct dft_buffer threads; /* of the counters */
    struct dft_buffer deferred;
    struct dft_buffer progress;
    struct dft_buffer nests;
    uint64_t size;
    uint64_t index;
    struct dft_totals totals;
    struct dft_counters counters;
    int error;
    uint32_t described, throttled;
    bool main_named;
    bool removed; /* the file had no event and was removed */
};

/* Calls that later calls may enclose: see ties.c. */
struct dft_tied_thread {
    int32_t tid;
    struct dft_buffer roots;
};

struct dft_ties {
    struct dft_buffer memory;
    struct dft_tied_thread *threads; /* in `memory` */
    unsigned latest, next;
    uint64_t job;
};

struct dft_writer {
    struct dft_spool *spool;
    const struct dft_encoder *encoder;
    struct dft_trace_start start;
    struct dft_writer_host host;
    struct dft_clock clock;
    struct dft_file file;
    struct dft_worker worker;
    struct dft_pool pool;
    struct dft_counters counters;
    struct dft_usage_files figure_files; /* of /proc */

    struct dft_buffer frames;   /* struct dft_frame of the current thread */
    struct dft_buffer deferred; /* uint32_t: chunks left in the spool: see `defer` in drain.c */
    struct dft_buffer progress; /* struct dft_progress by slot */
    struct dft_buffer nests;    /* struct dft_nest by slot; empty where nothing is aggregated */
    struct dft_ties ties;
    struct dft_buffer starts; /* uint64_t: starts in a DFT_RECORD_OPEN, in ns */

    struct dft_totals totals;           /* of all committed jobs */
    uint64_t index;                     /* events of all kinds in closed jobs, */
    uint64_t index_written;             /* and in the file */
    uint64_t call_text;                 /* bytes of text of a call, on average */
    unsigned streak;                    /* jobs since the writer was last idle */
    uint64_t chunks_done, chunks_to_do; /* for the progress report while finishing */
    int error;                          /* negative errno: calls are counted as lost, not written */
    int stalled;         /* negative errno: the oldest job cannot be written at the moment */
    uint64_t stalled_ns; /* when the oldest job was last tried */
    bool main_named;     /* the main thread's name is in the trace */
    uint32_t described;  /* sites whose description is in the trace */
    uint32_t throttled;  /* throttled functions whose events are in the trace */
    bool finishing;      /* chunks and slots are no longer given back */
    bool complete;       /* the batch that is being filled is the last */
    bool old_clock;      /* the process is gone: the clock's segments do not change */
    bool restarted;      /* the file of an earlier writer was gone */
    bool concluding;     /* what is written may be taken back: nothing is committed */
    struct dft_before_conclusion before;
    unsigned steps_before_show;
    uint16_t timing[DFT_THROTTLED_MAX]; /* of throttled sites: see timed_share */
};

/* writer.c */

/* Writes everything that is in the spool, open calls as unfinished, and the end of the trace. */
void dft_writer_take_all(struct dft_writer *writer);

/*
 * Makes the file and puts the start of the trace into the first batch. Negative errno on failure.
 */
int dft_writer_begin(struct dft_writer *writer);

/* io_counters.c: false if there is nothing to write, which is always so without I/O calls. */
void dft_io_counters_moved(const struct dft_writer *writer, uint64_t moved[DFT_DIRECTIONS]);
bool dft_io_counters_bandwidth(struct dft_writer *writer, const struct dft_process_usage *last,
                               const struct dft_process_usage *now, struct dft_counter *counter);
bool dft_io_counters_in_flight(struct dft_writer *writer, uint64_t ns, struct dft_counter *counter);

/* job.c: runs in any thread, with a worker of its own. */

/* The event that describes this entry of the site table. False if it has none. */
bool dft_job_describes(const struct dft_writer *writer, uint32_t id, struct dft_event *event);

/* Encodes and compresses the batch into `member`. */
void dft_job_run(const struct dft_writer *writer, struct dft_worker *worker, struct dft_job *job);

/* Empties the job for the next batch, and frees unusually large buffers. */
void dft_job_clear(struct dft_job *job);
void dft_job_release(struct dft_job *job);
void dft_worker_release(const struct dft_writer *writer, struct dft_worker *worker);

/* Events of calls, the runtime's own work included. */
static inline size_t dft_job_events(const struct dft_job *job)
{
    return job->calls.used / sizeof(struct dft_call);
}

/* The same without the runtime's own work. */
static inline uint64_t dft_job_calls(const struct dft_job *job)
{
    return dft_job_events(job) - job->own;
}

/* Events of all kinds. */
static inline uint64_t dft_job_all_events(const struct dft_job *job)
{
    return job->begins + job->functions + dft_job_events(job) +
           dft_aggregates_count(&job->aggregates) + job->after.used / sizeof(struct dft_event);
}

/* Calls of a job that have no event of their own. */
static inline uint64_t dft_job_aggregated(const struct dft_job *job)
{
    return job->aggregates.calls + job->counted;
}

/* The totals of the trace if this job is written. */
static inline struct dft_totals dft_job_add(const struct dft_job *job, struct dft_totals totals)
{
    uint64_t aggregated = dft_job_aggregated(job);

    totals.events += dft_job_calls(job) + aggregated;
    totals.aggregated += aggregated;
    totals.dropped += job->dropped;
    totals.omitted += job->omitted;
    return totals;
}

/* ties.c */

/* Called when a job is closed. Does nothing if the format has no begins and ends. */
void dft_ties_resolve(struct dft_writer *writer, struct dft_job *job);

/* Called when calls are taken back, which will be taken again. */
void dft_ties_forget(struct dft_writer *writer);
void dft_ties_release(struct dft_writer *writer);

/* throttled.c */

/* Writes an event for each function that has been throttled since the last step. */
void dft_throttled_step(struct dft_writer *writer);

/* At the end of the trace: writes how many calls of each throttled function were only counted. */
void dft_throttled_end(struct dft_writer *writer, uint64_t end_ns);

/* Called when a job has been committed: adds up its timed calls of throttled functions. */
void dft_throttled_add(struct dft_writer *writer, const struct dft_aggregates *all);

/* pool.c */

/* Called when a job is ready: wakes helpers. */
void dft_pool_announce(struct dft_writer *writer);

/* Returns when the oldest job is done. Meanwhile, runs jobs that no helper has taken. */
void dft_pool_complete_oldest(struct dft_writer *writer);

/* Lets one more helper take jobs, if there is one. */
void dft_pool_invite(struct dft_writer *writer);
void dft_pool_stop(struct dft_writer *writer);
void dft_pool_join(struct dft_writer *writer);

/* batch.c */

/* Stores the first error. From then on, calls are counted as lost, not written. */
void dft_batch_fail(struct dft_writer *writer, int error);

/* Stops taking from the spool and giving back to it, until the failed step is tried again. */
void dft_batch_stall(struct dft_writer *writer, int error);

/* The progress in this slot; NULL if memory is exhausted. */
struct dft_progress *dft_batch_progress(struct dft_writer *writer, uint32_t slot);

/* The job that is being filled. */
struct dft_job *dft_batch_job(struct dft_writer *writer);

/* Puts an event after the calls of the batch; false if memory is exhausted. */
bool dft_batch_put_event(struct dft_writer *writer, const struct dft_event *event);

/* Adds a chunk to the batch. The chunk is given back when the batch is committed. */
void dft_batch_add(struct dft_writer *writer, uint32_t chunk);
void dft_batch_end_thread(struct dft_writer *writer, uint32_t slot);

/*
 * If a member could not be written, tries again: at once with `now`, otherwise when a retry is due.
 */
void dft_batch_retry(struct dft_writer *writer, bool now);

/* Closes the batch if it is large enough, and commits jobs that are done. */
void dft_batch_close_if_due(struct dft_writer *writer);

/*
 * Commits all closed batches; with `all`, closes the current batch first. Does nothing while
 * stalled.
 */
void dft_batch_flush(struct dft_writer *writer, bool all);

/* commit.c */

/* Commits jobs from the oldest on, as long as they are done. Does nothing while stalled. */
void dft_commit_done(struct dft_writer *writer);

/* shortfall.c */

/*
 * Ends a trace from which calls are missing because they could not be written. Their number is in
 * the end event, for which the file has a reserve.
 */
void dft_shortfall_end(struct dft_writer *writer);

/* resume.c */

/*
 * Creates the trace file, or continues the one that an earlier writer of this spool has begun.
 * Negative errno on failure, with the path in the writer's file.
 */
int dft_resume_file(struct dft_writer *writer);

/*
 * Called before the first record is taken: restores the progress and the clock of an earlier
 * writer.
 */
void dft_resume_state(struct dft_writer *writer);

/* call_intake.c */

/* How calls of one thread are taken. Must be read again for each chunk. */
struct dft_intake {
    struct dft_writer *writer;
    struct dft_aggregation aggregation;
    struct dft_nest *nest; /* NULL: nothing is aggregated, or memory is exhausted */
};

struct dft_intake dft_intake_begin(struct dft_writer *writer, uint32_t slot, size_t calls);

/*
 * Takes a call that began at tick `start`: aggregates it, or appends it to the batch, in which room
 * is reserved. `record` and `view` are those of a call with attachments, else NULL. Calls that are
 * unfinished or have attachments are never aggregated.
 */
void dft_intake_call(const struct dft_intake *intake, struct dft_call call, uint64_t start,
                     const struct dft_record *record, const struct dft_record_view *view);

/* Takes an event that is not a call. The batch has room for it. */
void dft_intake_event(const struct dft_intake *intake, uint64_t ns, int32_t tid,
                      const struct dft_record *record, const struct dft_record_view *view);

/* Takes a record that lists the open calls of the thread. */
void dft_intake_open_calls(const struct dft_intake *intake, const struct dft_record *record,
                           const struct dft_record_view *view);
void dft_intake_end_thread(struct dft_writer *writer, uint32_t slot);

/* drain.c */

/*
 * Takes the chunks that one thread has filled; with `all`, also the thread's open chunk. True if
 * there were any.
 */
bool dft_drain_thread(struct dft_writer *writer, uint32_t slot, bool all);

/* Updates the thread's name from /proc, unless the process is gone. */
void dft_drain_refresh_name(const struct dft_writer *writer, struct dft_thread *thread);
void dft_drain_write_thread(struct dft_writer *writer, const struct dft_thread *thread);

#endif
