/*
 * The functions that compiled code calls for each memory access in the files under test. These are
 * compiled with -fsanitize=thread and linked without its library: the accesses become the model's
 * steps. There is one OS thread, so plain operations are atomic here.
 */
#include "tests/model/steps.h"
#include "tests/model/model.h"
#undef __asm__

#define PLAIN(size)                                                                                \
    void __tsan_read##size(const void *at);                                                        \
    void __tsan_write##size(const void *at);                                                       \
    void __tsan_unaligned_read##size(const void *at);                                              \
    void __tsan_unaligned_write##size(const void *at);                                             \
    void __tsan_volatile_read##size(const void *at);                                               \
    void __tsan_volatile_write##size(const void *at);                                              \
    void __tsan_read##size(const void *at)                                                         \
    {                                                                                              \
        model_access(at, size, false);                                                             \
    }                                                                                              \
    void __tsan_write##size(const void *at)                                                        \
    {                                                                                              \
        model_access(at, size, true);                                                              \
    }                                                                                              \
    void __tsan_unaligned_read##size(const void *at)                                               \
    {                                                                                              \
        model_access(at, size, false);                                                             \
    }                                                                                              \
    void __tsan_unaligned_write##size(const void *at)                                              \
    {                                                                                              \
        model_access(at, size, true);                                                              \
    }                                                                                              \
    void __tsan_volatile_read##size(const void *at)                                                \
    {                                                                                              \
        model_access(at, size, false);                                                             \
    }                                                                                              \
    void __tsan_volatile_write##size(const void *at)                                               \
    {                                                                                              \
        model_access(at, size, true);                                                              \
    }

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

#define ATOMIC(bits)                                                                               \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order);       \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value,            \
                                     int order);                                                   \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *at,                     \
                                                  uint##bits##_t value, int order);                \
    uint##bits##_t __tsan_atomic##bits##_fetch_add(volatile uint##bits##_t *at,                    \
                                                   uint##bits##_t value, int order);               \
    uint##bits##_t __tsan_atomic##bits##_fetch_sub(volatile uint##bits##_t *at,                    \
                                                   uint##bits##_t value, int order);               \
    uint##bits##_t __tsan_atomic##bits##_fetch_or(volatile uint##bits##_t *at,                     \
                                                  uint##bits##_t value, int order);                \
    uint##bits##_t __tsan_atomic##bits##_fetch_and(volatile uint##bits##_t *at,                    \
                                                   uint##bits##_t value, int order);               \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile uint##bits##_t *at,                 \
                                                      uint##bits##_t *expected,                    \
                                                      uint##bits##_t value, int order, int other); \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile uint##bits##_t *at,                   \
                                                    uint##bits##_t *expected,                      \
                                                    uint##bits##_t value, int order, int other);   \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order)        \
    {                                                                                              \
        (void)order;                                                                               \
        model_access((const void *)at, sizeof *at, false);                                         \
        return *at;                                                                                \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value, int order) \
    {                                                                                              \
        (void)order;                                                                               \
        model_access((const void *)at, sizeof *at, true);                                          \
        *at = value;                                                                               \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *at,                     \
                                                  uint##bits##_t value, int order)                 \
    {                                                                                              \
        (void)order;                                                                               \
        model_access((const void *)at, sizeof *at, true);                                          \
        uint##bits##_t before = *at;                                                               \
        *at = value;                                                                               \
        return before;                                                                             \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_fetch_add(volatile uint##bits##_t *at,                    \
                                                   uint##bits##_t value, int order)                \
    {                                                                                              \
        (void)order;                                                                               \
        model_access((const void *)at, sizeof *at, true);                                          \
        uint##bits##_t before = *at;                                                               \
        *at = (uint##bits##_t)(before + value);                                                    \
        return before;                                                                             \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_fetch_sub(volatile uint##bits##_t *at,                    \
                                                   uint##bits##_t value, int order)                \
    {                                                                                              \
        return __tsan_atomic##bits##_fetch_add(at, (uint##bits##_t)(0 - value), order);            \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_fetch_or(volatile uint##bits##_t *at,                     \
                                                  uint##bits##_t value, int order)                 \
    {                                                                                              \
        (void)order;                                                                               \
        model_access((const void *)at, sizeof *at, true);                                          \
        uint##bits##_t before = *at;                                                               \
        *at = before | value;                                                                      \
        return before;                                                                             \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_fetch_and(volatile uint##bits##_t *at,                    \
                                                   uint##bits##_t value, int order)                \
    {                                                                                              \
        (void)order;                                                                               \
        model_access((const void *)at, sizeof *at, true);                                          \
        uint##bits##_t before = *at;                                                               \
        *at = before & value;                                                                      \
        return before;                                                                             \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile uint##bits##_t *at,                 \
                                                      uint##bits##_t *expected,                    \
                                                      uint##bits##_t value, int order, int other)  \
    {                                                                                              \
        (void)order, (void)other;                                                                  \
        model_access((const void *)at, sizeof *at, true);                                          \
        uint##bits##_t before = *at;                                                               \
        bool is_equal = before == *expected;                                                       \
        if (is_equal)                                                                              \
            *at = value;                                                                           \
        else                                                                                       \
            *expected = before;                                                                    \
        return is_equal;                                                                           \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile uint##bits##_t *at,                   \
                                                    uint##bits##_t *expected,                      \
                                                    uint##bits##_t value, int order, int other)    \
    {                                                                                              \
        return __tsan_atomic##bits##_compare_exchange_strong(at, expected, value, order, other);   \
    }

ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)

void __tsan_init(void);
void __tsan_read_range(const void *at, size_t size);
void __tsan_write_range(const void *at, size_t size);
void __tsan_func_entry(const void *caller);
void __tsan_func_exit(void);
void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);

void __tsan_init(void) {}

void __tsan_read_range(const void *at, size_t size)
{
    model_access(at, size, false);
}

void __tsan_write_range(const void *at, size_t size)
{
    model_access(at, size, true);
}

void __tsan_func_entry(const void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void) {}

/* The model is sequentially consistent: see docs/INTERNALS.md. */
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

#undef memset
/* Word by word: a chunk may be half cleared. */
void *model_memset(void *to, int value, size_t size)
{
    size_t done = 0;

    for (; done + 8 <= size; done += 8) {
        model_access((char *)to + done, 8, true);
        memset((char *)to + done, value, 8);
    }
    memset((char *)to + done, value, size - done);
    return to;
}
