// Sampled calls of many threads are all in the trace, each with a sample. A forked child has
// samples of its own memory; a call that was open at the fork ends in both processes, without
// figures of the other one. The same applies to calls that an exception or a jump leaves, and to
// recursion deeper than the shadow stack.
//
// RUN: printf 'in_child\n[sample]\nwork\nforks\ngrow\ndeep\njumps\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: for run in 'env DFTRACER_ENABLE=1' '%dftrace run --no-report'; do \
// RUN:   rm -f trace-*; $run ./prog > pids.txt || exit 1; \
// RUN:   parent=trace-prog-$(sed -n 's/parent //p' pids.txt).pfw.gz; \
// RUN:   child=trace-prog-$(sed -n 's/child //p' pids.txt).pfw.gz; \
// RUN:   %check-trace $parent --count work=8000 --count forks=1 --count deep=3000 --count jumps=200 --count grow=0 || exit 1; \
// RUN:   zcat $parent | grep -c '"name":"work".*"cpu_us".*"tdur"' | grep -x 8000 || exit 1; \
// RUN:   zcat $parent | grep -c '"name":"deep".*"tdur"' | grep -x 10.. || exit 1; \
// RUN:   %check-trace $child --count work=0 --count forks=1 --count grow=1 --count in_child=1 || exit 1; \
// RUN:   zcat $parent | grep -c '"name":"forks".*"tdur"' | grep -x 1 || exit 1; \
// RUN:   zcat $child | grep '"name":"forks"' | not grep tdur || exit 1; \
// RUN:   zcat $child | grep '"name":"grow"' | grep -oE '"rss_delta_kb":[0-9]+' | grep -E ':3[23][0-9]{3}$' || exit 1; \
// RUN: done

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define SIZE (32 << 20)

static volatile int sink;
static jmp_buf out;

__attribute__((noinline)) static void work(int x)
{
    sink = x;
}

__attribute__((noinline)) static void in_child(void)
{
    sink = 1;
}

__attribute__((noinline)) static void grow(void)
{
    char *block = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memset(block, 1, SIZE);
}

__attribute__((noinline)) static pid_t forks(void)
{
    pid_t child = fork();

    if (child == 0) {
        in_child();
        grow();
    }
    return child;
}

__attribute__((noinline)) static int deep(int depth)
{
    return depth > 1 ? deep(depth - 1) + 1 : 1;
}

__attribute__((noinline)) static void jumps(int depth)
{
    if (depth == 0)
        longjmp(out, 1);
    jumps(depth - 1);
    sink = depth;
}

static void *run(void *unused)
{
    for (int i = 0; i < 2000; i++)
        work(i);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    int status;

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, NULL) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (deep(3000) != 3000)
        return 2;
    for (volatile int i = 0; i < 20; i++)
        if (setjmp(out) == 0)
            jumps(9);
    pid_t child = forks();
    if (child == 0)
        exit(0);
    if (waitpid(child, &status, 0) != child || status != 0)
        return 3;
    printf("parent %d\nchild %d\n", (int)getpid(), (int)child);
    return 0;
}
