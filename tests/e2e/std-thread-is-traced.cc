// C++ threads: a lambda and a member function run by std::thread, an exception caught inside one.
//
// REQUIRES: c++
// RUN: printf 'fun:Job::*\nfails\n' > allow.txt
// RUN: %cxx -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count Job::run=4 --count Job::step=400 --count fails=4

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

static void fails()
{
    throw std::runtime_error("fails");
}

struct Job {
    std::atomic<int> steps{0};

    void step()
    {
        steps++;
    }

    void run()
    {
        for (int i = 0; i < 100; i++)
            step();
        try {
            fails();
        } catch (const std::exception &) {
        }
    }
};

int main()
{
    Job job;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(&Job::run, &job);
    for (auto &thread : threads)
        thread.join();
    return job.steps == 400 ? 0 : 1;
}
