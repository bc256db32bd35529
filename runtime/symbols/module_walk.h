/* Walks over the loaded modules. While the program forks, no walk is in progress. */
#ifndef DFT_RUNTIME_SYMBOLS_MODULE_WALK_H
#define DFT_RUNTIME_SYMBOLS_MODULE_WALK_H

#include <link.h>
#include <stdbool.h>

typedef int dft_module_walk_callback(struct dl_phdr_info *info, size_t size, void *argument);

/*
 * Like dl_iterate_phdr. Returns 0 without calling `callback` if a walk would hang (see
 * dft_module_walk_in_child). While the callback runs, the loader unmaps nothing. A thread that
 * needs the private heap's lock as well must take it in the callback, after the loader's lock.
 */
int dft_module_walk(dft_module_walk_callback *callback, void *argument);

/* For fork.c: waits for the walks of all threads, and blocks further walks of other threads. */
void dft_module_walk_before_fork(void);
void dft_module_walk_after_fork(void);

/*
 * Called in a child that was forked without these two functions (_Fork). If another thread was in a
 * walk, the loader's lock will never be released, and dft_module_walk does nothing from then on.
 */
void dft_module_walk_in_child(void);

#endif
