/* The stack of the calling thread. */
#include "allowlist.h"

#include <pthread.h>
#include <stdint.h>

bool dft_stack_has(size_t size)
{
    /* Asked for once a thread: for the main thread the answer is read from /proc. */
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
    /* A coroutine or a signal handler may be elsewhere. */
    return here > low && here < high && here - low > size;
}
