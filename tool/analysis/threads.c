/*
 * Threads and processes in the order in which they came. One thread of the tool uses it.
 */
#include "tool/analysis/threads.h"

#include "tool/base/tool.h"

#include <stdlib.h>

struct thread_key {
    const struct dft_threads *threads;
    int64_t pid;
    int64_t tid;
};

static bool thread_matches(const void *context, uint32_t number)
{
    const struct thread_key *key = context;
    const struct dft_trace_thread *thread = &key->threads->list[number];

    return thread->pid == key->pid && thread->tid == key->tid;
}

static uint64_t hash_thread(int64_t pid, int64_t tid)
{
    return dft_hash_number(dft_hash_number(1, (uint64_t)pid), (uint64_t)tid);
}

struct dft_trace_thread *dft_threads_find(struct dft_threads *threads, int64_t pid, int64_t tid)
{
    struct thread_key key = {threads, pid, tid};

    if (threads->last < threads->count && thread_matches(&key, (uint32_t)threads->last))
        return &threads->list[threads->last];

    uint32_t found = dft_index_find(&threads->index, hash_thread(pid, tid), thread_matches, &key);
    if (found == DFT_INDEX_NONE)
        return NULL;
    threads->last = found;
    return &threads->list[found];
}

struct dft_trace_thread *dft_threads_find_or_add(struct dft_threads *threads, int64_t pid,
                                                 int64_t tid)
{
    struct dft_trace_thread *thread = dft_threads_find(threads, pid, tid);

    if (thread)
        return thread;
    threads->list =
        dft_tool_grow(threads->list, threads->count, &threads->room, sizeof *threads->list);
    dft_index_add(&threads->index, hash_thread(pid, tid), (uint32_t)threads->count);
    threads->last = threads->count++;
    thread = &threads->list[threads->last];
    *thread = (struct dft_trace_thread){.pid = pid, .tid = tid};
    return thread;
}

struct pid_key {
    const struct dft_threads *threads;
    int64_t pid;
};

static bool pid_matches(const void *context, uint32_t number)
{
    const struct pid_key *key = context;

    return key->threads->pids[number] == key->pid;
}

void dft_threads_note_process(struct dft_threads *threads, int64_t pid)
{
    struct pid_key key = {threads, pid};
    uint64_t hash = dft_hash_number(1, (uint64_t)pid);

    if (threads->pid_count > 0 && threads->pids[threads->pid_count - 1] == pid)
        return;
    if (dft_index_find(&threads->pid_index, hash, pid_matches, &key) != DFT_INDEX_NONE)
        return;
    threads->pids =
        dft_tool_grow(threads->pids, threads->pid_count, &threads->pid_room, sizeof *threads->pids);
    threads->pids[threads->pid_count] = pid;
    dft_index_add(&threads->pid_index, hash, (uint32_t)threads->pid_count++);
}

void dft_threads_close_trace(struct dft_threads *threads)
{
    threads->count = 0;
    threads->pid_count = 0;
    dft_index_free(&threads->index);
    dft_index_free(&threads->pid_index);
}

void dft_threads_free(struct dft_threads *threads)
{
    dft_index_free(&threads->index);
    dft_index_free(&threads->pid_index);
    free(threads->list);
    free(threads->pids);
}
