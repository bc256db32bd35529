/*
 * The writer while memory is exhausted, from one page on to more than it needs: no call is missing
 * or written twice once there is memory again.
 */
#include "made_spool.h"
#include "made_trace.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define STEP (64u << 10)
#define STEPS 24

static char directory[] = "/tmp/dftrace-test-memory-XXXXXX";
static struct dft_spool spool;
static char trace[4 << 20];

/* Limits the address space to what is mapped now and `room` bytes more. */
static void limit_memory(size_t room)
{
    struct rlimit limit;
    unsigned long pages = 0;

    if (unit_rounds(100) < 100) /* valgrind needs address space, too */
        return;
    FILE *file = fopen("/proc/self/statm", "r");

    CHECK(file && fscanf(file, "%lu", &pages) == 1);
    if (file)
        fclose(file);
    CHECK_INT(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) + room;
    CHECK_INT(setrlimit(RLIMIT_AS, &limit), 0);
}

static void unlimit_memory(void)
{
    struct rlimit limit;

    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = limit.rlim_max;
    CHECK_INT(setrlimit(RLIMIT_AS, &limit), 0);
}

/*
 * A thread that has ended inside two calls. The exit hook of the inner one was interrupted: its
 * record is in a chunk that the writer had to defer, and its frame is still there. The last chunk
 * has `calls` calls.
 */
static struct dft_thread *make_story(struct dft_writer **writer, unsigned calls)
{
    CHECK_INT(make_spool(&spool, directory), 0);
    struct dft_thread *thread = make_thread(&spool, 43);
    uint32_t f = make_site(&spool, "f");
    uint32_t late = make_site(&spool, "late");

    make_chunk(&spool, thread);
    *writer = open_writer(&spool);
    struct dft_record *record = thread->next++;
    make_open_call(thread, make_site(&spool, "open"), 1800);
    make_open_call(thread, late, 1900);
    thread->top[-1].record = DFT_FRAME_RECORD((uintptr_t)record);
    make_chunk(&spool, thread);
    CHECK(dft_writer_step(*writer)); /* defers the first chunk */
    *record = (struct dft_record){1900, 200, late};
    for (unsigned i = 0; i < calls; i++)
        make_call(thread, f, 3000 + i * 10, 5);
    end_thread(&spool, thread, 90000);
    return thread;
}

static void every_call_is_written_once(unsigned calls)
{
    char row[64];
    struct dft_writer *writer;

    unit_row = row;
    for (size_t room = 0; room < STEPS * STEP; room += STEP) {
        snprintf(row, sizeof row, "%u calls, %zu KiB", calls, room >> 10);
        make_story(&writer, calls);
        limit_memory(room);
        dft_writer_step(writer);
        unlimit_memory();
        finish_trace(&spool, writer, 100000, trace, sizeof trace);
        CHECK_INT(count_parts(trace, "\"name\":\"f\",\"cat\""), calls);
        CHECK_INT(count_parts(trace, "\"name\":\"open\",\"cat\""), 1);
        CHECK_INT(count_parts(trace, "\"name\":\"late\",\"cat\""), 1);
        CHECK_CONTAINS(trace, "\"unfinished\":true},\"tid\":43,\"dur\":88.200,\"ts\":1.800}");
    }
    unit_row = NULL;
}

int main(void)
{
    if (!CHECK(mkdtemp(directory) != NULL))
        return unit_result();
    every_call_is_written_once(10);
    every_call_is_written_once(DFT_CHUNK_RECORDS);
    CHECK_INT(rmdir(directory), 0);
    return unit_result();
}
