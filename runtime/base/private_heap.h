/*
 * A heap of the runtime's own, for what hooks may need at a function's first call: names and rules.
 * The program's heap may be locked by the very thread that a signal handler has interrupted, may be
 * instrumented, or broken.
 *
 * All of it below dft_private_heap_lock, which is taken with signals blocked.
 */
#ifndef DFT_RUNTIME_BASE_PRIVATE_HEAP_H
#define DFT_RUNTIME_BASE_PRIVATE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A spin lock: what runs below it is short, but for the first look at a module's symbols. False in
 * a forked child in which it was another thread's and will never be free, and where this thread
 * has it already.
 */
bool dft_private_heap_lock(void);
void dft_private_heap_unlock(void);

/* For fork.c: the lock is held across the fork. Meanwhile the forking thread may take it as well.
 */
void dft_private_heap_before_fork(void);
void dft_private_heap_after_fork(void);

/* In a forked child: a lock that is held now stays so for good. */
void dft_private_heap_in_child(void);

/* As malloc, calloc, realloc, free, strdup and strndup. */
void *dft_private_heap_alloc(size_t size);
void *dft_private_heap_calloc(size_t count, size_t size);
void *dft_private_heap_realloc(void *block, size_t size);
void dft_private_heap_free(void *block);
char *dft_private_heap_strdup(const char *text);
char *dft_private_heap_strndup(const char *text, size_t length);

#endif
