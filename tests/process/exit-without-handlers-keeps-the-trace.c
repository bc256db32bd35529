// _exit and quick_exit run no exit handlers. The calls before them are in the trace nevertheless.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: code=0; DFTRACER_ENABLE=1 ./prog || code=$?; test $code = 3
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1 --count work=1000
// RUN: rm trace-*; code=0; DFTRACER_ENABLE=1 ./prog quick || code=$?; test $code = 4
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1 --count work=1000

#include <stdlib.h>
#include <unistd.h>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 1000; i++)
        work(i);
    if (argc > 1)
        quick_exit(4);
    _exit(3);
}
