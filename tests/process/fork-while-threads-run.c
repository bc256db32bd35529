// A program forks while its other threads are inside hooks. Each child has its own calls and no
// others, whether it calls nothing, exits at once, runs on or is killed. The parent has all of its
// own.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 -pthread %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: %check-death ./prog fork quiet

#include "death.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#define THREADS 3
#define CHILDREN 12

static volatile int sink, stop, quiet;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static void call_work(int times)
{
    struct tally *count = tally("work");

    for (int i = 0; i < times; i++) {
        work(i);
        __atomic_fetch_add(&count->completed, 1, __ATOMIC_SEQ_CST);
    }
}

static void *run(void *argument)
{
    while (!stop) {
        call_work(100);
        usleep(1000);
    }
    return argument;
}

static void run_child(int number)
{
    if (number % 4 == 0)
        _exit(0);
    /* _Fork, which runs no atfork handlers: calls of the parent end at the fork. */
    tally("main")->unfinished = !quiet;
    call_work(100 * number);
    if (number % 4 == 2)
        raise(SIGTERM);
    if (number % 4 == 3) {
        pthread_t thread;
        stop = 1;
        pthread_create(&thread, NULL, run, NULL);
        pthread_join(thread, NULL);
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    struct tally *count = tally("main");

    (void)argc;
    tally("work");
    quiet = strcmp(argv[1], "quiet") == 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        pid_t child = quiet ? _Fork() : fork();
        if (child == 0)
            run_child(i);
        call_work(10);
        if (waitpid(child, &status, 0) != child)
            return 2;
    }
    stop = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    count->completed = 1;
    return 0;
}
