// The writer is far behind, on a disk that takes seconds for a write. Threads wait as long as that
// takes, and all calls are in the trace.
//
// RUN: echo work > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: %cc -O2 -pthread %s -o plain
// RUN: %cc -shared -fPIC -DSLOW %s -o slow.so
// RUN: export DFTRACER_ENABLE=1 DFTRACER_SPOOL_MAX=256k
// RUN: %unharmed ./plain 'LD_PRELOAD=$PWD/slow.so ./prog'
// RUN: %check-big-trace trace-prog-*.pfw.gz | grep '^80000 calls,'

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef SLOW

/* A disk on which every third write takes longer than a thread waits for an idle writer. */
ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    static unsigned writes;
    ssize_t (*next)(int, const void *, size_t, off_t) =
        (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");

    if (writes++ % 3 == 0 && writes < 6)
        sleep(4);
    return next(fd, data, size, at);
}

#else

static volatile long sink;

__attribute__((noinline)) static void work(long x)
{
    sink = x;
}

static void *run(void *unused)
{
    (void)unused;
    for (long i = 0; i < 10000; i++)
        work(i);
    return NULL;
}

int main(void)
{
    pthread_t threads[7];

    alarm(200);
    for (int i = 0; i < 7; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    run(NULL);
    for (int i = 0; i < 7; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", sink);
    return 7;
}

#endif
