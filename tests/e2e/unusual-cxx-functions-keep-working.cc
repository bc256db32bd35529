// Unusual C++ functions, instrumented: function try blocks, exceptions out of constructors,
// rethrowing, thunks of multiple inheritance, constexpr, function-local and thread-local statics.
// Results stay the same, every call ends, and there is no new warning.
//
// REQUIRES: c++
// RUN: printf 'src:*unusual-cxx*\n' > allow.txt
// RUN: %each-level '%cxx $LEVEL -std=c++17 -Wall -Wextra -Wno-comment -Werror %plugin \
// RUN:      %allow=../allow.txt %s -o prog %lib -pthread \
// RUN:   && DFTRACER_ENABLE=1 ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count "Member::Member=2" --count "Member::~Member=2" \
// RUN:     --count rethrows=1 --count thrower=2 --count Derived::second=2 --count counted=3 --count square=1 \
// RUN:     --count "Lazy::Lazy=1" --count "PerThread::PerThread=2" --count "PerThread::~PerThread=2" \
// RUN:     --tree --show args.unfinished > tree.txt \
// RUN:   && not grep unfinished=True tree.txt'

#include <cstdio>
#include <stdexcept>
#include <thread>

static int alive;

struct Member {
    Member()
    {
        alive++;
    }
    ~Member()
    {
        alive--;
    }
};

static void thrower(int value)
{
    if (value > 0)
        throw value;
}

struct Failing {
    Member first;
    Member second;
    explicit Failing(int value)
    try : first(), second() {
        thrower(value);
    } catch (int caught) {
        throw std::runtime_error("failed");
    }
};

static void rethrows()
{
    try {
        thrower(5);
    } catch (...) {
        throw;
    }
}

struct Base1 {
    virtual int first()
    {
        return 1;
    }
    virtual ~Base1() = default;
};

struct Base2 {
    virtual int second()
    {
        return 2;
    }
    virtual ~Base2() = default;
};

struct Derived : Base1, Base2 {
    int first() override
    {
        return 10;
    }
    int second() override
    {
        return 20;
    }
};

struct Lazy {
    int value;
    Lazy() : value(6) {}
};

static int counted()
{
    static Lazy lazy;
    return lazy.value++;
}

static constexpr int square(int x)
{
    return x * x;
}

static_assert(square(5) == 25, "evaluated by the compiler, and so never called");

struct PerThread {
    int value = 1;
    PerThread()
    {
        value = 2;
    }
    ~PerThread()
    {
        value = 3;
    }
};

static thread_local PerThread per_thread;

static int failures;

static void expect(const char *what, long found, long wanted)
{
    if (found == wanted)
        return;
    failures++;
    std::fprintf(stderr, "%s: %ld, expected %ld\n", what, found, wanted);
}

int main(int argc, char **)
{
    int caught = 0;
    try {
        Failing failing(argc);
    } catch (const std::runtime_error &) {
        caught = 1;
    }
    expect("function try block", caught, 1);
    expect("members destroyed", alive, 0);
    try {
        rethrows();
    } catch (int value) {
        caught = value;
    }
    expect("rethrown", caught, 5);

    Derived derived;
    Base2 *base = &derived;
    expect("through a thunk", base->second() + derived.second(), 40);
    counted();
    counted();
    expect("local static", counted(), 8);
    expect("at run time", square(argc + 1), 4);

    int other = 0;
    std::thread thread([&other] { other = per_thread.value; });
    thread.join();
    expect("thread-local", other + per_thread.value, 4);
    return failures;
}
