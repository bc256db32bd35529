/*
 * Spools made by hand, as a traced process leaves them, for unit tests and fuzzers: threads with
 * chunks, ended and open calls. Times are CLOCK_MONOTONIC, so they come out as they went in.
 */
#ifndef DFT_MADE_SPOOL_H
#define DFT_MADE_SPOOL_H

#include "spool/spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int make_spool(struct dft_spool *spool, const char *directory)
{
    int error = dft_spool_create(spool, directory, 8 * DFT_CHUNK_SIZE);

    if (error)
        return error;
    struct dft_spool_header *header = spool->header;
    header->host_pid = header->pid;
    header->rank = -1;
    header->clock = DFT_CLOCK_MONOTONIC;
    header->started.ticks = header->started.monotonic_ns = 1000;
    snprintf(header->app, sizeof header->app, "app");
    snprintf(header->settings.prefix, sizeof header->settings.prefix, "%s/trace", directory);
    header->settings.compression = 1;
    header->settings.metadata = 1;
    header->settings.member_size = 16 << 20;
    atomic_store(&header->state, DFT_SPOOL_RUNNING);
    return 0;
}

static inline uint32_t make_site(struct dft_spool *spool, const char *name)
{
    char text[128] = {0};

    snprintf(text, sizeof text, "%s", name);
    snprintf(text + strlen(name) + 2, sizeof text - strlen(name) - 2, "a.c"); /* no linkage name */
    return dft_spool_intern_site(spool, text, 7, 0);
}

static inline struct dft_thread *make_thread(struct dft_spool *spool, int32_t tid)
{
    uint32_t slot;
    struct dft_thread *thread = dft_spool_claim_thread(spool, &slot);

    memset(thread, 0, DFT_THREAD_SIZE);
    thread->tid = tid;
    snprintf(thread->name, sizeof thread->name, "worker");
    thread->top = thread->frames + 1;
    thread->limit = thread->frames + DFT_THREAD_FRAMES;
    thread->oldest = DFT_NO_CHUNK;
    atomic_store(&thread->state, DFT_THREAD_LIVE);
    return thread;
}

/* The next chunk of a thread; the one before is full. */
static inline void make_chunk(struct dft_spool *spool, struct dft_thread *thread)
{
    uint32_t chunk = dft_spool_take_chunk(spool, true);
    struct dft_chunk *entry = &spool->directory[chunk];

    memset(entry, 0, sizeof *entry);
    entry->thread = dft_spool_slot(spool, thread);
    atomic_store(&entry->state, DFT_CHUNK_OPEN);
    if (thread->first) {
        spool->directory[thread->chunk].next = chunk + 1;
        atomic_store(&spool->directory[thread->chunk].state, DFT_CHUNK_FULL);
    } else {
        thread->oldest = chunk;
    }
    thread->chunk = chunk;
    thread->first = thread->next = dft_spool_chunk_records(spool, chunk);
    thread->end = thread->first + DFT_CHUNK_RECORDS;
}

static inline void make_call(struct dft_thread *thread, uint32_t site, uint64_t start,
                             uint32_t duration)
{
    *thread->next++ = (struct dft_record){start, duration, site};
}

static inline void make_open_call(struct dft_thread *thread, uint32_t site, uint64_t start)
{
    *thread->top++ = (struct dft_frame){.start = start, .site = site};
}

/* The thread has ended, and has said so. */
static inline void end_thread(struct dft_spool *spool, struct dft_thread *thread, uint64_t ended)
{
    spool->directory[thread->chunk].next = 0;
    atomic_store(&spool->directory[thread->chunk].state, DFT_CHUNK_FULL);
    thread->ended = ended;
    dft_spool_end_thread(spool, thread);
}

#endif
