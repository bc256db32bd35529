// A main thread that ends by pthread_exit leaves the process to the others. The process ends with
// the last of them, with status 0, its output flushed and its exit handlers run, as without a
// writer.
//
// RUN: printf 'main\nwork\nthread_body\nlate\n' > allow.txt
// RUN: %cc -O2 -pthread %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: %check-death ./prog alone before after cancelled exits dies detached
// RUN: mkdir untraced-main && echo work > only.txt
// RUN: %cc -O2 -pthread -DONLY_WORK %support %plugin %allow=only.txt %s -o untraced-main/prog %lib
// RUN: cd untraced-main && %check-death ./prog after alone

#include "death.h"

#include <pthread.h>
#include <stdio.h>

static volatile int sink;
static pthread_t main_thread;
static pthread_barrier_t both;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static __attribute__((noinline)) void late(void)
{
    sink = 0;
}

#ifdef ONLY_WORK
#define COUNT(name, field) (void)0
#else
#define COUNT(name, field) __atomic_fetch_add(&tally(name)->field, 1, __ATOMIC_SEQ_CST)
#endif

static void call_late(void)
{
    late();
    COUNT("late", completed);
    printf("exit handler\n");
}

static void call_work(void)
{
    struct tally *count = tally("work");

    for (int i = 0; i < 100; i++) {
        work(i);
        __atomic_fetch_add(&count->completed, 1, __ATOMIC_SEQ_CST);
    }
}

static void *thread_body(void *way)
{
    call_work();
    pthread_barrier_wait(&both);
    if (strcmp((const char *)way, "before") != 0) {
        if (strcmp((const char *)way, "cancelled") == 0)
            pthread_cancel(main_thread);
        if (strcmp((const char *)way, "detached") != 0)
            pthread_join(main_thread, NULL);
        call_work();
    }
    if (strcmp((const char *)way, "exits") == 0) {
        COUNT("thread_body", unfinished);
        exit(5);
    }
    if (strcmp((const char *)way, "dies") == 0) {
        COUNT("thread_body", unfinished);
        abort();
    }
    COUNT("thread_body", completed);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    (void)argc;
    main_thread = pthread_self();
    atexit(call_late);
    printf("buffered\n");
    call_work();
    /* Its call is left by pthread_exit and ends with its thread: it is shown as unfinished. */
    COUNT("main", unfinished);
    pthread_barrier_init(&both, NULL, 2);
    if (strcmp(argv[1], "alone") == 0)
        pthread_exit(NULL);
    pthread_create(&thread, NULL, thread_body, argv[1]);
    if (strcmp(argv[1], "detached") == 0)
        pthread_detach(thread);
    pthread_barrier_wait(&both);
    if (strcmp(argv[1], "before") == 0)
        pthread_join(thread, NULL);
    for (; strcmp(argv[1], "cancelled") == 0;)
        pause();
    pthread_exit(NULL);
}
