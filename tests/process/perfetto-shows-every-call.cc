// Perfetto itself, as it runs in the browser, shows every call, sample, value and counter of a
// trace: of a trace in one member, in many, and as plain text; of a killed program and of its
// children; with aggregated and throttled calls; and with a nesting depth that Perfetto does not
// display.
//
// REQUIRES: perfetto
//
// RUN: printf 'fun:*=APP\n[sample]\nfun:burn\nfun:*::get\n[args]\nfun:note\nfun:*::get\nfun:turn\n[aggregate]\nfun:often\n' > allow.txt
// RUN: %cxx -g -O2 -pthread %plugin %allow=allow.txt %s -o prog
// RUN: export DFTRACER_THREAD_COUNTERS=1 DFTRACER_SYSTEM_COUNTERS=1 DFTRACER_TRACE_INTERVAL_MS=10
// RUN: %dftrace run --no-report -e SAMPLE=alloc -o whole ./prog 20
// RUN: %dftrace run --no-report -e WRITE_BUFFER_SIZE=4096 -o pieces ./prog 600
// RUN: %dftrace run --no-report -e TRACE_COMPRESSION=0 -e MIN_DURATION=5us -o plain ./prog 20
// RUN: not --crash %dftrace run --no-report -e BUDGET=0.1%% -o killed ./prog 20 kill
// RUN: %perfetto whole-* pieces-* plain-* killed-* | FileCheck %s
//
// Two traces of each: the program's and its child's.
// CHECK-COUNT-8: {{[1-9][0-9]*}} slices, {{[1-9][0-9]*}} counter values, {{[1-9]}} threads
// CHECK-NOT: {{.}}

#include <complex>
#include <cstdlib>
#include <ctime>
#include <signal.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

template <typename T> struct Box {
    T value;
    __attribute__((noinline)) T get(const T &other) const
    {
        return value + other;
    }
};

__attribute__((noinline)) static int often(int x)
{
    asm volatile("" ::: "memory");
    return x ^ 5;
}

__attribute__((noinline)) static unsigned long long
note(const char *text, unsigned long long number, bool yes, char c)
{
    return yes ? number : (unsigned char)(*text + c);
}

__attribute__((noinline)) static std::complex<double> turn(double by, _Complex double z)
{
    return by * std::complex<double>(__real__ z, __imag__ z);
}

__attribute__((noinline)) static int nest(int depth)
{
    if (!depth)
        throw std::runtime_error("deep enough");
    int below = nest(depth - 1);
    asm volatile("" ::: "memory");
    return below + 1;
}

__attribute__((noinline)) static void burn(int ms)
{
    timespec now;
    long end = 0;
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        long at = now.tv_sec * 1000 + now.tv_nsec / 1000000;
        end = end ? end : at + ms;
        if (at >= end)
            return;
    } while (true);
}

static void work(int depth)
{
    for (int i = 0; i < 200; i++) {
        often(i);
        note(i % 2 ? "caf\xc3\xa9 \"\\\n" : "\xff\x01", ~0ULL - i, i % 3, '\n');
    }
    Box<std::string>{"long enough not to stay in place: "}.get(std::string(300, 'x'));
    Box<double>{0.1}.get(0.2);
    turn(1.5, 2.25);
    try {
        nest(depth);
    } catch (const std::runtime_error &) {
    }
    burn(30);
}

int main(int argc, char **argv)
{
    int depth = argc > 1 ? atoi(argv[1]) : 0;

    std::thread one(work, depth);
    std::thread other(work, depth);
    one.join();
    other.join();
    if (!fork()) {
        work(depth);
        _exit(0);
    }
    wait(nullptr);
    if (argc > 2)
        raise(SIGKILL);
    return 0;
}
