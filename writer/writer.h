/*
 * From a spool to a trace: the same code behind a thread of the traced process, a parent process
 * and a recovery afterwards. It knows the spool and nothing of the runtime.
 *
 * One thread at a time uses a writer. It takes no lock, uses no heap and prints nothing.
 */
#ifndef DFT_WRITER_H
#define DFT_WRITER_H

#include "spool/spool.h"

struct dft_writer;

/*
 * Makes the trace file that the spool's settings name. On failure returns NULL, with a negative
 * errno in `error` and the path that could not be made in `path`.
 */
struct dft_writer *dft_writer_open(struct dft_spool *spool, int *error, char *path,
                                   size_t path_size);

/* Takes what threads have filled since the last step. True when there was something. */
bool dft_writer_step(struct dft_writer *writer);

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

/* After finish. */
struct dft_writer_result {
    uint64_t events;
    uint64_t dropped; /* calls that the spool had no room for */
    uint64_t lost;    /* calls that could not be written to the file */
    int error;        /* negative errno of the first write that failed, or 0 */
    const char *path;
};

void dft_writer_result(const struct dft_writer *writer, struct dft_writer_result *result);

/* Negative errno once a write has failed: from then on calls are counted, not written. */
int dft_writer_error(const struct dft_writer *writer);

void dft_writer_close(struct dft_writer *writer);

/* Of the trace file. */
int dft_writer_descriptor(const struct dft_writer *writer);

/* Where descriptors are another thread's or process's copies: closes that, touches nothing else. */
void dft_writer_forget(const struct dft_writer *writer);

#endif
