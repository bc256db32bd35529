// Each call has its own values, however it begins and ends: recursion, exceptions, longjmp, signal
// handlers at any moment, several threads, a forked child that returns from calls of its parent,
// calls deeper than the shadow stack.
//
// RUN: printf '[args]\ntwice\ndeep\nthrows\njumps\nforks\naround\nhandler\n' > allow.txt
// RUN: %each-level --three '%cxx -std=c++17 -pthread $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz \
// RUN:   && %show-values trace-prog-*.pfw.gz > values.txt && %{python} %S/Inputs/check-own-values.py values.txt'

#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#define PART __attribute__((noinline))

static volatile sig_atomic_t handled;
static volatile int sink;
static jmp_buf target;

extern "C" PART long twice(long n, const char *text, const std::string &own)
{
    sink = static_cast<int>(own.size()) + text[0];
    return 2 * n;
}

extern "C" PART int deep(int n)
{
    int below = n == 0 ? 0 : deep(n - 1);
    sink = below;
    return below + 1;
}

extern "C" PART int throws(int n)
{
    if (n % 2)
        throw n;
    return n + 1;
}

extern "C" PART int jumps(int n)
{
    if (n % 2)
        longjmp(target, 1);
    return n + 1;
}

extern "C" PART int forks(int n)
{
    pid_t child = fork();
    if (child > 0)
        waitpid(child, nullptr, 0);
    return child == 0 ? 2 * n : 3 * n;
}

extern "C" PART int around(int n)
{
    return forks(n) + 1;
}

extern "C" PART void handler(int number)
{
    handled = handled + (number == SIGPROF);
}

static void run(long first)
{
    for (long n = first; n < first + 3000; n++) {
        std::string text = std::to_string(n);
        twice(n, text.c_str(), text);
    }
}

int main()
{
    struct sigaction action = {};
    struct itimerval often = {{0, 500}, {0, 500}};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, nullptr);
    setitimer(ITIMER_PROF, &often, nullptr);

    std::thread one(run, 0), two(run, 10000000);
    run(20000000);
    one.join();
    two.join();
    deep(2000);
    for (int n = 0; n < 10; n++)
        try {
            throws(n);
        } catch (int) {
        }
    for (volatile int n = 0; n < 11; n = n + 1)
        if (setjmp(target) == 0)
            jumps(n);
    while (!handled)
        sink = 1;
    setitimer(ITIMER_PROF, nullptr, nullptr);
    pid_t parent = getpid();
    around(7);
    if (getpid() != parent)
        run(30000000);
    return 0;
}
