/*
 * The host process of `dftrace run`: writes the traces of every traced process that makes its spool
 * in one directory, from outside of them.
 *
 * It runs in a session of its own and outlives whoever started it, until the last of these
 * processes has ended. Then the directory goes, too.
 */
#ifndef DFT_TOOL_RUN_HOST_H
#define DFT_TOOL_RUN_HOST_H

#include <stdint.h>

enum dft_host_news {
    DFT_HOST_READY, /* spools that are made from now on are noticed */
    DFT_HOST_TRACE, /* one trace is complete, or had no call and is none */
    DFT_HOST_IDLE,  /* the traces of all processes that have ended are complete */
};

/* One packet on the socket from host to front. */
struct dft_host_message {
    uint32_t kind;   /* enum dft_host_news */
    int32_t pid;     /* of a process: of this trace, or one of those that go on */
    uint32_t alive;  /* IDLE: processes that go on */
    uint32_t failed; /* TRACE: it could not be written, or not all of it; the host has said why */
    uint64_t events;
    uint64_t dropped;
    uint64_t lost;
    char app[64];
    char path[1400];
};

/* Front to host: the program has ended, report once nothing is left to be done for the dead. */
#define DFT_HOST_ASK 'a'

/* Does not return. `socket` is connected to the front, which may vanish at any time. */
_Noreturn void dft_run_host(const char *directory, int socket);

#endif
