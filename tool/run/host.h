/*
 * The host process of `dftrace run` writes the traces of all traced processes, which create their
 * spools in one directory.
 *
 * It runs in its own session and outlives its parent, until the last traced process has ended. Then
 * it removes the directory.
 */
#ifndef DFT_TOOL_RUN_HOST_H
#define DFT_TOOL_RUN_HOST_H

#include <stdint.h>

enum dft_host_news {
    DFT_HOST_READY, /* new spools are noticed from now on */
    DFT_HOST_TRACE, /* one trace is complete, or was not written because it had no call */
    DFT_HOST_IDLE,  /* the traces of all processes that have ended are complete */
};

/* A message from the host to the front process. */
struct dft_host_message {
    uint32_t kind;   /* enum dft_host_news */
    int32_t pid;     /* pid of the trace's process, or of one that is still running */
    uint32_t alive;  /* IDLE: how many processes are still running */
    uint32_t failed; /* TRACE: it could not be written completely; the host has printed why */
    uint64_t events;
    uint64_t dropped;
    uint64_t lost;
    char app[64];
    char path[1400];
};

/*
 * From the front process to the host: the program has ended; send IDLE when all traces of ended
 * processes are complete.
 */
#define DFT_HOST_ASK 'a'

/* Does not return. `socket` is connected to the front process, which may end at any time. */
_Noreturn void dft_run_host(const char *directory, int socket);

#endif
