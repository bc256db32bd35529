// With -save-temps Clang writes IR before any pass runs, and optimizes it in a second process,
// where the plugin gets no arguments: the hooks are in the IR that is written, and nothing warns
// about IR that has hooks.
//
// REQUIRES: c++
// RUN: printf 'main\nwork\n' > allow.txt && echo 'int table[] = {1, 2};' > data.cc
// RUN: %each-level '%cxx $LEVEL %plugin %allow=../allow.txt -save-temps %s ../data.cc -o prog %lib 2> said.txt \
// RUN:   && count 0 < said.txt && DFTRACER_ENABLE=1 ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count main=1 --count work=10 --only main work'
//
// The same with -emit-llvm.
// RUN: %cxx -O1 %plugin %allow=allow.txt -Xclang -disable-llvm-passes -S -emit-llvm %s -o unit.ll
// RUN: %cxx -O1 %plugin %allow=allow.txt -emit-llvm -c %s -o unit.bc
// RUN: for unit in unit.ll unit.bc; do rm -f trace-*; \
// RUN:   %cxx -O2 %plugin %allow=allow.txt $unit -o prog %lib 2> said.txt && count 0 < said.txt && \
// RUN:   DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz --count main=1 --count work=10 || exit 1; \
// RUN: done
//
// If no pass runs, nothing is instrumented, and there is a warning.
// RUN: %cxx -O1 %plugin %allow=allow.txt -Xclang -disable-llvm-passes -c %s -o unit.o 2>&1 | FileCheck --check-prefix=LEFT %s
// LEFT: warning: dftrace: nothing was instrumented: the pass was loaded, but is not in this
// pipeline.
// RUN: %cxx -std=c++20 -O1 %plugin %allow=allow.txt -save-temps -DCOROUTINE -c %s -o unit.o 2>&1 | FileCheck --check-prefix=SPLIT %s
// SPLIT: warning: dftrace: the coroutine 'work' was not instrumented:

static volatile int sink;

#ifdef COROUTINE
namespace std
{
template <typename Result, typename...> struct coroutine_traits {
    using promise_type = typename Result::promise_type;
};
template <typename = void> struct coroutine_handle {
    static coroutine_handle from_address(void *) noexcept
    {
        return {};
    }
    template <typename Promise> operator coroutine_handle<Promise>() const noexcept
    {
        return {};
    }
};
} // namespace std

struct Never {
    bool await_ready() noexcept
    {
        return true;
    }
    void await_suspend(std::coroutine_handle<>) noexcept {}
    void await_resume() noexcept {}
};

struct Task {
    struct promise_type {
        Task get_return_object()
        {
            return {};
        }
        Never initial_suspend()
        {
            return {};
        }
        Never final_suspend() noexcept
        {
            return {};
        }
        void return_void() {}
        void unhandled_exception() {}
    };
};

Task work(int x)
{
    sink = sink + x;
    co_return;
}
#else
void work(int x)
{
    sink = sink + x;
}
#endif

int main()
{
    for (int i = 0; i < 10; i++)
        work(i);
    return sink == 45 ? 0 : 1;
}
