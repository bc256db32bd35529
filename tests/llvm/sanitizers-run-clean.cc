// Sanitizers and hooks work together: no report, and the trace is complete.
//
// ThreadSanitizer sees the runtime's memcpy and strlen, but not its atomic operations, which no
// sanitizer has instrumented: it must be told to leave such libraries alone.
//
// REQUIRES: c++
// RUN: echo 'src:*sanitizers-run-clean.cc' > allow.txt
// RUN: for flags in -fsanitize=address,undefined -fsanitize=thread; do for level in -O0 -O2; do \
// RUN:   rm -f trace-*; %cxx $level -g $flags -fno-sanitize-recover=all %plugin %allow=allow.txt %s -o program %lib -pthread || exit 1; \
// RUN:   ./program || exit 1; \
// RUN:   TSAN_OPTIONS=ignore_noninstrumented_modules=1 DFTRACER_ENABLE=1 ./program 2> errors.txt || { cat errors.txt; exit 1; }; \
// RUN:   test ! -s errors.txt || { cat errors.txt; exit 1; }; \
// RUN:   %check-trace trace-*.pfw.gz --count main=1 --count work=4 --count thrower=4 --count 'Resource::Resource=4' --count 'Resource::~Resource=4' || exit 1; \
// RUN: done; done

#include <atomic>
#include <thread>
#include <vector>

struct Resource {
    int *value;
    Resource() : value(new int(1)) {}
    ~Resource()
    {
        delete value;
    }
};

__attribute__((noinline)) static int thrower(int x)
{
    if (x >= 0)
        throw x;
    return x;
}

static std::atomic<int> total;

static void work(int x)
{
    Resource resource;
    int array[4] = {1, 2, 3, 4};
    try {
        thrower(x);
    } catch (int caught) {
        total += array[caught] + *resource.value;
    }
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(work, i);
    for (std::thread &thread : threads)
        thread.join();
    return total == 14 ? 0 : 1;
}
