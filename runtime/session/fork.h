/* What a fork does to the runtime. */
#ifndef DFT_RUNTIME_SESSION_FORK_H
#define DFT_RUNTIME_SESSION_FORK_H

/*
 * Follows forks from now on; 0 or a negative errno. To be called when the library begins, before
 * its first walk, and again when recording begins, after the constructors of other libraries.
 */
int dft_fork_init(void);

/* Looks up libc's _Fork, which may be called in a signal handler. While no lock is held. */
void dft_fork_find_next(void);

/* In a child whose fork ran no handlers: by _Fork, or by system call. */
void dft_fork_in_child(void);

#endif
