/*
 * posix_spawn. libc's posix_spawn executes the program by internal calls, not by our functions of
 * the exec family. So the environment is completed here. Any thread.
 *
 * Not in static executables, where there is no next definition to call.
 */
#ifndef DFT_STATIC
#include "runtime/interpose/child_environment.h"
#include "runtime/interpose/next.h"

#include <spawn.h>

DFT_DEFINE_NEXT(posix_spawn)
DFT_DEFINE_NEXT(posix_spawnp)

DFT_INTERPOSE int posix_spawn(pid_t *pid, const char *path,
                              const posix_spawn_file_actions_t *actions,
                              const posix_spawnattr_t *attributes, char *const argv[],
                              char *const envp[])
{
    return next_posix_spawn()(pid, path, actions, attributes, argv, DFT_CHILD_ENVIRONMENT(envp));
}

DFT_INTERPOSE int posix_spawnp(pid_t *pid, const char *file,
                               const posix_spawn_file_actions_t *actions,
                               const posix_spawnattr_t *attributes, char *const argv[],
                               char *const envp[])
{
    return next_posix_spawnp()(pid, file, actions, attributes, argv, DFT_CHILD_ENVIRONMENT(envp));
}
#endif
