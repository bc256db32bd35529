// A C++ program that ends by std::terminate, for whatever reason, has a complete trace and ends as
// without tracing, including its message.
//
// RUN: printf 'main\nwork(int)\nfun:fall*\n' > allow.txt
// RUN: %cxx -O2 -pthread %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: %check-death ./prog throw noexcept terminate destructor thread

#include "death.h"

#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static __attribute__((noinline)) void fall()
{
    throw std::runtime_error("nobody catches this");
}

static __attribute__((noinline)) void fall_in_noexcept() noexcept
{
    fall();
}

struct joined_by_nobody {
    std::thread thread{[] {}};
};

int main(int, char **argv)
{
    struct tally *count = tally("work");
    const std::string way = argv[1];

    for (int i = 0; i < 100; i++) {
        work(i);
        count->completed = count->completed + 1;
    }
    // Whether the stack is unwound before std::terminate depends on the compiler; each function
    // that was called is there either way.
    for (const char *name : {"main", "fall", "fall_in_noexcept"})
        tally(name)->at_least = 1;
    if (way == "throw")
        fall();
    else if (way == "noexcept")
        fall_in_noexcept();
    else if (way == "terminate")
        std::terminate();
    else if (way == "destructor")
        joined_by_nobody object;
    else
        std::thread(fall).join();
    return 0;
}
