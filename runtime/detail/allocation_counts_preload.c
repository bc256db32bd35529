/*
 * libdftrace-preload.so: counts each thread's allocations. Its functions are interposed before
 * those of the program's allocator, whichever that is, and pass every call on to it.
 *
 * Runs in every thread and context that allocates. No lock, no system call. Looking up the next
 * allocator may itself allocate: until that allocator is known, memory comes from a small static
 * block and is never freed.
 */
#include "runtime/detail/allocation_counts.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define EARLY_SIZE 16384
#define ALIGNMENT 16

static __thread struct dft_heap made __attribute__((tls_model("initial-exec")));
static __thread bool looking_up __attribute__((tls_model("initial-exec")));

/* Each piece is preceded by its size, in a header that keeps the piece aligned. */
static _Alignas(ALIGNMENT) char early[EARLY_SIZE];
static size_t early_used;

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
} next;

EXPORT void __dftrace_heap(struct dft_heap *heap)
{
    *heap = made;
}

static void *find(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* False during the lookup itself. Two threads that race find the same functions. */
static bool is_ready(void)
{
    if (__builtin_expect(__atomic_load_n(&next.malloc, __ATOMIC_ACQUIRE) != NULL, 1))
        return true;
    if (looking_up)
        return false;
    looking_up = true;
    *(void **)&next.calloc = find("calloc");
    *(void **)&next.realloc = find("realloc");
    *(void **)&next.free = find("free");
    *(void **)&next.posix_memalign = find("posix_memalign");
    *(void **)&next.aligned_alloc = find("aligned_alloc");
    *(void **)&next.memalign = find("memalign");
    *(void **)&next.valloc = find("valloc");
    *(void **)&next.pvalloc = find("pvalloc");
    void *first = find("malloc");
    looking_up = false;
    __atomic_store_n((void **)&next.malloc, first, __ATOMIC_RELEASE);
    return first != NULL;
}

__attribute__((constructor(101))) static void begin(void)
{
    is_ready();
}

static void *allocate_early(size_t size)
{
    size_t whole = (size + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t at = __atomic_fetch_add(&early_used, whole, __ATOMIC_RELAXED);

    if (size > EARLY_SIZE || at + whole > EARLY_SIZE) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(early + at, &size, sizeof size);
    return early + at + ALIGNMENT;
}

static bool is_early(const void *block)
{
    return (const char *)block >= early && (const char *)block < early + EARLY_SIZE;
}

/* A failed allocation is not counted. */
static void *count(void *block, size_t bytes)
{
    if (block) {
        made.bytes += bytes;
        made.count++;
    }
    return block;
}

EXPORT void *malloc(size_t size)
{
    return is_ready() ? count(next.malloc(size), size) : allocate_early(size);
}

EXPORT void *calloc(size_t number, size_t size)
{
    size_t bytes;

    if (is_ready())
        return count(next.calloc(number, size), number * size);
    if (__builtin_mul_overflow(number, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate_early(bytes); /* static and never used before: all zero */
}

EXPORT void *realloc(void *block, size_t size)
{
    if (!is_early(block) && is_ready())
        return count(next.realloc(block, size), size);
    void *moved = malloc(size);
    if (moved && block) {
        size_t old;
        memcpy(&old, (char *)block - ALIGNMENT, sizeof old);
        memcpy(moved, block, old < size ? old : size);
    }
    return moved;
}

EXPORT void *reallocarray(void *block, size_t number, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(number, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

EXPORT void free(void *block)
{
    if (!is_early(block) && is_ready())
        next.free(block);
}

EXPORT int posix_memalign(void **block, size_t alignment, size_t size)
{
    int error = is_ready() ? next.posix_memalign(block, alignment, size) : ENOMEM;

    if (!error)
        count(*block, size);
    return error;
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return is_ready() ? count(next.aligned_alloc(alignment, size), size) : NULL;
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    return is_ready() && next.memalign ? count(next.memalign(alignment, size), size) : NULL;
}

EXPORT void *valloc(size_t size)
{
    return is_ready() && next.valloc ? count(next.valloc(size), size) : NULL;
}

EXPORT void *pvalloc(size_t size)
{
    return is_ready() && next.pvalloc ? count(next.pvalloc(size), size) : NULL;
}
