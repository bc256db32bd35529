// A program that has ended and waits more than a second for its trace to be written shows the
// progress. One that need not wait shows nothing.
//
// RUN: echo work > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: %cc -shared -fPIC -DSLOW %s -o slow.so
// RUN: export DFTRACER_ENABLE=1 DFTRACER_WRITE_BUFFER_SIZE=64k
// RUN: ./prog 10 2> quick.txt && not grep writing quick.txt && rm trace-*
// RUN: LD_PRELOAD=$PWD/slow.so ./prog 160000 2> slow.txt
// RUN: grep -E 'writing the trace: [0-9]+%, [0-9]+ s left' slow.txt
// RUN: %check-big-trace trace-prog-*.pfw.gz | grep '^160000 calls,'

#ifdef SLOW

#include <dlfcn.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    ssize_t (*next)(int, const void *, size_t, off_t) =
        (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");

    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    return next(fd, data, size, at);
}

#else

#include <stdlib.h>

static volatile int sink;

__attribute__((noinline)) static void work(int x)
{
    sink = x;
}

int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : 0;

    for (int i = 0; i < calls; i++)
        work(i);
    return 0;
}

#endif
