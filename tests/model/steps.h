/*
 * Included in front of every file under test. Inline assembly is invisible to the instrumentation
 * that finds memory accesses (steps.c). The only assembly that matters changes `next` of its thread.
 */
#ifndef DFT_MODEL_STEPS_H
#define DFT_MODEL_STEPS_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/futex.h"
#include "os/kernel.h" /* its assembly is not of interest */

void model_touch_next(void);
void *model_memset(void *to, int value, size_t size);
int model_madvise(void *address, size_t size, int advice);
void *model_mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset);
int model_munmap(void *address, size_t size);
void model_futex_wait(const void *word, uint32_t seen);

#define __asm__                                                                                    \
    model_touch_next();                                                                            \
    __asm__
#define memset model_memset
#define madvise model_madvise
#define mmap model_mmap
#define munmap model_munmap
#define dft_futex_wait(word, seen, timeout_ns, scope)                                              \
    ((void)(timeout_ns), model_futex_wait(word, seen))
#define dft_futex_wake(word, scope) ((void)(word))

#endif
