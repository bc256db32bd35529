/*
 * The writer: makes a trace from a spool. The same code runs in a thread of the traced process, in a
 * parent process, or in a later recovery. It knows the spool and nothing of the runtime.
 *
 * One thread at a time uses a writer. It takes no lock, uses no heap and prints nothing. Helper
 * threads encode and compress when that one cannot keep up.
 */
#ifndef DFT_WRITER_WRITER_H
#define DFT_WRITER_WRITER_H

#include "spool/spool.h"

struct dft_writer;

/*
 * Makes the trace file that the spool's settings name, or continues the one that an earlier writer
 * of this spool has left. On failure returns NULL, with a negative errno in `error` and the
 * path that could not be made in `path`. A spool whose process is gone has been examined before.
 */
struct dft_writer *dft_writer_open(struct dft_spool *spool, int *error, char *path,
                                   size_t path_size);

/* What a writer asks of its host. Each may be NULL. */
struct dft_writer_host {
    void (*helper_begins)(void); /* in a helper thread, before it does anything and after all */
    void (*helper_ends)(void);
    void (*finishing)(uint64_t done, uint64_t all); /* while finish works, after each commit */
};

void dft_writer_set_host(struct dft_writer *writer, const struct dft_writer_host *host);

/*
 * The thread that takes steps and finishes has a table of descriptors to which nobody else can do
 * anything: files may stay open in it from step to step. Finish closes them.
 */
void dft_writer_owns_descriptors(struct dft_writer *writer);

/*
 * Starts helper threads, as many as make sense on this machine; they sleep until they are needed.
 * Not later, when they are: starting a thread uses the heap. Without them the trace is the same.
 */
void dft_writer_start_helpers(struct dft_writer *writer);
unsigned dft_writer_helpers(const struct dft_writer *writer);

/* How long a host may sleep before the next step, unless it is woken: `most` at the most. */
unsigned dft_writer_wait_ms(const struct dft_writer *writer, unsigned most);

/* Takes what threads have filled since the last step. True when there was something. */
bool dft_writer_step(struct dft_writer *writer);

/* After a step: what has been taken is in the file, however little it is. */
void dft_writer_flush(struct dft_writer *writer);

/*
 * Takes everything, shows calls that are still open as unfinished at the spool's end time, and
 * completes the file. A trace without a single call is removed.
 */
void dft_writer_finish(struct dft_writer *writer);

/*
 * Around something that may end the process without another word: conclude completes the file as
 * finish does, but commits nothing of it and keeps the spool; go_on takes the file back to what it
 * was, and the writer works on as if nothing had happened. Threads must not take new chunks
 * meanwhile, or conclude does not come to an end.
 */
void dft_writer_conclude(struct dft_writer *writer);
void dft_writer_go_on(struct dft_writer *writer);

/*
 * After each step, which has `found` something or not: where the process asks to see its trace
 * (enum dft_show), completes the file as conclude does, for its readers. Threads run on, and so
 * does the writer: what it writes next comes in place of what is not committed.
 */
void dft_writer_show_if_asked(struct dft_writer *writer, bool found);

/* After finish. */
struct dft_writer_result {
    uint64_t events;
    uint64_t dropped; /* calls that the spool had no room for */
    uint64_t lost;    /* calls that could not be written to the file */
    int error;        /* negative errno of the write that failed, or 0 */
    bool is_kept;   /* what is lost is still in the spool: another writer can complete the trace */
    bool restarted; /* what an earlier writer had written was not there any more */
    const char *path;
};

/* Whether an earlier writer has completed the trace; takes away one that has no call. */
bool dft_writer_is_complete(const struct dft_spool *spool);

void dft_writer_result(const struct dft_writer *writer, struct dft_writer_result *result);

/*
 * Negative errno while the trace cannot be written. Each step tries again, until memory is out:
 * from then on calls are counted as lost.
 */
int dft_writer_error(const struct dft_writer *writer);

/* As strerror, but without the locks that its translations take. */
const char *dft_writer_error_text(int error);

/* Waits for the helper threads to end. */
void dft_writer_close(struct dft_writer *writer);

/* Of the trace file. */
int dft_writer_descriptor(const struct dft_writer *writer);

/* Where descriptors are another thread's or process's copies: closes that, touches nothing else. */
void dft_writer_forget(const struct dft_writer *writer);

#endif
