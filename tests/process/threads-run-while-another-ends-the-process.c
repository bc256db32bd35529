// One thread ends the process while others are inside calls: the calls that they had completed are
// in the trace, and nothing hangs.
//
// RUN: printf 'main\nwork\nspin\n' > allow.txt
// RUN: %cc -O2 -pthread %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: %check-death ./prog _exit abort exit segv term-by-child
// RUN: DFTRACER_SPOOL_MAX=1M %check-death ./prog small-_exit small-abort

#include "death.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#define THREADS 4
#define ENOUGH 10000

static volatile int sink;
static volatile long called[THREADS];

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static void *spin(void *argument)
{
    volatile long *mine = argument;

    for (;;) {
        work(0);
        if (++*mine > ENOUGH) /* goes on more slowly, for a trace of reasonable size */
            usleep(10);
    }
}

static void die(const char *way)
{
    if (strstr(way, "_exit"))
        _exit(3);
    else if (strstr(way, "abort"))
        abort();
    else if (strstr(way, "exit"))
        exit(4);
    else if (strstr(way, "segv"))
        *(volatile int *)16 = 0;
    else {
        pid_t child = fork();
        if (child == 0) {
            kill(getppid(), SIGTERM);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        for (;;)
            pause();
    }
}

int main(int argc, char **argv)
{
    struct tally *count = tally("work");
    pthread_t thread;

    (void)argc;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, spin, (void *)&called[i]);
    for (int i = 0; i < THREADS; i++)
        while (called[i] < ENOUGH)
            usleep(100);
    count->at_least = 1;
    for (int i = 0; i < THREADS; i++)
        count->completed += called[i];
    tally("main")->unfinished = 1;
    tally("spin")->unfinished = THREADS;
    die(argv[1]);
    return 1;
}
