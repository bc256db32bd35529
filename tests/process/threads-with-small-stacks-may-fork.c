// A thread with the smallest possible stack may fork: its child starts a trace of its own on that
// stack.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD
// RUN: echo work > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count work=2
// RUN: rm trace-* && %dftrace run --no-report ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count work=2

#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void work(void)
{
    __asm__ volatile("" ::: "memory");
}

static void *fork_here(void *unused)
{
    int status = 1;

    (void)unused;
    work();
    pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return (void *)(intptr_t)status;
}

int main(void)
{
    pthread_attr_t small;
    pthread_t thread;
    void *status;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
    if (pthread_create(&thread, &small, fork_here, NULL) != 0)
        return 2;
    pthread_join(thread, &status);
    return status != NULL;
}
