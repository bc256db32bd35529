// With -finstrument-functions, a function whose name cannot be looked up at its first call, because
// memory is exhausted, is traced from a later call on.
//
// RUN: echo work > allow.txt
// RUN: %cc -O2 -finstrument-functions %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count work=5

#include <sys/resource.h>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

__attribute__((no_instrument_function)) int main(void)
{
    struct rlimit limit, least;

    if (getrlimit(RLIMIT_AS, &limit) != 0)
        return 2;
    least = limit;
    least.rlim_cur = 4096;
    if (setrlimit(RLIMIT_AS, &least) != 0)
        return 2;
    work(0);
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 2;
    for (int i = 0; i < 5; i++)
        work(i);
    return 0;
}
