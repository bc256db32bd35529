/*
 * A report of many calls takes seconds. A process of its own works it out, so that a signal that
 * would end us ends that instead: the exit status stays the program's.
 */
#include "tool/run_report.h"

#include "tool/tool.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPORT_TOP "8"

static _Noreturn void print_report(const struct dft_child *child, char **traces, size_t count)
{
    char **words = dft_tool_zeroed(count + 4, sizeof *words);
    char *fixed[] = {(char *)"report", (char *)"--top", (char *)REPORT_TOP};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigprocmask(SIG_SETMASK, &child->mask_before, NULL);
    memcpy(words, fixed, sizeof fixed);
    memcpy(words + 3, traces, count * sizeof *traces);
    /* stdout is the program's. */
    if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        dft_cmd_report((int)count + 3, words);
    fflush(stdout);
    _exit(EXIT_SUCCESS);
}

static void hear_signals(const struct dft_child *child, pid_t report)
{
    struct signalfd_siginfo info;

    while (read(child->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        switch (info.ssi_signo) {
        case SIGINT:
        case SIGTERM:
        case SIGHUP:
        case SIGQUIT:
            kill(report, SIGKILL);
            break;
        case SIGTSTP:
            kill(report, SIGSTOP);
            raise(SIGSTOP);
            kill(report, SIGCONT);
            break;
        default:
            break;
        }
    }
}

bool dft_run_report(const struct dft_child *child, char **traces, size_t count)
{
    struct pollfd wait = {.fd = child->signals, .events = POLLIN};
    int status = 0;

    fflush(NULL); /* nothing is to be written twice */
    pid_t report = fork();
    if (report == 0)
        print_report(child, traces, count);
    while (report > 0 && waitpid(report, &status, WNOHANG) == 0) {
        if (poll(&wait, 1, -1) > 0)
            hear_signals(child, report);
    }
    return report > 0 && WIFEXITED(status);
}
