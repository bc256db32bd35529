// Clang's -finstrument-functions-after-inlining: the functions that remain after inlining are
// traced.
//
// REQUIRES: clang
// RUN: printf 'fun:*\n' > allow.txt
// RUN: %cc -O2 -finstrument-functions-after-inlining %s -o prog
// RUN: DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt LD_PRELOAD=%libdir/libdftrace.so ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --only main kept --count main=1 --count kept=100

static volatile int sink;

static inline __attribute__((always_inline)) void inlined(int x)
{
    sink += x;
}

static __attribute__((noinline)) void kept(int x)
{
    inlined(x);
}

int main(void)
{
    for (int i = 0; i < 100; i++)
        kept(i);
    return 0;
}
