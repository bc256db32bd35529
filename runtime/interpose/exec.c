/*
 * The exec family. Any thread, including signal handlers and vfork children: no heap. errno and the
 * signal mask are what the new program or the caller expects.
 *
 * A successful exec ends our threads and unmaps our memory without notice. So the trace is
 * completed before it, and resumed if the exec fails. For an exec that will certainly fail, as most
 * attempts of a PATH search do, nothing is completed.
 *
 * Under `dftrace run` the new program also gets the environment that it needs to be traced
 * (child_environment.h).
 */
#include "runtime/interpose/exec.h"
#include "os/execute.h"
#include "os/file_status.h"
#include "os/kernel.h"
#include "runtime/base/address_space.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/interpose/child_environment.h"
#include "runtime/interpose/exit.h"
#include "runtime/interpose/next.h"
#include "runtime/io/io.h"
#include "runtime/session/session.h"
#include "runtime/session/writer_thread.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <paths.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

DFT_DEFINE_NEXT(execve)
DFT_DEFINE_NEXT(execvpe)
DFT_DEFINE_NEXT(fexecve)

/* The thread that is in exec; 0: none. */
static _Atomic int32_t executing;

static bool is_executable(int directory, const char *path, int flags)
{
    struct stat status;

    return dft_file_status_at(directory, path, &status, flags) == 0 && S_ISREG(status.st_mode) &&
           (status.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH));
}

/* One call of a function of the exec family. `path` may be a name to search for. */
struct attempt {
    int directory;
    const char *path;
    uint64_t io_start; /* for dft_io_observer; 0: nothing to report */
    bool concluded;    /* this thread has completed the trace, and must resume it on failure */
};

static void report_begin(struct attempt *attempt, bool promising)
{
    if (!dft_io_observer)
        return;
    int saved = errno;
    attempt->io_start = __dftrace_io_now();
    if (promising)
        dft_io_observer->exec_begins(attempt->directory, attempt->path);
    errno = saved;
}

static bool conclude(void)
{
    int32_t nobody = 0, self = dft_kernel_tid();
    struct dft_guard guard;

    dft_exit_give_way();
    if (atomic_load(&dft_session.state) != DFT_SESSION_ON || dft_session_is_hosted())
        return false;
    /*
     * If two threads call exec, the second one waits; if the first one succeeds, the second is
     * gone. A signal handler that calls exec may have interrupted an exec of its own thread.
     */
    while (!atomic_compare_exchange_strong(&executing, &nobody, self)) {
        if (nobody == self)
            return false;
        nobody = 0;
        sched_yield();
    }
    dft_guard_enter(&guard);
    dft_session.spool.header->ended = dft_clock_now();
    bool concluded = dft_writer_thread_conclude();
    dft_guard_leave(&guard);
    if (!concluded) {
        dft_writer_thread_resume();
        atomic_store(&executing, 0);
    }
    return concluded;
}

static struct attempt begin(int directory, const char *path, bool promising)
{
    struct attempt attempt = {.directory = directory, .path = path};

    if (dft_address_space_kind() != DFT_ADDRESS_SPACE_OWN)
        return attempt;
    report_begin(&attempt, promising);
    attempt.concluded = promising && conclude();
    return attempt;
}

static int end(struct attempt attempt, int result)
{
    int saved = errno;

    if (attempt.concluded) {
        dft_writer_thread_resume();
        atomic_store(&executing, 0);
    }
    if (attempt.io_start)
        dft_io_observer->exec_failed(attempt.directory, attempt.path, attempt.io_start, saved);
    errno = saved;
    return result;
}

static int execute(const char *path, char *const argv[], char *const envp[])
{
    __typeof__(&execve) next = next_execve();

    return next ? next(path, argv, envp) : dft_execute(path, argv, envp);
}

DFT_INTERPOSE int execve(const char *path, char *const argv[], char *const envp[])
{
    struct attempt attempt = begin(AT_FDCWD, path, is_executable(AT_FDCWD, path, 0));

    return end(attempt, execute(path, argv, DFT_CHILD_ENVIRONMENT(envp)));
}

DFT_INTERPOSE int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

DFT_INTERPOSE int execveat(int directory, const char *path, char *const argv[], char *const envp[],
                           int flags)
{
    struct attempt attempt =
        begin(directory, path,
              is_executable(directory, path, flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)));

    return end(attempt, dft_execute_at(directory, path, argv, DFT_CHILD_ENVIRONMENT(envp), flags));
}

DFT_INTERPOSE int fexecve(int fd, char *const argv[], char *const envp[])
{
    __typeof__(&fexecve) next = next_fexecve();
    char *const *environment = DFT_CHILD_ENVIRONMENT(envp);
    struct attempt attempt = begin(fd, "", is_executable(fd, "", AT_EMPTY_PATH));

    return end(attempt, next ? next(fd, argv, environment)
                             : dft_execute_at(fd, "", argv, environment, AT_EMPTY_PATH));
}

