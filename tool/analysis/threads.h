/*
 * The threads and processes of the open trace.
 */
#ifndef DFT_TOOL_ANALYSIS_THREADS_H
#define DFT_TOOL_ANALYSIS_THREADS_H

#include "tool/base/index.h"

struct dft_stack;

/* A thread that has made calls. */
struct dft_trace_thread {
    int64_t pid;
    int64_t tid;
    struct dft_stack *stack; /* the caller's; NULL to begin with */
};

/* All zero initially. */
struct dft_threads {
    struct dft_trace_thread *list;
    size_t count;
    size_t room;
    struct dft_index index;
    size_t last; /* calls of one thread come in runs */

    int64_t *pids;
    size_t pid_count;
    size_t pid_room;
    struct dft_index pid_index;
};

/*
 * Valid until the next one is added. If there is none, `find` returns NULL, and `find_or_add` adds
 * it.
 */
struct dft_trace_thread *dft_threads_find(struct dft_threads *threads, int64_t pid, int64_t tid);
struct dft_trace_thread *dft_threads_find_or_add(struct dft_threads *threads, int64_t pid,
                                                 int64_t tid);

void dft_threads_note_process(struct dft_threads *threads, int64_t pid);

/* Forgets all threads and processes. */
void dft_threads_close_trace(struct dft_threads *threads);
void dft_threads_free(struct dft_threads *threads);

#endif
