/* Messages. Any thread; keeps errno. */
#include "runtime/log.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_MESSAGES 50

/* What descriptor 2 was when the program started; it may be the program's own file later. */
static struct {
    int open;
    dev_t device;
    ino_t inode;
} stderr_at_start;

void dft_log_init(void)
{
    struct stat status;

    if (fstat(STDERR_FILENO, &status) == 0) {
        stderr_at_start.open = 1;
        stderr_at_start.device = status.st_dev;
        stderr_at_start.inode = status.st_ino;
    }
}

const char *dft_log_error_text(int error)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
    const char *text = strerrordesc_np(error);
    return text ? text : "unknown error";
#else
    return strerror(error);
#endif
}

static int is_stderr(void)
{
    struct stat status;

    return stderr_at_start.open && fstat(STDERR_FILENO, &status) == 0 &&
           status.st_dev == stderr_at_start.device && status.st_ino == stderr_at_start.inode;
}

/* A pipe that nobody reads must not end the traced program by SIGPIPE. */
static void write_line(const char *line, size_t length)
{
    sigset_t pipe, before;

    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    if (write(STDERR_FILENO, line, length) < 0 && errno == EPIPE && !sigismember(&before, SIGPIPE))
        sigtimedwait(&pipe, NULL, &(struct timespec){0, 0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void dft_log(enum dft_level level, const char *format, ...)
{
    static int said;
    char line[2048] = "dftrace: ";
    size_t length = strlen(line);
    int saved = errno;
    va_list arguments;

    if (level < dft_options.log_level ||
        __atomic_add_fetch(&said, 1, __ATOMIC_RELAXED) > MOST_MESSAGES)
        return;
    va_start(arguments, format);
    vsnprintf(line + length, sizeof line - length - 1, format, arguments);
    va_end(arguments);
    length = strlen(line);
    line[length++] = '\n';
    if (is_stderr())
        write_line(line, length);
    errno = saved;
}
