/*
 * logstat: which paths of a web site cause the traffic? Phases worth seeing in a timeline:
 * generate a log, parse it with four threads, merge their tables, verify the sums, sort and print.
 *
 * The log is cut into chunks that the workers take one by one; each chunk has its own table, so
 * that the work, and the number of calls, is the same however the threads share it.
 */
#define _GNU_SOURCE /* pthread_setname_np */
#include "logstat.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 4, CHUNKS = 32, DEFAULT_LINES = 20000, MAX_LINES = 10000000 };

struct chunk {
    const char *begin;
    const char *end;
    struct table table;
    bool complete;
};

struct job {
    struct chunk chunks[CHUNKS];
    atomic_int next;
    atomic_int workers;
};

/* Cuts after the newline that follows each equal share of the text. */
static void split_log(const struct log *log, struct chunk *chunks)
{
    const char *end = log->text + log->length;
    const char *at = log->text;

    for (int i = 0; i < CHUNKS; i++) {
        const char *cut = log->text + log->length * (size_t)(i + 1) / CHUNKS;
        chunks[i].begin = at;
        while (cut < end && cut > log->text && cut[-1] != '\n')
            cut++;
        at = cut > at ? cut : at;
        chunks[i].end = at;
    }
}

static struct chunk *take_chunk(struct job *job)
{
    int number = atomic_fetch_add(&job->next, 1);
    return number < CHUNKS ? &job->chunks[number] : NULL;
}

static void process_chunk(struct chunk *chunk)
{
    const char *at = chunk->begin;
    struct request request;

    if (!table_create(&chunk->table, 64))
        return;
    while (at != NULL && at < chunk->end) {
        at = parse_line(at, chunk->end, &request);
        if (at != NULL && !table_add_request(&chunk->table, &request))
            return;
    }
    chunk->complete = at != NULL;
}

static void *run_worker(void *argument)
{
    struct job *job = argument;
    struct chunk *chunk;
    char name[16];

    snprintf(name, sizeof(name), "worker-%d", atomic_fetch_add(&job->workers, 1));
    pthread_setname_np(pthread_self(), name);
    while ((chunk = take_chunk(job)) != NULL)
        process_chunk(chunk);
    return NULL;
}

static bool run_workers(struct job *job)
{
    pthread_t threads[WORKERS];
    int started = 0;

    while (started < WORKERS && pthread_create(&threads[started], NULL, run_worker, job) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return started == WORKERS;
}

static bool merge_chunks(struct job *job, struct table *total)
{
    for (int i = 0; i < CHUNKS; i++) {
        struct chunk *chunk = &job->chunks[i];
        if (!chunk->complete || !table_merge(total, &chunk->table))
            return false;
        table_destroy(&chunk->table);
    }
    return true;
}

static bool verify_total(const struct table *total, const struct log *log)
{
    uint64_t requests = 0;
    uint64_t errors = 0;
    uint64_t bytes = 0;

    for (size_t i = 0; i < total->capacity; i++) {
        requests += total->entries[i].requests;
        errors += total->entries[i].errors;
        bytes += total->entries[i].bytes;
    }
    return requests == log->lines && errors == log->errors && bytes == log->bytes;
}

static bool read_arguments(int argc, char **argv, size_t *lines)
{
    char *end = NULL;

    *lines = DEFAULT_LINES;
    if (argc == 1)
        return true;
    if (argc != 2)
        return false;
    *lines = strtoul(argv[1], &end, 10);
    return *end == '\0' && *lines > 0 && *lines <= MAX_LINES;
}

static int fail(const char *what)
{
    fprintf(stderr, "logstat: %s\n", what);
    return 1;
}

int main(int argc, char **argv)
{
    static struct job job;
    struct table total;
    struct log log;
    size_t lines;

    if (!read_arguments(argc, argv, &lines))
        return fail("usage: logstat [LINES], at most ten million");
    if (!generate_log(&log, lines) || !table_create(&total, 64))
        return fail("out of memory");
    split_log(&log, job.chunks);
    if (!run_workers(&job))
        return fail("could not start the workers");
    if (!merge_chunks(&job, &total))
        return fail("a worker did not complete its chunk");
    if (!verify_total(&total, &log))
        return fail("the sums are wrong");
    printf("%zu requests, %zu paths\n", log.lines, total.used);
    if (!print_summary(&total))
        return fail("out of memory");
    table_destroy(&total);
    free(log.text);
    return 0;
}
