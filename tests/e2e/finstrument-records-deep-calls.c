// Recursion deeper than the shadow stack, with -finstrument-functions: every call is recorded, also
// of functions whose exit hook runs at another stack address, because of a jump or alloca.
//
// RUN: printf 'fun:dive*\n' > allow.txt
// RUN: for level in -O0 -O2; do %cc $level -finstrument-functions %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count dive=4503 --count dive_with_alloca=4503 \
// RUN:   && rm trace-* || exit 1; done
#include <alloca.h>

static volatile int sink;

__attribute__((noinline)) static void dive(int depth)
{
    if (depth > 0)
        dive(depth - 1);
    sink++;
}

__attribute__((noinline)) static void dive_with_alloca(int depth)
{
    volatile char *room = alloca(64 + depth % 64);
    room[0] = 1;
    if (depth > 0)
        dive_with_alloca(depth - 1);
    sink += room[0];
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        dive(1500);
        dive_with_alloca(1500);
    }
    return sink == 0;
}
