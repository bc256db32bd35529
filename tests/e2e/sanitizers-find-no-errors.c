// ThreadSanitizer finds no race in the runtime. LeakSanitizer, which ends a leaking process before
// destructors run, does not prevent the trace from being written.
//
// RUN: printf 'main\nleak\n' > allow.txt
// RUN: %cc -g -O1 -fsanitize=thread -pthread %plugin %allow=allow.txt %s -o threads %lib
// RUN: DFTRACER_ENABLE=1 setarch -R ./threads
// RUN: %check-trace trace-threads-*.pfw.gz --count main=1 --count leak=20
// RUN: %cc -g -O1 -fsanitize=address -pthread %plugin %allow=allow.txt %s -o leaks %lib
// RUN: not env DFTRACER_ENABLE=1 ./leaks
// RUN: %check-trace trace-leaks-*.pfw.gz --count main=1 --count leak=20

#include <pthread.h>
#include <stdlib.h>

static void *volatile last;

__attribute__((noinline)) static void leak(void)
{
    __atomic_store_n(&last, malloc(100), __ATOMIC_SEQ_CST);
}

static void *run(void *unused)
{
    (void)unused;
    for (int i = 0; i < 10; i++)
        leak();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
