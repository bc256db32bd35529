/*
 * The writer: makes a trace from a spool. The same code runs in a thread of the traced process, in
 * a parent process, or in a later recovery. It knows the spool and nothing of the runtime.
 *
 * Only one thread at a time may use a writer. The writer takes no lock, uses no heap and prints
 * nothing. Helper threads encode and compress when that thread cannot keep up.
 */
#ifndef DFT_WRITER_WRITER_H
#define DFT_WRITER_WRITER_H

#include "spool/spool.h"

struct dft_writer;

/*
 * Makes the trace file that the spool's settings name, or continues the one that an earlier writer
 * of this spool has left. On failure returns NULL, with a negative errno in `error` and the path
 * that could not be made in `path`. If the process of the spool is gone, dft_spool_examine must
 * have been called before.
 */
struct dft_writer *dft_writer_open(struct dft_spool *spool, int *error, char *path,
                                   size_t path_size);

/* Functions of the host that the writer calls. Each may be NULL. */
struct dft_writer_host {
    void (*helper_begins)(void); /* first action of each helper thread; helper_ends is the last */
    void (*helper_ends)(void);
    void (*finishing)(uint64_t done, uint64_t all); /* during finish, after each commit */
};

void dft_writer_set_host(struct dft_writer *writer, const struct dft_writer_host *host);

/*
 * States that the thread that calls step and finish has a descriptor table of its own, which no
 * other thread can change. Then files stay open between steps, and finish closes them.
 */
void dft_writer_owns_descriptors(struct dft_writer *writer);

/*
 * Starts as many helper threads as are useful on this machine; they sleep until they are needed.
 * They are not started later, since starting a thread uses the heap. Without helpers the trace is
 * the same.
 */
void dft_writer_start_helpers(struct dft_writer *writer);
unsigned dft_writer_helpers(const struct dft_writer *writer);

/* How long a host may sleep before the next step, unless it is woken; at most `most`. */
unsigned dft_writer_wait_ms(const struct dft_writer *writer, unsigned most);

/*
 * Takes the chunks that threads have filled since the last step. True if there was something to do.
 */
bool dft_writer_step(struct dft_writer *writer);

/* Called after a step: writes to the file everything that has been taken, however little it is. */
void dft_writer_flush(struct dft_writer *writer);

/*
 * Takes everything, writes open calls as unfinished calls that last until the spool's end time, and
 * completes the file. Removes a trace without a single call.
 */
void dft_writer_finish(struct dft_writer *writer);

/*
 * Called before and after something that may end the process without notice, such as exec. Conclude
 * completes the file as finish does, but commits nothing and keeps the spool. If the process
 * continues, go_on restores the state before conclude, and the writer works as before. During
 * conclude, threads must not take new chunks: otherwise conclude might never return.
 */
void dft_writer_conclude(struct dft_writer *writer);
void dft_writer_go_on(struct dft_writer *writer);

/*
 * Called after each step, with its result in `found`. If the process has asked for a snapshot (enum
 * dft_show), completes the file as conclude does. Threads and writer continue: what the writer
 * writes next replaces the part of the file that is not committed.
 */
void dft_writer_show_if_asked(struct dft_writer *writer, bool found);

/* What dft_writer_result returns after finish. */
struct dft_writer_result {
    uint64_t events;
    uint64_t dropped; /* calls that the spool had no room for */
    uint64_t lost;    /* calls that could not be written to the file */
    int error;        /* negative errno of the write that failed, or 0 */
    bool is_kept;     /* lost calls are still in the spool: another writer can complete the trace */
    bool restarted;   /* the file of an earlier writer was gone */
    const char *path;
};

/* Whether an earlier writer has completed the trace. If so, removes a trace without calls. */
bool dft_writer_is_complete(const struct dft_spool *spool);

void dft_writer_result(const struct dft_writer *writer, struct dft_writer_result *result);

/*
 * Negative errno while the trace cannot be written. Steps try again if a member could not be made
 * or written. If memory for other data of the writer is exhausted, calls are counted as lost from
 * then on.
 */
int dft_writer_error(const struct dft_writer *writer);

/* Like strerror, but without the locks that strerror takes to translate the text. */
const char *dft_writer_error_text(int error);

/* Waits for the helper threads to end. */
void dft_writer_close(struct dft_writer *writer);

/* The descriptor of the trace file. */
int dft_writer_descriptor(const struct dft_writer *writer);

/*
 * For a thread or process that has a copy of the descriptor table: closes the descriptor of the
 * trace file and changes nothing else.
 */
void dft_writer_forget(const struct dft_writer *writer);

#endif
