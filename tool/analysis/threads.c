/*
 * Threads and processes in the order in which they came. One thread of the tool uses it.
 */
#include "tool/analysis/threads.h"

#include "tool/base/tool.h"

#include <stdlib.h>

struct thread_key {
    const struct dft_members *members;
    int64_t pid;
    int64_t tid;
};

static bool thread_matches(const void *context, uint32_t number)
{
    const struct thread_key *key = context;
    const struct dft_member_thread *thread = &key->members->threads[number];

    return thread->pid == key->pid && thread->tid == key->tid;
}

static uint64_t hash_thread(int64_t pid, int64_t tid)
{
    return dft_hash_number(dft_hash_number(1, (uint64_t)pid), (uint64_t)tid);
}

struct dft_member_thread *dft_members_find_thread(struct dft_members *members, int64_t pid,
                                                  int64_t tid)
{
    struct thread_key key = {members, pid, tid};

    if (members->last_thread < members->thread_count &&
        thread_matches(&key, (uint32_t)members->last_thread))
        return &members->threads[members->last_thread];

    uint32_t found =
        dft_index_find(&members->thread_index, hash_thread(pid, tid), thread_matches, &key);
    if (found == DFT_INDEX_NONE)
        return NULL;
    members->last_thread = found;
    return &members->threads[found];
}

struct dft_member_thread *dft_members_find_or_add_thread(struct dft_members *members, int64_t pid,
                                                         int64_t tid)
{
    struct dft_member_thread *thread = dft_members_find_thread(members, pid, tid);

    if (thread)
        return thread;
    members->threads = dft_tool_grow(members->threads, members->thread_count, &members->thread_room,
                                     sizeof *members->threads);
    dft_index_add(&members->thread_index, hash_thread(pid, tid), (uint32_t)members->thread_count);
    members->last_thread = members->thread_count++;
    thread = &members->threads[members->last_thread];
    *thread = (struct dft_member_thread){.pid = pid, .tid = tid};
    return thread;
}

struct pid_key {
    const struct dft_members *members;
    int64_t pid;
};

static bool pid_matches(const void *context, uint32_t number)
{
    const struct pid_key *key = context;

    return key->members->pids[number] == key->pid;
}

void dft_members_note_process(struct dft_members *members, int64_t pid)
{
    struct pid_key key = {members, pid};
    uint64_t hash = dft_hash_number(1, (uint64_t)pid);

    if (members->pid_count > 0 && members->pids[members->pid_count - 1] == pid)
        return;
    if (dft_index_find(&members->pid_index, hash, pid_matches, &key) != DFT_INDEX_NONE)
        return;
    members->pids =
        dft_tool_grow(members->pids, members->pid_count, &members->pid_room, sizeof *members->pids);
    members->pids[members->pid_count] = pid;
    dft_index_add(&members->pid_index, hash, (uint32_t)members->pid_count++);
}

void dft_members_close_trace(struct dft_members *members)
{
    members->thread_count = 0;
    members->pid_count = 0;
    dft_index_free(&members->thread_index);
    dft_index_free(&members->pid_index);
}

void dft_members_free(struct dft_members *members)
{
    dft_index_free(&members->thread_index);
    dft_index_free(&members->pid_index);
    free(members->threads);
    free(members->pids);
}
