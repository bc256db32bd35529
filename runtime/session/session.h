/*
 * A session: one process's spool, and the writer that empties it, from the first registration of
 * instrumented code to the end of the process.
 */
#ifndef DFT_RUNTIME_SESSION_SESSION_H
#define DFT_RUNTIME_SESSION_SESSION_H

#include "spool/spool.h"

enum dft_session_state {
    DFT_SESSION_IDLE,   /* nothing instrumented has shown up yet */
    DFT_SESSION_ON,     /* calls are recorded */
    DFT_SESSION_FORKED, /* this is a child: its own session begins with its first traced call */
    DFT_SESSION_OFF,    /* ended, or could not be started */
};

struct dft_session {
    _Atomic uint32_t state; /* enum dft_session_state */
    struct dft_spool spool;
};

extern struct dft_session dft_session;

/*
 * What a session needs of the main thread and of libc, before it begins: it may begin in another
 * thread. False when nothing can be recorded.
 */
bool dft_session_prepare(void);

/* Begins the session where it has not begun; false when nothing can be recorded. */
bool dft_session_begin(void);

/* For a thread that attaches: as begin, but only in a forked child. Signals are blocked. */
bool dft_session_ready(void);

/* In a forked child, for fork.c: from now on nothing is written to the parent's spool. */
void dft_session_leave_parent(void);

/* In a forked child, for fork.c: a session of its own begins with the child's first traced call. */
void dft_session_in_child(void);

/* Completes the trace. Called once, as late in the life of the process as possible. */
void dft_session_finish(void);

/* Whether another process runs the writer, and whether that one has ended. */
static inline bool dft_session_is_hosted(void)
{
    const struct dft_spool_header *header = dft_session.spool.header;

    return header->host_pid != header->pid;
}
bool dft_session_host_is_gone(void);

/*
 * Any context, signal handlers included, in a process that is about to end: completes the trace, or
 * waits for the thread that does already. Gives up where the writer does not get on; the spool
 * stays for `dftrace recover` then.
 */
void dft_session_end_now(void);

/* In the writer's thread, when no other is left: the trace is to be completed. */
void dft_session_end_unattended(void);

/* Counts a call that is not recorded because the table of threads or of functions has no room. Says
 * so once. */
void dft_session_miss_call(const char *what);

#endif
