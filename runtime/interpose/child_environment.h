/*
 * What children of a program below `dftrace run` need in their environment to be traced: its
 * options and the runtime in LD_PRELOAD. Programs replace LD_PRELOAD or start others with an
 * environment of their own; the functions that start programs put back what is missing.
 */
#ifndef DFT_RUNTIME_INTERPOSE_CHILD_ENVIRONMENT_H
#define DFT_RUNTIME_INTERPOSE_CHILD_ENVIRONMENT_H

#include <alloca.h>
#include <stddef.h>

/* Remembers this process's own variables, if `dftrace run` traces it. Once, at the start. */
void dft_child_environment_keep(void);

/* How much room dft_child_environment_complete needs; 0: nothing is missing in `environment`. */
size_t dft_child_environment_room(char *const environment[]);

/* A copy of `environment` with what is missing, in `room`. */
char *const *dft_child_environment_complete(char *const environment[], void *room);

/* `environment`, or a completed copy on the caller's stack. A macro because of alloca. */
#define DFT_CHILD_ENVIRONMENT(environment)                                                         \
    ({                                                                                             \
        char *const *given = (environment);                                                        \
        size_t room = dft_child_environment_room(given);                                           \
        room ? dft_child_environment_complete(given, alloca(room)) : given;                        \
    })

#endif
