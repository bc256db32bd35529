// dftrace_pause and dftrace_resume, dftrace_disable and dftrace_enable by category and by pattern:
// functions that are off have no events, calls that are open end as usual. Without the library
// these functions do nothing.
//
// RUN: printf 'main\nwork=WORK\nother=OTHER\nfun:part_*=PART\n' > allow.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt -I%libdir/../include %s -o prog \
// RUN:   && ./prog && not ls trace-* \
// RUN:   && DFTRACER_ENABLE=1 LD_PRELOAD=%libdir/libdftrace.so ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count main=1 --count work=3010 --count other=2010 \
// RUN:      --count part_one=2010 --count part_two=1010 \
// RUN:   && rm trace-* && DFTRACER_START=paused DFTRACER_ENABLE=1 LD_PRELOAD=%libdir/libdftrace.so ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count main=0 --count work=3000 --count other=2000 \
// RUN:      --count part_one=2000 --count part_two=1000'
//
// Also with the static library.
// RUN: %cc -O2 %plugin %allow=allow.txt -I%include %s -o archive -L%libdir -l:libdftrace.a && ./archive && not ls trace-*
// RUN: DFTRACER_ENABLE=1 ./archive
// RUN: %check-trace trace-archive-*.pfw.gz --count main=1 --count work=3010 --count other=2010 --count part_two=1010
// RUN: rm trace-*
//
// The same with -finstrument-functions.
// RUN: %cc -O2 -finstrument-functions -I%libdir/../include %s -o other && ./other
// RUN: export DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt
// RUN: LD_PRELOAD=%libdir/libdftrace.so ./other && not ls trace-prog-*
// RUN: %check-trace trace-other-*.pfw.gz --count main=1 --count work=3010 --count other=2010 \
// RUN:      --count part_one=2010 --count part_two=1010
// RUN: rm trace-* && DFTRACER_START=wrong LD_PRELOAD=%libdir/libdftrace.so ./other 2> err.txt
// RUN: FileCheck %s < err.txt
// CHECK: dftrace: DFTRACER_START='wrong': expected running or paused; using 'running'

#include <dftrace/dftrace.h>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static __attribute__((noinline)) void other(int x)
{
    sink = x;
}

static __attribute__((noinline)) void part_one(int x)
{
    sink = x;
}

static __attribute__((noinline)) void part_two(int x)
{
    sink = x;
}

static __attribute__((no_instrument_function)) void call_all(int times)
{
    for (int i = 0; i < times; i++) {
        work(i);
        other(i);
        part_one(i);
        part_two(i);
    }
}

int main(void)
{
    call_all(10);
    dftrace_pause();
    call_all(1000);
    dftrace_pause();
    dftrace_resume(); /* pauses do not add up */
    call_all(1000);
    dftrace_disable("OTHER");
    dftrace_disable("part_*");
    dftrace_enable("part_one");
    dftrace_disable("");
    dftrace_disable("[nonsense");
    call_all(1000); /* work, part_one */
    dftrace_disable("PART");
    dftrace_enable("OTHER");
    call_all(1000); /* work, other */
    dftrace_pause();
    return 0;
}
