/* Following forks. */
#ifndef DFT_RUNTIME_SESSION_FORK_H
#define DFT_RUNTIME_SESSION_FORK_H

/*
 * Follows forks from now on. Returns 0 or a negative errno. Called when the library starts, before
 * its first walk over the modules, and again when recording begins, after the constructors of other
 * libraries.
 */
int dft_fork_init(void);

/* Looks up libc's _Fork, which a signal handler may call. Must be called without holding a lock. */
void dft_fork_find_next(void);

/* In a child whose fork ran no atfork handlers: after _Fork, or after the system call itself. */
void dft_fork_in_child(void);

#endif
