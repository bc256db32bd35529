/* Runs a program in place of this process: see child.h. */
#include "tool/run/child.h"

#include "os/process.h"
#include "os/time.h"
#include "tool/base/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit status of a child that could not execute the program; nobody else sees it. */
#define EXIT_NOT_EXECUTED 126

#define WATCH_NS 20000000

/* Signals that are forwarded to the program. */
static const int passed_on[] = {SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
                                SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT, SIGALRM};

bool dft_child_take_signals(struct dft_child *child)
{
    sigset_t set;

    child->children_before =
        signal(SIGCHLD, SIG_DFL); /* if it were ignored, waitpid would have no status */
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(&set, passed_on[i]);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, &child->mask_before);
    child->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return child->signals >= 0;
}

/* Runs a file of unknown format by the shell, as execvp does. */
static void run_by_shell(const char *path, char **arguments, char **environment)
{
    size_t count = 0;

    while (arguments[count])
        count++;
    char **words = dft_tool_zeroed(count + 2, sizeof *words);
    words[0] = (char *)"/bin/sh";
    words[1] = (char *)(uintptr_t)path;
    for (size_t i = 1; i < count; i++)
        words[i + 1] = arguments[i];
    execve(words[0], words, environment);
}

int dft_child_start(struct dft_child *child, const char *path, char **arguments, char **environment)
{
    int failure[2], error = 0;

    if (pipe2(failure, O_CLOEXEC) != 0)
        return errno;
    child->pid = fork();
    if (child->pid == 0) {
        signal(SIGCHLD, child->children_before);
        sigprocmask(SIG_SETMASK, &child->mask_before, NULL);
        execve(path, arguments, environment);
        if (errno == ENOEXEC)
            run_by_shell(path, arguments, environment);
        error = errno;
        if (write(failure[1], &error, sizeof error) < 0)
            error = 0; /* nobody is waiting for the result */
        _exit(EXIT_NOT_EXECUTED);
    }
    if (child->pid < 0)
        error = errno;
    close(failure[1]);
    if (child->pid > 0 && read(failure[0], &error, sizeof error) <= 0)
        error = 0;
    close(failure[0]);
    return error;
}

/*
 * Waits until the program is no longer stopped, then continues the parent, which has stopped with
 * it or is about to, until the parent ends this process. It is in a group of its own, so signals to
 * the parent's group do not reach it.
 */
static _Noreturn void keep_watch(pid_t program, pid_t front)
{
    struct dft_process_status status;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
    while (getppid() == front) {
        if (!dft_process_read_status(program, &status) || status.state != 'T')
            kill(front, SIGCONT);
        dft_time_sleep(WATCH_NS);
    }
    _exit(EXIT_SUCCESS);
}

/*
 * A SIGCONT that reaches this process is forwarded once. If it is sent to the program alone, or the
 * program is killed, this process is still stopped: a watcher continues it.
 */
static void stop_self(struct dft_child *child)
{
    pid_t front = getpid();

    child->watch = fork();
    if (child->watch == 0)
        keep_watch(child->pid, front);
    raise(SIGSTOP);
    if (child->watch > 0) {
        kill(child->watch, SIGKILL);
        waitpid(child->watch, NULL, 0);
    }
}

static void reap_children(struct dft_child *child)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0 || (pid < 0 && errno == EINTR)) {
        if (pid != child->pid)
            continue;
        if (WIFSTOPPED(status))
            stop_self(child);
        else
            child->status = status;
    }
}

/*
 * A signal from the terminal has reached the program as well, because it is in the same process
 * group. If the signal stops the program, waitpid reports that.
 */
static void pass_on(const struct dft_child *child, const struct signalfd_siginfo *info)
{
    int number = (int)info->ssi_signo;

    if (number == SIGCONT ? (pid_t)info->ssi_pid != child->watch : info->ssi_code != SI_KERNEL)
        kill(child->pid, number);
}

bool dft_child_is_asked_to_end(int signal)
{
    struct sigaction action;

    return (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT) &&
           sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN;
}

bool dft_child_hear_signals(struct dft_child *child)
{
    struct signalfd_siginfo info;
    bool impatient = false;

    while (read(child->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo != SIGCHLD && child->status < 0)
            pass_on(child, &info);
        else
            impatient |= dft_child_is_asked_to_end((int)info.ssi_signo);
    }
    reap_children(child);
    return impatient;
}

int dft_child_end_alike(const struct dft_child *child)
{
    struct rlimit none = {0, 0};
    int status = child->status;
    sigset_t set;

    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, WTERMSIG(status));
    raise(WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return 128 + WTERMSIG(status);
}
