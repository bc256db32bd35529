// Calls that begin while recording is paused, or while their function is switched off, and end
// while it is on: such an exit hook has no matching enter hook. It must not end an outer call of
// the same function. The calls of a function that uses alloca, whose exit hook always runs at a
// lower stack address, must still end.
//
// RUN: printf 'leaf\ntells\nvaries\ntakes\nplain\n' > allow.txt
// RUN: export DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt
// RUN: for level in -O0 -O1 -O2 -Os '-O2 -fno-omit-frame-pointer'; do \
// RUN:   %cc $level -I%include -finstrument-functions %s -o prog %lib || exit 1; \
// RUN:   DFTRACER_START=paused ./prog && %check-trace trace-prog-*.pfw.gz --tree > tree.txt && FileCheck --strict-whitespace %s < tree.txt \
// RUN:   && gunzip -c trace-prog-*.pfw.gz > trace.txt && not grep unfinished trace.txt && rm trace-* || exit 1; done
//
// CHECK:      {{^}}  tells
// CHECK-NEXT: {{^}}    leaf
// CHECK-NEXT: {{^}}  varies
// CHECK-NEXT: {{^}}    leaf
// CHECK-NEXT: {{^}}  takes
// CHECK-NEXT: {{^}}    leaf
// CHECK-NEXT: {{^}}  plain
// CHECK-NEXT: {{^}}    leaf
// CHECK-NEXT: {{^}}  varies
// CHECK-NEXT: {{^}}    varies
// CHECK-NEXT: {{^}}      varies
// CHECK-NEXT: {{^}}        leaf
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}    leaf
// CHECK-NEXT: {{^}}  takes
// CHECK-NEXT: {{^}}    takes
// CHECK-NEXT: {{^}}      takes
// CHECK-NEXT: {{^}}        leaf
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}    leaf
// CHECK-NEXT: {{^}}  plain
// CHECK-NEXT: {{^}}    plain
// CHECK-NEXT: {{^}}      plain
// CHECK-NEXT: {{^}}        leaf
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}    leaf
// CHECK-NEXT: {{^}}  tells
// CHECK-NEXT: {{^}}    leaf
// CHECK-NOT:  {{.}}

#include "dftrace/dftrace.h"

#include <alloca.h>
#include <string.h>

#define SWITCHED 3

static volatile int sink;

__attribute__((noinline)) static void leaf(void)
{
    sink = 1;
}

/* Says where the stack of open calls is. */
__attribute__((noinline)) static int tells(void)
{
    leaf();
    return sink;
}

/* From there on calls are not recorded, but what the innermost recorded one calls last. */
__attribute__((no_instrument_function)) static void pause_at(int depth)
{
    if (depth == SWITCHED)
        dftrace_pause();
}

__attribute__((no_instrument_function)) static void resume_at(int depth)
{
    if (depth == SWITCHED)
        dftrace_resume();
}

__attribute__((noinline)) static int varies(int depth)
{
    char bytes[24 * (depth + 1)];
    int sum;

    memset(bytes, depth, sizeof bytes);
    pause_at(depth);
    sum = depth > 0 && depth != 9 ? varies(depth - 1) : 0;
    resume_at(depth);
    leaf();
    return sum + bytes[depth];
}

/* At -O2 it jumps to its exit hook, when what alloca took has been given back. */
__attribute__((noinline)) static void takes(int depth)
{
    char *bytes = alloca(24 * ((size_t)depth + 1));

    memset(bytes, depth, 24);
    pause_at(depth);
    if (depth > 0 && depth != 9)
        takes(depth - 1);
    resume_at(depth);
    leaf();
    sink = bytes[depth];
}

__attribute__((noinline)) static int plain(int depth)
{
    int sum;

    pause_at(depth);
    sum = depth > 0 && depth != 9 ? plain(depth - 1) : 0;
    resume_at(depth);
    leaf();
    return sum + depth;
}

__attribute__((no_instrument_function)) int main(void)
{
    dftrace_resume();
    tells();
    varies(9);
    takes(9);
    plain(9);
    varies(SWITCHED + 2);
    takes(SWITCHED + 2);
    plain(SWITCHED + 2);
    tells();
    return 0;
}
