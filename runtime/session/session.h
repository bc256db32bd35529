/*
 * A session: one process's spool and the writer that empties it, from the first registration of
 * instrumented code to the end of the process.
 */
#ifndef DFT_RUNTIME_SESSION_SESSION_H
#define DFT_RUNTIME_SESSION_SESSION_H

#include "spool/spool.h"

enum dft_session_state {
    DFT_SESSION_IDLE,   /* nothing instrumented has registered yet */
    DFT_SESSION_ON,     /* calls are recorded */
    DFT_SESSION_FORKED, /* in a forked child: its session begins with its first traced call */
    DFT_SESSION_OFF,    /* ended, or could not be started */
};

struct dft_session {
    _Atomic uint32_t state; /* enum dft_session_state */
    struct dft_spool spool;
};

extern struct dft_session dft_session;

/*
 * Does what must be done in the main thread, since the session may begin in another thread. False
 * if nothing can be recorded.
 */
bool dft_session_prepare(void);

/* Begins the session unless it has begun; false if nothing can be recorded. */
bool dft_session_begin(void);

/*
 * For a thread that attaches, with signals blocked: whether there is a session. In a forked child,
 * begins the child's session.
 */
bool dft_session_ready(void);

/* In a forked child, for fork.c: from now on nothing is written to the parent's spool. */
void dft_session_leave_parent(void);

/* In a forked child, for fork.c: a session of its own begins with the child's first traced call. */
void dft_session_in_child(void);

/* Completes the trace. Called once, as late as possible in the life of the process. */
void dft_session_finish(void);

/* Whether another process runs the writer, and whether that process has ended. */
static inline bool dft_session_is_hosted(void)
{
    const struct dft_spool_header *header = dft_session.spool.header;

    return header->host_pid != header->pid;
}
bool dft_session_host_is_gone(void);

/*
 * Completes the trace of a process that is about to end, or waits for the thread that does. Any
 * context, signal handlers included. Gives up if the writer makes no progress; then the spool stays
 * for `dftrace recover`.
 */
void dft_session_end_now(void);

/* In the writer's thread, when no other thread is left: ends the session. */
void dft_session_end_unattended(void);

/*
 * Counts a call that is not recorded because a table of the spool is full: `what` is "threads" or
 * "functions". Reports that once.
 */
void dft_session_miss_call(const char *what);

#endif
