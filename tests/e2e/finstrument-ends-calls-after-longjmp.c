// Functions that jump to their exit hook, compiled with -finstrument-functions: each call ends at
// its own exit, also after a longjmp has left a call at the same stack address, and also when the
// same function is called again while tracing is paused.
//
// RUN: printf 'main\nmark\nafter\nleaves\nends\ndive\n' > allow.txt
// RUN: export DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt
// RUN: for level in -O0 -O1 -O2 -Os; do \
// RUN:   %cc $level -I%include -finstrument-functions %s -o prog %lib && ./prog \
// RUN:   && %check-trace trace-*.pfw.gz --count main=1 --count leaves=3 --count ends=3 --count mark=13 \
// RUN:     --count dive=4 --count after=3 --tree --show args.unfinished > tree.txt && rm trace-* \
// RUN:   && not grep unfinished=True tree.txt && FileCheck %s < tree.txt || exit 1; done
//
// What comes next is not inside.
// CHECK:      {{^}}    ends
// CHECK-NEXT: {{^}}      mark
// CHECK-NEXT: {{^}}      mark
// CHECK-NEXT: {{^}}      mark
// CHECK-NEXT: {{^}}    mark
// CHECK:      {{^}}    dive
// CHECK-NEXT: {{^}}      dive
// CHECK-NEXT: {{^}}        dive
// CHECK-NEXT: {{^}}          dive
// CHECK-NEXT: {{^}}          after
// CHECK-NEXT: {{^}}        after
// CHECK-NEXT: {{^}}      after
// CHECK-NEXT: {{^}}    mark

#include "dftrace/dftrace.h"

#include <setjmp.h>

static volatile int sink;
static jmp_buf place;

__attribute__((noinline)) static void mark(void)
{
    sink = sink + 1;
}

__attribute__((noinline)) static void after(void)
{
    sink = sink + 2;
}

__attribute__((noinline)) static void leaves(void)
{
    longjmp(place, 1);
}

__attribute__((noinline)) static void ends(int count)
{
    for (int i = 0; i < count; i++)
        mark();
}

/* Its four outermost calls are recorded, and not those that they make. */
__attribute__((noinline)) static void dive(int depth)
{
    if (depth == 3)
        dftrace_pause();
    if (depth < 6)
        dive(depth + 1);
    if (depth == 3)
        dftrace_resume();
    if (depth < 3)
        after();
    sink = depth;
}

int main(void)
{
    for (volatile int i = 0; i < 3; i++) {
        if (setjmp(place) == 0)
            leaves();
        ends(3);
        mark();
    }
    dive(0);
    mark();
    return 0;
}
