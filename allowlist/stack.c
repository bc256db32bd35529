/* How much of the calling thread's stack is left. */
#include "allowlist.h"

#include <pthread.h>
#include <stdint.h>

bool dft_stack_has(size_t size)
{
    /* Once per thread: for the main thread, pthread_getattr_np reads /proc. */
    static __thread uintptr_t low, high;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if (!high) {
        pthread_attr_t attributes;
        void *base = NULL;
        size_t extent = 1;
        if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
            pthread_attr_getstack(&attributes, &base, &extent);
            pthread_attr_destroy(&attributes);
        }
        low = (uintptr_t)base;
        high = low + extent;
    }
    /* A coroutine or a signal handler may run on another stack. */
    return here > low && here < high && here - low > size;
}
