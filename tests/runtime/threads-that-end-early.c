// Threads that end by pthread_exit or are cancelled: their completed calls are in the trace, the
// open ones too, and nothing hangs. This C program is compiled without cleanups, so the exit hooks
// do not run.
//
// RUN: printf 'leaves\nwaits\nwork\nbottom\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count leaves=20 --count bottom=20 --count waits=20 --count work=400

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static __attribute__((noinline)) void bottom(void)
{
    for (int i = 0; i < 10; i++)
        work(i);
    pthread_exit(NULL);
}

static void *leaves(void *argument)
{
    bottom();
    return argument;
}

static void *waits(void *argument)
{
    for (int i = 0; i < 10; i++)
        work(i);
    *(volatile int *)argument = 1;
    for (;;)
        pause();
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        volatile int ready = 0;
        pthread_t first;
        pthread_t second;
        pthread_create(&first, NULL, leaves, NULL);
        pthread_create(&second, NULL, waits, (void *)&ready);
        while (!ready)
            usleep(100);
        pthread_cancel(second);
        pthread_join(first, NULL);
        pthread_join(second, NULL);
    }
    return 0;
}
