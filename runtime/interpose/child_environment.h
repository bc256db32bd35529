/*
 * A program that is started by a program under `dftrace run` is traced only if its environment has
 * our options, and the runtime in LD_PRELOAD. But programs replace LD_PRELOAD or pass an
 * environment of their own. So the functions that start programs add what is missing.
 */
#ifndef DFT_RUNTIME_INTERPOSE_CHILD_ENVIRONMENT_H
#define DFT_RUNTIME_INTERPOSE_CHILD_ENVIRONMENT_H

#include <alloca.h>
#include <stddef.h>

/* Stores this process's own variables if `dftrace run` traces it. Called once, at the start. */
void dft_child_environment_keep(void);

/* The memory that dft_child_environment_complete needs; 0: `environment` is complete. */
size_t dft_child_environment_room(char *const environment[]);

/* Copies `environment` to `room` and adds what is missing. */
char *const *dft_child_environment_complete(char *const environment[], void *room);

/* `environment`, or a completed copy on the caller's stack. A macro because of alloca. */
#define DFT_CHILD_ENVIRONMENT(environment)                                                         \
    ({                                                                                             \
        char *const *given = (environment);                                                        \
        size_t room = dft_child_environment_room(given);                                           \
        room ? dft_child_environment_complete(given, alloca(room)) : given;                        \
    })

#endif
