// DFTRACER_AGGREGATE: calls of all functions, of those that patterns name, or of those in
// [aggregate] in the allowlist of the compiler or of the run, have no events. Their count, total,
// minimum and maximum are exact, also for a library, for a forked child, and for functions that
// were compiled with -finstrument-functions.
//
// RUN: printf 'main\nfun:hash::*\n[aggregate]\nfun:marked\n' > allow.txt
// RUN: %cxx -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1
// RUN: check() { %check-trace trace-*.pfw.gz && %same-totals trace-*.pfw.gz && rm trace-*; }
//
// With the allowlist that it was compiled with.
// RUN: ./prog && printf 'marked 2000 0\nhash::one 20000 20000\nhash::two 6000 6000\nmain 2 2\n' | check
//
// With patterns; a comma inside brackets is part of a name.
// RUN: DFTRACER_AGGREGATE='fun:hash::on*,hash::pair<int, long>' ./prog
// RUN: zcat trace-*.pfw.gz | not grep '"name":"hash::pair<int, long>"'
// RUN: %check-trace trace-*.pfw.gz --count 'hash::pair<int, long>=10'
// RUN: printf 'marked 2000 0\nhash::one 20000 0\nhash::two 6000 6000\n' | check
// RUN: DFTRACER_AGGREGATE=src:*/functions-can-be-*.cc ./prog && printf 'marked 2000 0\nhash::two 6000 0\nmain 2 0\n' | check
//
// All functions, also with DFTracer's name of the option; the default is none.
// RUN: DFTRACER_AGGREGATE=all ./prog && printf 'marked 2000 0\nhash::one 20000 0\nhash::two 6000 0\nmain 2 0\n' | check
// RUN: DFTRACER_ENABLE_AGGREGATION=1 ./prog && printf 'hash::one 20000 0\nmain 2 0\n' | check
// RUN: DFTRACER_AGGREGATE=none ./prog && printf 'marked 2000 0\nhash::one 20000 20000\n' | check
//
// With the allowlist of the run.
// RUN: printf 'main\n[aggregate]\nfun:hash::two\n' > run.txt
// RUN: DFTRACER_ALLOWLIST=run.txt ./prog && printf 'hash::two 6000 0\nmain 2 2\n' | check
// RUN: %cxx -O2 -pthread -finstrument-functions %s -o plain %lib
// RUN: DFTRACER_ALLOWLIST=run.txt ./plain && printf 'hash::two 6000 0\nmain 2 2\n' | check
// RUN: DFTRACER_ALLOWLIST=allow.txt DFTRACER_AGGREGATE='hash::o*' ./plain \
// RUN:   && printf 'marked 2000 0\nhash::one 20000 0\nhash::two 6000 6000\nmain 2 2\n' | check
//
// Under `dftrace run`, where another process writes.
// RUN: DFTRACER_AGGREGATE=all %dftrace run --no-report ./prog && printf 'marked 2000 0\nhash::two 6000 0\n' | check
//
// The allowlist language knows the section.
// RUN: { %dftrace check allow.txt && %dftrace check allow.txt marked; } | FileCheck %s
// CHECK: 4 fun:marked {{.*}}traces the function marked; its calls are added up, none has an event of its own
// CHECK: marked: traced as FUNC, its calls added up, by line 4: fun:marked in [aggregate]

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static volatile long sink;

namespace hash
{

__attribute__((noinline)) void one(long x)
{
    sink = x;
}

__attribute__((noinline)) void two(long x)
{
    sink = x;
}

template <typename A, typename B> __attribute__((noinline)) void pair(A a, B b)
{
    sink = a + b;
}

} // namespace hash

__attribute__((noinline)) void marked(long x)
{
    sink = x;
}

static void work()
{
    for (long i = 0; i < 5000; i++)
        hash::one(i);
    for (long i = 0; i < 500; i++)
        marked(i);
}

int main()
{
    std::thread other(work);
    work();
    other.join();
    for (long i = 0; i < 3000; i++)
        hash::two(i);
    for (int i = 0; i < 5; i++)
        hash::pair<int, long>(i, i);
    /* The child goes on with the calls that are open, and makes as many. */
    pid_t child = fork();
    if (child == 0) {
        std::thread again(work);
        work();
        again.join();
        for (long i = 0; i < 3000; i++)
            hash::two(i);
        for (int i = 0; i < 5; i++)
            hash::pair<int, long>(i, i);
        return 0;
    }
    waitpid(child, nullptr, 0);
    return 0;
}
