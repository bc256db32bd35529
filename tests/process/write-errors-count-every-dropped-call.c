// The trace cannot be written for a while, after threads that share a small spool have lent their
// chunks to the writer. Sampled calls need more room than others, so a chunk may be lent with a
// little room left. Each call is in the trace or counted as dropped.
//
// RUN: printf 'traced_plain\n[sample]\ntraced_sampled\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 DFTRACER_SPOOL_MAX=256k DFTRACER_WRITE_BUFFER_SIZE=64k ./prog > made.txt 2> err.txt
// RUN: grep 'File too large; the program runs on' err.txt
// RUN: zcat trace-prog-*.pfw.gz > trace.txt
// RUN: grep -c '"name":"traced_[a-z]*","cat"' trace.txt > written.txt
// RUN: sed -n 's/.*"num_events".*"dropped":\([0-9]*\).*/\1/p' trace.txt > dropped.txt
// RUN: test $(($(cat written.txt) + $(cat dropped.txt))) = $(cat made.txt)

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define THREADS 12

static _Atomic bool stop;
static _Atomic long made;

__attribute__((noinline)) static void traced_plain(void)
{
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void traced_sampled(void)
{
    __asm__ volatile("" ::: "memory");
}

static void *run(void *unused)
{
    long count = 0;

    while (!atomic_load(&stop)) {
        traced_sampled();
        traced_plain();
        traced_plain();
        traced_plain();
        count += 4;
        usleep(20);
    }
    atomic_fetch_add(&made, count);
    return unused;
}

static void limit_files(bool limited)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = limited ? 40000 : limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

int main(void)
{
    pthread_t threads[THREADS];

    limit_files(true);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    usleep(1500000);
    limit_files(false);
    usleep(500000); /* longer than the writer waits before it retries */
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", atomic_load(&made));
    return 0;
}
