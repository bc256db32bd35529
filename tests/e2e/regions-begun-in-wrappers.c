// Functions that wrap dftrace_begin and dftrace_end are traced themselves: the region goes on when the first one returns, and ends before
// the second one does. Regions and calls nest. However often they are used, nothing is left over.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD
// RUN: printf 'start\nstop\nwork\nphase\n' > allow.txt && sed -n 's#^// SHOWN: \?##p' %s > expected.txt
// RUN: for level in -O0 -O2; do %cc $level -I%include %plugin %allow=allow.txt %s -o prog %lib || exit 1; \
// RUN:   DFTRACER_ENABLE=1 ./prog 1 && %check-trace trace-* && %show-events trace-* > shown.txt && diff expected.txt shown.txt && rm trace-* || exit 1; \
// RUN:   DFTRACER_ENABLE=1 ./prog 3000 && %check-trace trace-* --count start=6000 --count stop=6000 --count work=9000 --count outer=3000 --count inner=3000 || exit 1; \
// RUN:   zcat trace-* | grep '"name":"end"' | grep '"dropped":0' && test -z "$(zcat trace-* | grep unfinished)" && rm trace-* || exit 1; done
//
// SHOWN: thread prog
// SHOWN:   region phase [FUNC]
// SHOWN:     region start [FUNC]
// SHOWN:     region outer
// SHOWN:       region work [FUNC]
// SHOWN:       region start [FUNC]
// SHOWN:       region inner
// SHOWN:         region work [FUNC]
// SHOWN:         region stop [FUNC]
// SHOWN:       region work [FUNC]
// SHOWN:       region stop [FUNC]

#include <dftrace/dftrace.h>
#include <stdlib.h>

static volatile int sink;

static void take_time(void)
{
    for (int i = 0; i < 100; i++)
        sink += i;
}

__attribute__((noinline)) void work(void)
{
    take_time();
}

__attribute__((noinline)) void start(const char *name)
{
    take_time();
    dftrace_begin(name);
    take_time();
}

__attribute__((noinline)) void stop(void)
{
    take_time();
    dftrace_end();
    take_time();
}

__attribute__((noinline)) void phase(void)
{
    start("outer");
    work();
    start("inner");
    work();
    stop();
    work();
    stop();
}

int main(int argc, char **argv)
{
    for (int i = 0; argc > 1 && i < atoi(argv[1]); i++)
        phase();
    return 0;
}
