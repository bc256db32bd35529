// -finstrument-functions has no token: the runtime finds the call that ends by its function and its
// stack address. Functions that use alloca, that jump to their exit hook, that a longjmp leaves for
// an outer call of themselves, and calls deeper than the shadow stack.
//
// RUN: printf 'fun:*\n' > allow.txt
// RUN: for level in -O0 -O1 -O2 -Os; do \
// RUN:   %cc $level -finstrument-functions %s -o prog \
// RUN:   && DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt LD_PRELOAD=%libdir/libdftrace.so ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count main=1 --count varies=300 --count leaf=600 \
// RUN:        --count nothing=1001 --count deep=20000 --count retry=40 --count shrink=50 --tree > tree.txt \
// RUN:   && FileCheck %s < tree.txt && rm trace-* || exit 1; done
//
// CHECK:      {{^}}  main
// CHECK-NEXT: {{^}}    varies
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}    varies
// CHECK:      {{^}}    nothing
// CHECK-NEXT: {{^}}    nothing

#include <alloca.h>
#include <setjmp.h>
#include <string.h>

static volatile int sink;
static jmp_buf target;

__attribute__((noinline)) static void leaf(char *bytes, int count)
{
    memset(bytes, 1, (size_t)count);
    sink = bytes[count / 2];
}

__attribute__((noinline)) static void varies(int count)
{
    char *some = alloca((size_t)count);

    leaf(some, count);
    if (count % 2) {
        char *more = alloca((size_t)(count * 2));
        leaf(more, count * 2);
    } else {
        leaf(some, count);
    }
}

__attribute__((noinline)) static void nothing(void) {}

__attribute__((noinline)) static int deep(int depth)
{
    return depth == 0 ? sink : deep(depth - 1) + sink;
}

/* Its innermost call goes back to the second one, past all in between, and tries once more. */
__attribute__((noinline)) static void retry(int depth)
{
    static volatile int tries;

    if (depth == 20 && tries++ == 0)
        longjmp(target, 1);
    if (depth == 20)
        return;
    if (depth == 1)
        (void)setjmp(target);
    retry(depth + 1);
    sink = depth;
}

__attribute__((noinline)) static void shrink(int depth)
{
    char bytes[64 + depth * 32];

    bytes[depth] = 1;
    sink = bytes[depth];
    if (depth > 0)
        shrink(depth - 1);
    sink = bytes[depth];
}

int main(void)
{
    for (int i = 0; i < 300; i++)
        varies(8 + i);
    for (int i = 0; i < 1000; i++)
        nothing();
    for (int i = 0; i < 4; i++)
        deep(4999);
    retry(0);
    shrink(48);
    nothing();
    shrink(0);
    return 0;
}
