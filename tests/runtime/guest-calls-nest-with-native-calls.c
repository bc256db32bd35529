// Functions of an interpreter nest with functions that are compiled with the plugin, with regions, and with callbacks into the
// interpreter. Many of them run in one stack frame. A native function that the interpreter calls is inside the guest function,
// wherever on the stack it is.
//
// RUN: printf 'main\nnative\ncalls_back\nfun:guest_*=GUEST\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt -I%include %support %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1 --count guest_outer=1000 --count guest_inner=4000 --count native=3000
// RUN: %show-events trace-prog-*.pfw.gz > shown.txt
// RUN: head -16 shown.txt | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:thread prog
// CHECK-NEXT:  region main [FUNC]
// CHECK-NEXT:    region guest_outer [GUEST]
// CHECK-NEXT:      region guest_inner [GUEST]
// CHECK-NEXT:        region guest_inner [GUEST]
// CHECK-NEXT:          region native [FUNC]
// CHECK-NEXT:      region native [FUNC]
// CHECK-NEXT:      region calls_back [FUNC]
// CHECK-NEXT:        region guest_inner [GUEST]
// CHECK-NEXT:          region in guest
// CHECK-NEXT:            region native [FUNC]
// CHECK-NEXT:      region begun
// CHECK-NEXT:        region guest_inner [GUEST]
// CHECK-NEXT:    region guest_outer [GUEST]
// CHECK-NEXT:      region guest_inner [GUEST]
// CHECK-NEXT:        region guest_inner [GUEST]
// The runtime works the same in a spool whose writer is in another process.
// RUN: rm trace-* && %dftrace run --no-report -e ALLOWLIST=allow.txt -- ./prog && %show-events trace-prog-*.pfw.gz | tail -n +2 > hosted.txt
// RUN: tail -n +2 shown.txt | cmp - hosted.txt

#include "guest.h"

static struct dftrace_site *outer, *inner;
static volatile int sink;

static NOINLINE void native(int x)
{
    sink = x;
}

/* Another loop of the interpreter, deeper in the stack. */
static NOINLINE void nested_loop(void)
{
    enter_guest(inner, LOOP_FRAME());
    {
        DFTRACE_SCOPE("in guest");
        take_time();
        native(3);
        take_time();
    }
    exit_guest(inner);
}

static NOINLINE void calls_back(void)
{
    take_time();
    nested_loop();
    take_time();
}

static NOINLINE void loop(void)
{
    void *stack = LOOP_FRAME();

    enter_guest(outer, stack);
    enter_guest(inner, stack);
    enter_guest(inner, stack);
    native(1);
    exit_guest(inner);
    exit_guest(inner);
    native(2);
    calls_back();
    dftrace_begin("begun");
    take_time();
    enter_guest(inner, stack);
    exit_guest(inner);
    take_time();
    dftrace_end();
    exit_guest(outer);
}

int main(void)
{
    if (!__dftrace_guest_wanted(NULL))
        return 1;
    outer = new_site("guest_outer");
    inner = new_site("guest_inner");
    for (int i = 0; i < 1000; i++)
        loop();
    return 0;
}
