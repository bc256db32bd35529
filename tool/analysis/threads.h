/*
 * The threads and processes that the open trace has, each of them once.
 */
#ifndef DFT_TOOL_ANALYSIS_THREADS_H
#define DFT_TOOL_ANALYSIS_THREADS_H

#include "tool/base/index.h"

struct dft_nesting;

/* A thread that has made calls. */
struct dft_member_thread {
    int64_t pid;
    int64_t tid;
    struct dft_nesting *nesting; /* the caller's; NULL to begin with */
};

/* All zero to begin with. */
struct dft_members {
    struct dft_member_thread *threads;
    size_t thread_count;
    size_t thread_room;
    struct dft_index thread_index;
    size_t last_thread; /* calls of one thread come in runs */

    int64_t *pids;
    size_t pid_count;
    size_t pid_room;
    struct dft_index pid_index;
};

/* Valid until the next one is added. Where there was none: NULL, or a new one. */
struct dft_member_thread *dft_members_find_thread(struct dft_members *members, int64_t pid,
                                                  int64_t tid);
struct dft_member_thread *dft_members_find_or_add_thread(struct dft_members *members, int64_t pid,
                                                         int64_t tid);

void dft_members_note_process(struct dft_members *members, int64_t pid);

/* Forgets them all: the next trace has others. */
void dft_members_close_trace(struct dft_members *members);
void dft_members_free(struct dft_members *members);

#endif
