// exec replaces the program in the same process: calls before and after it are in two traces, named
// after the two programs.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD
// RUN: printf 'first\nsecond\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o before %lib && cp before after
// RUN: DFTRACER_ENABLE=1 ./before ./after
// RUN: %check-trace trace-after-*.pfw.gz --only second --count second=5
// RUN: %check-trace trace-before-*.pfw.gz --only first --count first=3

#include <unistd.h>

static volatile int sink;

static __attribute__((noinline)) void first(int x)
{
    sink = x;
}

static __attribute__((noinline)) void second(int x)
{
    sink = -x;
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        for (int i = 0; i < 3; i++)
            first(i);
        execl(argv[1], argv[1], (char *)NULL);
        return 1;
    }
    for (int i = 0; i < 5; i++)
        second(i);
    return 0;
}
