/* Messages on stderr. Any thread, signal handlers included; errno is kept. */
#include "runtime/base/log.h"
#include "os/descriptor.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MESSAGES_MAX 50

/*
 * Identifies the file that was stderr at the start. Later, descriptor 2 may be the program's own
 * file.
 */
static struct dft_descriptor_identity stderr_at_start;
static bool had_stderr;

void dft_log_init(void)
{
    had_stderr = dft_descriptor_identify(STDERR_FILENO, &stderr_at_start);
}

static bool is_stderr(void)
{
    return had_stderr && dft_descriptor_is(STDERR_FILENO, &stderr_at_start);
}

/* A closed pipe must not end the traced program by SIGPIPE. */
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
    static const char beginning[] = "dftrace: ";
    static int said;
    char line[2048];
    size_t length = sizeof beginning - 1;
    int saved = errno;
    va_list arguments;

    if (level < dft_options.log_level ||
        __atomic_add_fetch(&said, 1, __ATOMIC_RELAXED) > MESSAGES_MAX)
        return;
    memcpy(line, beginning, sizeof beginning);
    va_start(arguments, format);
    vsnprintf(line + length, sizeof line - length - 1, format, arguments);
    va_end(arguments);
    length = strlen(line);
    /* Names from outside must neither start a new line nor send control sequences to a terminal. */
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = '?';
    line[length++] = '\n';
    if (is_stderr())
        write_line(line, length);
    errno = saved;
}

bool dft_log_on_terminal(void)
{
    int saved = errno;
    bool terminal = is_stderr() && isatty(STDERR_FILENO);

    errno = saved;
    return terminal;
}

void dft_log_progress(const char *format, ...)
{
    char line[160];
    int saved = errno;
    bool terminal = dft_log_on_terminal();
    size_t length = (size_t)snprintf(line, sizeof line, "%sdftrace: ", terminal ? "\r" : "");
    va_list arguments;

    if (DFT_LEVEL_ERROR < dft_options.log_level)
        return;
    va_start(arguments, format);
    vsnprintf(line + length, sizeof line - length - 4, format, arguments);
    va_end(arguments);
    length = strlen(line);
    memcpy(line + length, terminal ? "\033[K" : "\n", terminal ? 3 : 1);
    if (is_stderr())
        write_line(line, length + (terminal ? 3 : 1));
    errno = saved;
}

void dft_log_progress_end(void)
{
    int saved = errno;

    if (DFT_LEVEL_ERROR >= dft_options.log_level && dft_log_on_terminal())
        write_line("\r\033[K", 4);
    errno = saved;
}
