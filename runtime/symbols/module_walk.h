/* Walks through the loaded modules, none of which is under way while the program forks. */
#ifndef DFT_RUNTIME_SYMBOLS_MODULE_WALK_H
#define DFT_RUNTIME_SYMBOLS_MODULE_WALK_H

#include <link.h>
#include <stdbool.h>

typedef int dft_module_walk_callback(struct dl_phdr_info *info, size_t size, void *argument);

/*
 * As dl_iterate_phdr; 0 without a call of `callback` where a walk would wait for ever (see
 * dft_module_walk_in_child). While the callback runs, the loader unmaps nothing. A thread that takes the
 * private heap's lock as well takes it in the callback: the loader's lock comes first.
 */
int dft_module_walk(dft_module_walk_callback *callback, void *argument);

/* For fork.c: waits for the walks of all threads, and keeps out further ones of other threads. */
void dft_module_walk_before_fork(void);
void dft_module_walk_after_fork(void);

/*
 * In a child that was forked without the above (_Fork): where another thread was in a walk, the
 * loader's lock will never be free again, and there are no more walks.
 */
void dft_module_walk_in_child(void);

#endif
