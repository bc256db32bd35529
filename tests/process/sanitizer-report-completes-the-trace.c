// A program that AddressSanitizer ends has a complete trace, and the same report and status as
// without tracing.
//
// RUN: printf 'main\nwork\n' > allow.txt && export ASAN_OPTIONS=detect_leaks=0:abort_on_error=0
// RUN: %cc -O1 -fsanitize=address %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: for way in overflow null abort; do \
// RUN:   for traced in 0 1; do \
// RUN:     truncate -s 4096 tally; code=0; DEATH_TALLY=$PWD/tally DFTRACER_SPOOL_DIR=$PWD DFTRACER_ENABLE=$traced \
// RUN:       ./prog $way 2> report-$traced || code=$?; echo $code > code-$traced; \
// RUN:   done; \
// RUN:   cmp code-0 code-1 || exit 1; sed -n 's/0x[0-9a-f]*//g;s/==[0-9]*==//;/SUMMARY\|DEADLY/p' report-0 > summary-0; \
// RUN:   sed -n 's/0x[0-9a-f]*//g;s/==[0-9]*==//;/SUMMARY\|DEADLY/p' report-1 | cmp - summary-0 || exit 1; \
// RUN:   %check-trace trace-prog-*.pfw.gz --count work=100 --count main=1 || exit 1; rm trace-*; not ls dftrace-* || exit 1; \
// RUN: done

#include "death.h"

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

int main(int argc, char **argv)
{
    volatile char *memory = malloc(16);

    (void)argc;
    for (int i = 0; i < 100; i++)
        work(i);
    if (strcmp(argv[1], "overflow") == 0)
        memory[16] = 1;
    else if (strcmp(argv[1], "null") == 0)
        *(volatile int *)16 = 1;
    else
        abort();
    free((void *)memory);
    return 0;
}
