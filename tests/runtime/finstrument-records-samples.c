// The section [sample] also applies to functions that were compiled with -finstrument-functions;
// [args] is the same as [trace] there.
//
// RUN: printf 'main\n[sample]\nwork\n[args]\nvalue\n' > allow.txt
// RUN: %cc -O2 -finstrument-functions %s -o prog
// RUN: DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt LD_PRELOAD=%libdir/libdftrace.so ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --only main work value --count main=1 --count work=10 --count value=10
// RUN: zcat trace-prog-*.pfw.gz > trace.txt
// RUN: test $(grep '"name":"work"' trace.txt | grep -c '"cpu_us":') = 10
// RUN: test $(grep '"name":"value"' trace.txt | grep -c '"cpu_us":') = 0

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static __attribute__((noinline)) void value(int x)
{
    sink = x;
}

int main(void)
{
    for (int i = 0; i < 10; i++) {
        work(i);
        value(i);
    }
    return 0;
}
