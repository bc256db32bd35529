// Tens of thousands of threads, a few at a time: all their calls are in the trace, and the spool is
// only as large as a few threads need, because slots and chunks are reused.
//
// RUN: echo 'fun:traced_*' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: mkdir spool && DFTRACER_ENABLE=1 DFTRACER_SPOOL_DIR=$PWD/spool ./prog
// RUN: %check-big-trace trace-prog-*.pfw.gz | tee seen.txt
// RUN: grep '^480000 calls,' seen.txt
// RUN: ls spool > left.txt && cmp left.txt /dev/null

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define LANES 8
#define ROUNDS 3000
#define CALLS 10

/* Without reuse 24000 threads would take 2.2 GB: each a slot of 32 KiB and a chunk of 64 KiB. */
#define MOST_BYTES (64l << 20)

__attribute__((noinline)) void traced_inner(void)
{
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void traced_outer(void)
{
    traced_inner();
    __asm__ volatile("" ::: "memory");
}

static void *live_shortly(void *unused)
{
    (void)unused;
    for (int i = 0; i < CALLS; i++)
        traced_outer();
    return NULL;
}

static void *run_lane(void *unused)
{
    pthread_t thread;

    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        if (pthread_create(&thread, NULL, live_shortly, NULL) != 0)
            abort();
        pthread_join(thread, NULL);
    }
    return NULL;
}

/* Bytes that are allocated for the spool. */
static long spool_size(void)
{
    DIR *directory = opendir(getenv("DFTRACER_SPOOL_DIR"));
    struct dirent *entry;
    struct stat status;
    long size = 0;

    while ((entry = readdir(directory)))
        if (strncmp(entry->d_name, "dftrace-", 8) == 0 &&
            fstatat(dirfd(directory), entry->d_name, &status, 0) == 0)
            size += status.st_blocks * 512;
    closedir(directory);
    return size;
}

int main(void)
{
    pthread_t lanes[LANES];
    struct rusage usage;

    alarm(250);
    for (int i = 0; i < LANES; i++)
        pthread_create(&lanes[i], NULL, run_lane, NULL);
    for (int i = 0; i < LANES; i++)
        pthread_join(lanes[i], NULL);
    getrusage(RUSAGE_SELF, &usage);
    printf("spool %ld KiB, resident %ld KiB\n", spool_size() / 1024, usage.ru_maxrss);
    return spool_size() > 0 && spool_size() < MOST_BYTES && usage.ru_maxrss * 1024 < MOST_BYTES ? 0
                                                                                                : 1;
}
