/*
 * Many threads that make calls for a while, without a pause of more than a millisecond.
 *
 *     soak LEDGER SECONDS THREADS
 */
#define _GNU_SOURCE
#include "ledger.h"

#include <pthread.h>
#include <time.h>

#define BURST 100

static time_t until;

static __attribute__((noinline)) void leaf(unsigned x)
{
    __asm__ volatile("" : : "r"(x) : "memory");
}

static time_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

static void *run_thread(void *unused)
{
    (void)unused;
    take_slot(0, 0);
    while (now() < until) {
        for (unsigned i = 0; i < BURST; i++) {
            ADD(self->begun);
            leaf(i);
            ADD(self->ended);
        }
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    self->over = 1;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[64];
    long count = argc == 4 ? strtol(argv[3], NULL, 10) : 0;

    if (count < 1 || count > 64)
        return 3;
    open_ledger(argv[1]);
    until = now() + strtol(argv[2], NULL, 10);
    for (long i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run_thread, NULL) != 0)
            return 3;
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
