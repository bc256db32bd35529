/*
 * counts CALLS [THREADS]: makes CALLS traced calls of work() in each thread, prints a checksum of
 * them, and exits with 7. Ends itself if it hangs.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long calls;
static _Atomic long sum;

__attribute__((noinline)) static long work(long x)
{
    __asm__ volatile("" : "+r"(x));
    return x & 15;
}

static void *run(void *unused)
{
    long local = 0;

    (void)unused;
    for (long i = 0; i < calls; i++)
        local += work(i);
    sum += local;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[64];
    int count = argc > 2 ? atoi(argv[2]) : 0;

    alarm(120);
    calls = argc > 1 ? atol(argv[1]) : 1000;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run, NULL) != 0)
            return 1;
    run(NULL);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", sum);
    return 7;
}
