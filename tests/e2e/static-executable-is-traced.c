// A static executable, linked with libdftrace.a: there is no dynamic loader that could preload
// anything.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 -static -pthread %plugin %allow=allow.txt %s -o prog -L%libdir -l:libdftrace.a
// RUN: readelf -d prog | FileCheck %s --implicit-check-not=NEEDED
// CHECK: no dynamic section
// RUN: DFTRACER_ENABLE=1 ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --only main work --count main=1 --count work=200
//
// If tracing is not enabled, it writes nothing.
// RUN: rm trace-* && ./prog && not ls trace-*

#include <pthread.h>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static void *run(void *argument)
{
    for (int i = 0; i < 100; i++)
        work(i);
    return argument;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, run, NULL);
    run(NULL);
    return pthread_join(thread, NULL);
}
