// Up to sixteen threads that start and end, random recursion, exceptions, and forks in between.
// Each process's trace has exactly the calls that the process itself has counted, for each
// function, and they nest. Calls that were open at a fork are calls of the child, too.
//
// DFTRACE_STRESS_CALLS=50000000 in the environment makes it a long test.
//
// REQUIRES: gcc-12 || clang-14
// RUN: printf 'fun:stress::*\n[never]\nfun:stress::Fall::*\n' > allow.txt
// RUN: %cxx -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: ./prog ${DFTRACE_STRESS_CALLS:-3000000} > /dev/null && not ls trace-*
// RUN: rm counts-*
// RUN: export DFTRACER_ENABLE=1
// RUN: ./prog ${DFTRACE_STRESS_CALLS:-3000000} | tee made.txt
// RUN: grep -E '^[1-9][0-9]* threads, ([3-9][0-9]|[1-9][0-9]{2,}) forks' made.txt
// RUN: cat counts-* > counts.txt
// RUN: %check-big-trace --counts counts.txt trace-prog-*.pfw.gz
//
// A spool that is far too small for so many threads changes nothing but the speed.
// RUN: rm trace-* counts-* && DFTRACER_SPOOL_MAX=256k ./prog 500000
// RUN: cat counts-* > counts.txt
// RUN: %check-big-trace --counts counts.txt trace-prog-*.pfw.gz

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

// The oracle: the calls that the program itself has counted.
namespace oracle
{

enum Function { WALK, LEAF_INT, LEAF_LONG, CLIMB, CATCH, ENTER, LEAVE, FORK, COUNT };
const char *const names[COUNT] = {"stress::walk",        "stress::leaf<int>", "stress::leaf<long>",
                                  "stress::climb",       "stress::catch_it",  "stress::Room::Room",
                                  "stress::Room::~Room", "stress::fork_now"};

std::atomic<uint64_t> total[COUNT];
thread_local uint64_t made[COUNT], open[COUNT];
thread_local int64_t budget;

struct Called {
    explicit Called(Function which) : function(which)
    {
        made[which]++;
        open[which]++;
        budget--;
    }
    ~Called()
    {
        open[function]--;
    }
    Function function;
};

void add_up()
{
    for (int i = 0; i < COUNT; i++) {
        total[i] += made[i];
        made[i] = 0;
    }
}

// In a forked child: it has made no call yet, and the calls that are open in its parent are open.
void begin_anew()
{
    for (int i = 0; i < COUNT; i++) {
        total[i] = 0;
        made[i] = open[i];
    }
}

// Without stdio: another thread may have held its lock during the fork.
void write_down()
{
    char text[1024];
    int length = 0;
    for (int i = 0; i < COUNT; i++)
        length += snprintf(text + length, sizeof text - length, "%d %llu %s\n", (int)getpid(),
                           (unsigned long long)total[i], names[i]);
    snprintf(text + length, sizeof text - length, "counts-%d", (int)getpid());
    int fd = open64(text + length, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0 || write(fd, text, (size_t)length) != length)
        abort();
    close(fd);
}

} // namespace oracle

using oracle::budget;
using oracle::Called;

struct Random {
    uint64_t state;
    uint32_t operator()()
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (uint32_t)(state >> 33);
    }
};

static thread_local int64_t fork_at; // fork when the budget has come down to this
static bool fork_outside;            // of every call
static thread_local bool in_child;
static thread_local volatile uint64_t sink;
static std::atomic<uint64_t> threads, forks;

