/*
 * Measures what the writer costs per call, from a full spool to a finished trace, with nothing else
 * running: functions with C++ names call each other on one thread, some always, some sometimes.
 *
 *   bench-writer DIRECTORY [CALLS [FORMAT [helpers]]]    prints ns and bytes a call
 */
#include "writer/writer.h"
#include "spool/spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS 50

static struct dft_spool spool;
static struct dft_thread *thread;
static uint32_t sites[FUNCTIONS];
static uint64_t calls_of[FUNCTIONS];
static uint64_t now = 5000000000000, left;
static uint64_t state = 88172645463325252u;

static uint32_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20);
}

static double read_clock(clockid_t which)
{
    struct timespec time;

    clock_gettime(which, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void open_chunk(void)
{
    uint32_t chunk = dft_spool_take_chunk(&spool, true);
    struct dft_chunk *entry = &spool.directory[chunk];

    if (thread->first) {
        spool.directory[thread->chunk].next = chunk + 1;
        atomic_store(&spool.directory[thread->chunk].state, DFT_CHUNK_FULL);
    } else {
        thread->oldest = chunk;
    }
    entry->thread = dft_spool_slot(&spool, thread);
    entry->next = 0;
    atomic_store(&entry->state, DFT_CHUNK_OPEN);
    thread->chunk = chunk;
    thread->first = thread->next = dft_spool_chunk_records(&spool, chunk);
    thread->end = thread->first + DFT_CHUNK_RECORDS;
}

/* Each function has up to three callees further down the list, always the same ones. */
static void call(unsigned function)
{
    uint64_t start = now;
    unsigned callees = (function * 7 + 3) % 4; /* three for function 0, the root */

    now += 15 + draw() % (function % 3 ? 20 : 300);
    for (unsigned i = 0; i < callees && left > 0; i++) {
        unsigned callee = function + 1 + (function * 13 + i * 5) % 11;
        unsigned times = function % 5 == i ? draw() % 4 : 1;
        for (; callee < FUNCTIONS && times > 0 && left > 0; times--)
            call(callee);
    }
    now += 15 + draw() % 8;
    if (thread->next == thread->end)
        open_chunk();
    *thread->next++ = (struct dft_record){start, (uint32_t)(now - start), sites[function]};
    calls_of[function]++;
    if (left > 0)
        left--;
}

static void make_sites(void)
{
    static const char *const spaces[] = {"solver::linear", "mesh::topology", "io::checkpoint",
                                         "util"};
    static const char *const types[] = {"SparseMatrix<double>", "ConjugateGradient<double>",
                                        "FaceIterator", "BlockWriter"};

    for (unsigned i = 0; i < FUNCTIONS; i++) {
        char text[512] = {0};
        int name =
            snprintf(text, 200, "%s::%s::update_block_%u", spaces[i % 4], types[i * 3 % 4], i);
        snprintf(text + name + 2, 200, "src/%s/module_%u.cc", "core", i % 7);
        memcpy(text + name + 2 + strlen(text + name + 2) + 2, "FUNC", 5);
        sites[i] = dft_spool_intern_site(&spool, text, 10 + i * 17, 0);
    }
}

/* The number of a format; that of JSON if there is no such name. */
static uint8_t find_format(const char *name)
{
#define NAME(constant, name) #name,
    static const char *const names[] = {DFT_TRACE_FORMATS(NAME)};
#undef NAME
    uint8_t format = DFT_FORMATS;

    while (format > DFT_FORMAT_JSON && (format == DFT_FORMATS || strcmp(names[format], name) != 0))
        format--;
    return format;
}

static int prepare(const char *directory, uint64_t calls, const char *format)
{
    uint32_t slot;
    int error = dft_spool_create(&spool, directory, calls * sizeof(struct dft_record) * 2);

    if (error)
        return error;
    struct dft_spool_header *header = spool.header;
    header->clock = DFT_CLOCK_MONOTONIC;
    header->pid = 4242;
    header->started.ticks = header->started.monotonic_ns = now;
    memcpy(header->app, "bench", sizeof "bench");
    snprintf(header->settings.prefix, sizeof header->settings.prefix, "%s/trace", directory);
    header->settings.compression = header->settings.metadata = 1;
    header->settings.member_size = 1u << 20;
    header->settings.format = find_format(format);
    thread = dft_spool_claim_thread(&spool, &slot);
    memset(thread, 0, DFT_THREAD_SIZE);
    thread->tid = 4242;
    memcpy(thread->name, "bench", sizeof "bench");
    thread->top = thread->frames + 1;
    thread->limit = thread->frames + DFT_THREAD_FRAMES;
    open_chunk();
    atomic_store(&thread->state, DFT_THREAD_LIVE);
    make_sites();
    for (left = calls; left > 0;)
        call(0);
    header->ended = now;
    return 0;
}

static unsigned count_called(void)
{
    unsigned called = 0;

    for (unsigned i = 0; i < FUNCTIONS; i++)
        called += calls_of[i] > 0;
    return called;
}

int main(int argc, char **argv)
{
    uint64_t calls = argc > 2 ? strtoull(argv[2], NULL, 10) : 2000000;
    struct dft_writer_result result;
    struct stat status;
    char path[2048];
    int error = argc < 2 ? -22 : prepare(argv[1], calls, argc > 3 ? argv[3] : "json");
    struct dft_writer *writer = error ? NULL : dft_writer_open(&spool, &error, path, sizeof path);

    if (!writer) {
        fprintf(stderr, "bench-writer: %s\n", strerror(-error));
        return 1;
    }
    if (argc > 4)
        dft_writer_start_helpers(writer);
    double wall = read_clock(CLOCK_MONOTONIC), cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    dft_writer_finish(writer);
    wall = read_clock(CLOCK_MONOTONIC) - wall;
    cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    dft_writer_result(writer, &result);
    if (stat(result.path, &status) != 0)
        status.st_size = 0;
    printf("%llu calls of %u functions: %.1f ns a call (%.1f ns of CPU time), %.2f bytes a call\n",
           (unsigned long long)result.events, count_called(), wall / (double)result.events,
           cpu / (double)result.events, (double)status.st_size / (double)result.events);
    unlink(result.path);
    dft_writer_close(writer);
    dft_spool_unlink(&spool);
    return 0;
}
