/*
 * A heap of the runtime's own, for names and rules, which hooks need at a function's first call.
 * The program's heap is not safe to use in a hook: the hook may run in a signal handler that has
 * interrupted the holder of the heap's lock; the heap's functions may be instrumented; or the heap
 * may be corrupt.
 *
 * All functions must be called while holding dft_private_heap_lock, with signals blocked.
 */
#ifndef DFT_RUNTIME_BASE_PRIVATE_HEAP_H
#define DFT_RUNTIME_BASE_PRIVATE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A spin lock, held only for short times, except while a module's symbols are read. Returns false
 * if this thread holds the lock already. Also returns false in a forked child if another thread of
 * the parent held the lock at the fork, because then nobody will release it.
 */
bool dft_private_heap_lock(void);
void dft_private_heap_unlock(void);

/*
 * For fork.c: the lock is held across a fork. Meanwhile the forking thread itself may take it
 * again.
 */
void dft_private_heap_before_fork(void);
void dft_private_heap_after_fork(void);

/* In a forked child: if the lock is held now, it will never be released. */
void dft_private_heap_in_child(void);

/* As malloc, calloc, realloc, free, strdup and strndup. */
void *dft_private_heap_alloc(size_t size);
void *dft_private_heap_calloc(size_t count, size_t size);
void *dft_private_heap_realloc(void *block, size_t size);
void dft_private_heap_free(void *block);
char *dft_private_heap_strdup(const char *text);
char *dft_private_heap_strndup(const char *text, size_t length);

#endif