namespace stress
{

template <typename T> __attribute__((noinline)) T leaf(T x)
{
    Called called(sizeof(T) == sizeof(int) ? oracle::LEAF_INT : oracle::LEAF_LONG);
    sink = sink + (uint64_t)x;
    return x + 1;
}

struct Room {
    explicit Room(Random &random)
    {
        Called called(oracle::ENTER);
        if (random() % 64 == 0)
            leaf<int>(1);
    }
    ~Room()
    {
        Called called(oracle::LEAVE);
        sink = sink + 1;
    }
};

struct Fall : std::runtime_error {
    Fall() : std::runtime_error("fell") {}
};

__attribute__((noinline)) int climb(Random &random, unsigned height)
{
    Called called(oracle::CLIMB);
    Room room(random);
    if (height == 0)
        throw Fall();
    return climb(random, height - 1) + 1;
}

__attribute__((noinline)) int catch_it(Random &random)
{
    Called called(oracle::CATCH);
    try {
        return climb(random, random() % 12);
    } catch (const Fall &) {
        return leaf<int>(0);
    }
}

__attribute__((noinline)) void fork_now(Random &random);

__attribute__((noinline)) long walk(Random &random, unsigned depth)
{
    Called called(oracle::WALK);
    long sum = 0;
    uint32_t choice = random();
    for (unsigned i = 0; i < choice % 4; i++)
        sum += choice & 16 ? leaf<int>(3) : leaf<long>(4);
    if (choice % 8 == 0) {
        Room room(random);
        sum += leaf<long>(5);
    }
    if (choice / 8 % 128 == 0)
        sum += catch_it(random);
    if (choice / 8 % 128 == 1 && depth < 30)
        throw Fall();
    if (budget < fork_at)
        fork_now(random);
    for (unsigned i = 0; depth > 0 && budget > 0 && i < 1 + choice / 1024 % 2; i++)
        sum += walk(random, depth - 1);
    return sum;
}

} // namespace stress

static void work(Random &random)
{
    while (budget > 0) {
        try {
            stress::walk(random, random() % 40);
        } catch (const stress::Fall &) {
        }
    }
}

static void finish_child(Random &random)
{
    work(random);
    oracle::add_up();
    oracle::write_down();
    exit(0);
}

static void wait_for_child(pid_t child)
{
    int status;
    forks++;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        abort();
}

static void fork_between_calls(Random &random)
{
    pid_t child = fork();
    if (child == 0) {
        oracle::begin_anew();
        budget = 1000;
        finish_child(random);
    }
    wait_for_child(child);
}

static void run(uint64_t seed, int64_t calls, bool with_fork)
{
    Random random = {seed * 2654435761u + 1};
    threads++;
    budget = calls;
    fork_at = with_fork && !fork_outside ? (int64_t)(random() % (uint64_t)calls) : INT64_MIN;
    work(random);
    if (with_fork && fork_outside)
        fork_between_calls(random);
    if (in_child) { // of a fork that returned all the way up
        std::thread one(run, seed + 1, 300, false), two(run, seed + 2, 300, false);
        one.join();
        two.join();
    }
    oracle::add_up();
    if (in_child) {
        oracle::write_down();
        exit(0);
    }
}

__attribute__((noinline)) void stress::fork_now(Random &random)
{
    Called called(oracle::FORK);
    fork_at = INT64_MIN;
    pid_t child = fork();
    if (child == 0) {
        in_child = true;
        oracle::begin_anew();
        budget = 1000;
        if (random() % 2 == 0)
            return;
        finish_child(random);
    }
    wait_for_child(child);
}

int main(int argc, char **argv)
{
    const int64_t calls = argc > 1 ? atoll(argv[1]) : 1000000;
    const int64_t each = calls > 10000000 ? 5000 : 1000;
    const int64_t rounds = calls / each / 16 + 1;
    std::vector<std::thread> lanes;
    fork_outside = argc > 2;

    alarm(1200);
    for (int lane = 0; lane < 16; lane++)
        lanes.emplace_back([=] {
            for (int64_t i = 0; i < rounds; i++) {
                bool with_fork = i % (rounds / 3 + 1) == rounds / 4 || i == rounds - 1;
                std::thread(run, (uint64_t)(i * 16 + lane), each, with_fork).join();
            }
        });
    for (std::thread &lane : lanes)
        lane.join();
    oracle::write_down();
    printf("%llu threads, %llu forks\n", (unsigned long long)threads, (unsigned long long)forks);
    return 0;
}