/* The next candidate for `file` along PATH; false at the end. */
static bool next_candidate(const char **search, const char *file, char candidate[PATH_MAX])
{
    const char *from = *search;

    if (!from)
        return false;
    size_t length = strcspn(from, ":"), name = strlen(file);
    *search = from[length] ? from + length + 1 : NULL;
    if (length + 1 + name + 1 > PATH_MAX) {
        candidate[0] = '\0';
        return true;
    }
    memcpy(candidate, from, length);
    if (length > 0)
        candidate[length++] = '/';
    memcpy(candidate + length, file, name + 1);
    return true;
}

/* The PATH that execvp and similar functions search. It is not an option of dftrace. */
static const char *search_path(void)
{
    const char *path = getenv("PATH");

    return path ? path : "/bin:/usr/bin";
}

static bool is_in_path(const char *file)
{
    char candidate[PATH_MAX];
    const char *search = search_path();

    if (strchr(file, '/'))
        return is_executable(AT_FDCWD, file, 0);
    while (*file && next_candidate(&search, file, candidate))
        if (is_executable(AT_FDCWD, candidate, 0))
            return true;
    return false;
}

/* Like execvp: runs a file that the kernel cannot execute as a shell script. */
static int execute_or_interpret(const char *path, char *const argv[], char *const envp[])
{
    int result = dft_execute(path, argv, envp);
    size_t count = 0;

    if (errno != ENOEXEC)
        return result;
    while (argv[count])
        count++;
    const char **shell = alloca((count + 3) * sizeof *shell);
    shell[0] = _PATH_BSHELL;
    shell[1] = path;
    shell[2] = NULL;
    for (size_t i = 1; i < count + 1; i++)
        shell[i + 1] = argv[i];
    return dft_execute(shell[0], (char *const *)shell, envp);
}

/* For static executables; does what libc does. */
static int search_and_execute(const char *file, char *const argv[], char *const envp[])
{
    char candidate[PATH_MAX];
    const char *search = search_path();
    bool denied = false;

    if (!*file) {
        errno = ENOENT;
        return -1;
    }
    if (strchr(file, '/'))
        return execute_or_interpret(file, argv, envp);
    while (next_candidate(&search, file, candidate)) {
        execute_or_interpret(candidate, argv, envp);
        denied = denied || errno == EACCES;
        if (errno != EACCES && errno != ENOENT && errno != ESTALE && errno != ENOTDIR &&
            errno != ENODEV && errno != ETIMEDOUT)
            return -1;
    }
    if (denied)
        errno = EACCES;
    return -1;
}

DFT_INTERPOSE int execvpe(const char *file, char *const argv[], char *const envp[])
{
    __typeof__(&execvpe) next = next_execvpe();
    char *const *environment = DFT_CHILD_ENVIRONMENT(envp);
    struct attempt attempt =
        begin(strchr(file, '/') ? AT_FDCWD : DFT_IO_AS_GIVEN, file, is_in_path(file));

    return end(attempt,
               next ? next(file, argv, environment) : search_and_execute(file, argv, environment));
}

DFT_INTERPOSE int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

/*
 * Runs `call` with the arguments of a variadic function in `argv`, which is on the stack as in
 * libc. `list` is positioned after the last argument.
 */
#define WITH_ARGUMENTS(first, call)                                                                \
    ({                                                                                             \
        va_list list;                                                                              \
        size_t count = 1;                                                                          \
        va_start(list, first);                                                                     \
        for (const char *one = (first); one; one = va_arg(list, const char *))                     \
            count++;                                                                               \
        va_end(list);                                                                              \
        char **argv = alloca(count * sizeof *argv);                                                \
        va_start(list, first);                                                                     \
        argv[0] = (char *)(uintptr_t)(first);                                                      \
        for (size_t i = 1; i < count; i++)                                                         \
            argv[i] = va_arg(list, char *);                                                        \
        int result = (call);                                                                       \
        va_end(list);                                                                              \
        result;                                                                                    \
    })

DFT_INTERPOSE int execl(const char *path, const char *first, ...)
{
    return WITH_ARGUMENTS(first, execve(path, argv, environ));
}

DFT_INTERPOSE int execlp(const char *file, const char *first, ...)
{
    return WITH_ARGUMENTS(first, execvpe(file, argv, environ));
}

DFT_INTERPOSE int execle(const char *path, const char *first, ...)
{
    return WITH_ARGUMENTS(first, execve(path, argv, va_arg(list, char *const *)));
}

void dft_exec_find_next(void)
{
    (void)next_execve();
    (void)next_execvpe();
    (void)next_fexecve();
}

bool dft_exec_is_next(void)
{
    int32_t who = atomic_load(&executing);

    return who && who != dft_kernel_tid();
}

void dft_exec_in_child(void)
{
    atomic_store(&executing, 0);
}
