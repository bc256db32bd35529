// With a spool of 1 MiB and a disk that takes two seconds for a write, the program waits for the
// writer. These waits are slices of their own in the thread's row. The report adds them up and does
// not include them in any function's time: neither in that of the short function that happened to
// be called, nor in that of its callers. They are not counted as calls. Tested with hooks of either
// kind, and with aggregated calls.
//
// RUN: printf 'leaf\nmiddle\ntop\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: %cc -O2 -finstrument-functions %s -o plain %lib
// RUN: %cc -shared -fPIC -DSLOW %s -o slow.so
// RUN: export DFTRACER_ENABLE=1 DFTRACER_SPOOL_MAX=1M LD_PRELOAD=$PWD/slow.so
// RUN: ./prog && DFTRACER_ALLOWLIST=allow.txt ./plain
// RUN: mkdir sums && DFTRACER_LOG_FILE=sums/trace DFTRACER_AGGREGATE=all ./prog
// RUN: unset LD_PRELOAD
// RUN: for trace in trace-prog-*.pfw.gz trace-plain-*.pfw.gz sums/trace-prog-*.pfw.gz; do \
// RUN:   %check-trace $trace --count leaf=200000 --count middle=20000 --count top=1 || exit 1; \
// RUN:   zcat $trace | grep '"name":"dftrace: waiting for writer","cat":"dftrace","ph":"X"' > waits.txt || exit 1; \
// RUN:   %dftrace report --json $trace > report.json || exit 1; \
// RUN:   %{python} %S/Inputs/waits.py report.json $(grep -c . waits.txt) || exit 1; done
// RUN: %dftrace report trace-prog-*.pfw.gz | FileCheck %s
// CHECK: recorded   220001 calls of 3 functions, 1 process, 1 thread
// CHECK: waited     {{[0-9.]+}}s for the writer; try -e BUDGET=5%, or leave out leaf (91% of the calls)
// CHECK-NOT: {{waiting|bookkeeping}}

#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef SLOW

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    static unsigned writes;
    ssize_t (*next)(int, const void *, size_t, off_t) =
        (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");

    if (writes++ < 2)
        sleep(2);
    return next(fd, data, size, at);
}

#else

static volatile long sink;

static __attribute__((noinline)) void leaf(long x)
{
    sink += x;
}

static __attribute__((noinline)) void middle(long x)
{
    for (long i = 0; i < 10; i++)
        leaf(x + i);
}

static __attribute__((noinline)) void top(void)
{
    for (long i = 0; i < 20000; i++)
        middle(i);
    sink++;
}

int main(void)
{
    alarm(200);
    top();
    return 0;
}

#endif
