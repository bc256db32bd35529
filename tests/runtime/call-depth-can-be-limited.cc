// DFTRACER_MAX_DEPTH: calls that are nested deeper are omitted and counted, with recursion,
// exceptions, longjmp, samples, threads, and -finstrument-functions; all other calls are in the
// trace.
//
// RUN: printf 'top\nforking\nrecurse\nthrower\njumper\n[sample]\nsampled\n' > allow.txt
// RUN: %cxx -O2 -pthread -fno-optimize-sibling-calls %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1
// RUN: left_out() { zcat trace-*.pfw.gz | sed -n 's/.*"name":"end".*"left_out":\([0-9]*\),"dropped":0.*/\1/p'; }
//
// In all: 2 threads, 100 rounds each of top, recurse (10 deep), thrower (10), jumper (10), sampled
// (2).
// RUN: ./prog && %check-trace trace-*.pfw.gz --count top=200 --count recurse=2000 --count thrower=2000 \
// RUN:   --count jumper=2000 --count sampled=400 && test -z "$(left_out)" && rm trace-*
// RUN: DFTRACER_MAX_DEPTH=4 ./prog && %check-trace trace-*.pfw.gz --count top=200 --count recurse=600 \
// RUN:   --count thrower=600 --count jumper=600 --count sampled=400
// RUN: test "$(left_out)" = 4200
// RUN: %dftrace report trace-*.pfw.gz | grep '^left out   4200 calls, nested deeper than DFTRACER_MAX_DEPTH'
// RUN: %dftrace report --json trace-*.pfw.gz | grep '"left_out":4200' && rm trace-*
// RUN: DFTRACER_MAX_DEPTH=2 ./prog && %check-trace trace-*.pfw.gz --count top=200 --count recurse=200 \
// RUN:   --count thrower=200 --count jumper=200 --count sampled=200 && test "$(left_out)" = 5600 && rm trace-*
// RUN: DFTRACER_MAX_DEPTH=1 ./prog && %check-trace trace-*.pfw.gz --count top=200 --only top \
// RUN:   && test "$(left_out)" = 6400 && rm trace-*
//
// A limit above the actual depth has no effect.
// RUN: DFTRACER_MAX_DEPTH=100000 ./prog && %check-trace trace-*.pfw.gz --count recurse=2000 && rm trace-*
//
// With the hooks written in C; and in a forked child, which has the open calls of its parent.
// RUN: %cxx -O2 -pthread -mcmodel=large -fno-optimize-sibling-calls %plugin %allow=allow.txt %s -o large %lib
// RUN: DFTRACER_MAX_DEPTH=4 ./large && %check-trace trace-*.pfw.gz --count top=200 --count recurse=600 \
// RUN:   --count thrower=600 --count jumper=600 --count sampled=400 && test "$(left_out)" = 4200 && rm trace-*
// RUN: DFTRACER_MAX_DEPTH=3 ./prog fork && %check-trace trace-*.pfw.gz --count forking=2 --count recurse=4 \
// RUN:   && left_out | sort | uniq -c | grep -x ' *2 8' && rm trace-*
//
// With -finstrument-functions, whose hooks have no token.
// RUN: %cxx -O2 -pthread -fno-optimize-sibling-calls -finstrument-functions %s -o plain %lib
// RUN: DFTRACER_ALLOWLIST=allow.txt DFTRACER_MAX_DEPTH=4 ./plain
// RUN: %check-trace trace-*.pfw.gz --count top=200 --count recurse=600 --count sampled=400 && rm trace-*

#include <csetjmp>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static volatile int sink;
static thread_local jmp_buf place;

extern "C" __attribute__((noinline)) void recurse(int n)
{
    if (n > 1)
        recurse(n - 1);
    sink = n;
}

extern "C" __attribute__((noinline)) void thrower(int n)
{
    if (n == 1)
        throw n;
    thrower(n - 1);
    sink = n;
}

extern "C" __attribute__((noinline)) void jumper(int n)
{
    if (n == 1)
        longjmp(place, 1);
    jumper(n - 1);
    sink = n;
}

extern "C" __attribute__((noinline)) void sampled(int n)
{
    if (n > 1)
        sampled(n - 1);
    sink = n;
}

extern "C" __attribute__((noinline)) void top()
{
    recurse(10);
    try {
        thrower(10);
    } catch (int) {
        sink = 0;
    }
    sampled(2);
    if (setjmp(place) == 0)
        jumper(10);
}

extern "C" __attribute__((noinline)) void forking()
{
    pid_t child = fork();
    recurse(10);
    if (child > 0)
        waitpid(child, nullptr, 0);
}

static void work()
{
    for (int i = 0; i < 100; i++)
        top();
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "fork") == 0) {
        forking();
        return 0;
    }
    std::thread other(work);
    work();
    other.join();
    return 0;
}
