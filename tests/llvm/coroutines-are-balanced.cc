// A coroutine is one function in the source and several in the program: one runs until the first
// suspension, one resumes, one cleans up. Each run of a part is an event, which ends at the
// suspension; the calls around it nest as usual.
//
// Which headers know of coroutines depends on compiler, library and both their versions: the few
// declarations that it takes stand here.
//
// REQUIRES: c++
// RUN: printf 'src:*coroutines-are-balanced.cc\n[never]\nfun:std::*\nfun:Sequence::*\n' > allow.txt
// RUN: %each-level '%cxx $LEVEL -std=c++20 %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && ./prog && DFTRACER_ENABLE=1 ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count main=1 --count drive=1 --count observe=3 \
// RUN:      --tree --show args.unfinished > tree.txt \
// RUN:   && not grep unfinished=True tree.txt && grep -c "^    *numbers" tree.txt | grep -qx 5 \
// RUN:   && FileCheck %s --input-file=tree.txt'
//
// CHECK:      {{^}}  main
// CHECK-NEXT: {{^}}    drive
// CHECK-NEXT: {{^}}      numbers
// CHECK-NEXT: {{^}}      numbers
// CHECK-NEXT: {{^}}        observe
// CHECK-NEXT: {{^}}      numbers
// CHECK-NEXT: {{^}}        observe
// CHECK-NEXT: {{^}}      numbers
// CHECK-NEXT: {{^}}        observe
// CHECK-NEXT: {{^}}      numbers
// CHECK-NOT:  numbers

namespace std
{
template <typename Result, typename...> struct coroutine_traits {
    using promise_type = typename Result::promise_type;
};

template <typename Promise = void> struct coroutine_handle;

template <> struct coroutine_handle<void> {
    void *frame = nullptr;
    static coroutine_handle from_address(void *address) noexcept
    {
        coroutine_handle handle;
        handle.frame = address;
        return handle;
    }
    void *address() const noexcept
    {
        return frame;
    }
    void resume() const
    {
        __builtin_coro_resume(frame);
    }
    void destroy() const
    {
        __builtin_coro_destroy(frame);
    }
    bool done() const
    {
        return __builtin_coro_done(frame);
    }
};

template <typename Promise> struct coroutine_handle : coroutine_handle<> {
    static coroutine_handle from_address(void *address) noexcept
    {
        coroutine_handle handle;
        handle.frame = address;
        return handle;
    }
    static coroutine_handle from_promise(Promise &promise)
    {
        return from_address(__builtin_coro_promise(&promise, alignof(Promise), true));
    }
    Promise &promise() const
    {
        return *static_cast<Promise *>(__builtin_coro_promise(frame, alignof(Promise), false));
    }
};

struct suspend_always {
    bool await_ready() const noexcept
    {
        return false;
    }
    void await_suspend(coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept {}
};
} // namespace std

struct Sequence {
    struct promise_type {
        int value = 0;
        Sequence get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        std::suspend_always yield_value(int next)
        {
            value = next;
            return {};
        }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};

static volatile int observed;

__attribute__((noinline)) static void observe(int value)
{
    observed = observed + value;
}

Sequence numbers(int count)
{
    for (int i = 0; i < count; i++) {
        observe(i);
        co_yield i;
    }
    observe(100);
}

__attribute__((noinline)) int drive(int count)
{
    Sequence sequence = numbers(count); // the optimizer sees all of it
    int sum = 0;
    for (sequence.handle.resume(); !sequence.handle.done(); sequence.handle.resume())
        sum += sequence.handle.promise().value;
    sequence.handle.destroy();
    return sum;
}

int main()
{
    return drive(2) == 1 && observed == 101 ? 0 : 1;
}
