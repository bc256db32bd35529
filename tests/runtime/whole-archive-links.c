// Every part of libdftrace.a finds what it needs of libc, in every kind of executable. Without
// --whole-archive, a program contains some of these parts only if it calls the functions that they
// intercept.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: for kind in "-no-pie" "-pie" "-static" "-static-pie"; do \
// RUN:   %cc -O2 -fpie $kind -pthread %plugin %allow=allow.txt %s -o prog -L%libdir \
// RUN:     -Wl,--whole-archive -l:libdftrace-static.a -Wl,--no-whole-archive; \
// RUN:   DFTRACER_ENABLE=1 ./prog; \
// RUN:   %check-trace trace-prog-*.pfw.gz --only main work --count main=1 --count work=10; rm trace-*; done

static volatile int sink;

__attribute__((noinline)) static void work(int x)
{
    sink = x;
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        work(i);
    return 0;
}
