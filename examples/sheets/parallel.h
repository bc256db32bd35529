/*
 * Work on many items at once: threads that take one item after the other, until none is left.
 */
#ifndef SHEETS_PARALLEL_H
#define SHEETS_PARALLEL_H

#include <atomic>
#include <functional>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

namespace parallel
{

/* Threads that are joined when their crew goes out of scope. */
class Crew
{
  public:
    Crew(int size, const std::function<void()> &work)
    {
        for (int i = 0; i < size; i++)
            threads.emplace_back([=] {
                pthread_setname_np(pthread_self(), ("worker-" + std::to_string(i)).c_str());
                work();
            });
    }

    ~Crew()
    {
        for (std::thread &thread : threads)
            thread.join();
    }

    Crew(const Crew &) = delete;
    Crew &operator=(const Crew &) = delete;

  private:
    std::vector<std::thread> threads;
};

/* Calls work(item) for each item, from any of the workers. `work` must not throw. */
template <typename Item>
void for_each(std::vector<Item> &items, int workers, const std::function<void(Item &)> &work)
{
    std::atomic<std::size_t> next{0};
    Crew crew(workers, [&] {
        for (std::size_t i = next++; i < items.size(); i = next++)
            work(items[i]);
    });
}

} // namespace parallel

#endif
