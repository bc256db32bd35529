// A program in a time namespace has its own monotonic clock, and so has its trace. Under `dftrace
// run`, which is outside that namespace, the program writes the trace itself.
//
// REQUIRES: mount
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools
// RUN: echo work > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog
// RUN: %dftrace run --no-report unshare -T --monotonic 100000 ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count work=20
// RUN: zcat trace-prog-*.pfw.gz | %{python} -c 'import json, sys; \
// RUN:   times = [e["ts"] for e in json.load(sys.stdin) if e["name"] in ("start", "work")]; \
// RUN:   assert 190e3 <= max(times) - min(times) < 100e6, times'
// RUN: test -z "$(ls -A spools)"

#include <unistd.h>

__attribute__((noinline)) void work(void)
{
    usleep(10000);
}

int main(void)
{
    for (int i = 0; i < 20; i++)
        work();
    return 0;
}
