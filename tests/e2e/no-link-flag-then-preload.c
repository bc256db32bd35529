// Compiled with the plugin and linked without the runtime: the program does not depend on dftrace
// and runs alone; with the runtime preloaded it writes a complete trace.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt %s -o prog \
// RUN:   && readelf -dW prog | FileCheck %s --implicit-check-not=dftrace \
// RUN:   && ldd prog | FileCheck %s --check-prefix=LDD --implicit-check-not=dftrace \
// RUN:   && DFTRACER_ENABLE=1 ./prog && not ls trace-* \
// RUN:   && DFTRACER_ENABLE=1 LD_PRELOAD=%libdir/libdftrace.so ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --only main work --count main=1 --count work=1000'
//
// CHECK: NEEDED
// LDD:   libc.so

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

int main(void)
{
    for (int i = 0; i < 1000; i++)
        work(i);
    return 0;
}
