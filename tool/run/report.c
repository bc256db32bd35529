/*
 * A report of many calls takes seconds. A child process makes it, so that a signal that asks this
 * process to end ends only the report, and the exit status stays the program's. Signals that arrive
 * through the descriptor are blocked in both processes; only this process handles them.
 */
#include "tool/run/report.h"

#include "tool/base/progress.h"
#include "tool/base/tool.h"

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

bool dft_run_report_set_flag(struct dft_run_report_flags *flags, const char *name,
                             const char *value)
{
    char *line[] = {(char *)"report", (char *)name, (char *)value, (char *)"-", NULL};

    if (dft_cmd_report_check(4, line) != DFT_EXIT_OK)
        return false;
    size_t at = 0;
    while (at < flags->count && strcmp(flags->words[at], name) != 0)
        at += 2;
    flags->words[at] = name;
    flags->words[at + 1] = value;
    flags->count = at == flags->count ? at + 2 : flags->count;
    return true;
}

static _Noreturn void print_report(const struct dft_run_report_flags *flags, char **traces,
                                   size_t count, uint64_t calls, pid_t front)
{
    char *fixed[] = {(char *)"report", (char *)"--top", (char *)REPORT_TOP};
    char **words = dft_tool_zeroed(3 + flags->count + count + 1, sizeof *words);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != front)
        _exit(EXIT_FAILURE);
    memcpy(words, fixed, sizeof fixed);
    memcpy(words + 3, flags->words, flags->count * sizeof *words);
    memcpy(words + 3 + flags->count, traces, count * sizeof *traces);
    dft_progress_expect(calls);
    dft_cmd_report((int)(3 + flags->count + count), words);
    fflush(stdout);
    _exit(EXIT_SUCCESS);
}

/* Stops both processes. The kernel ignores the signal if nobody could continue them. */
static void stop_with(pid_t report)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    kill(report, SIGSTOP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    sigprocmask(SIG_BLOCK, &set, NULL);
    kill(report, SIGCONT);
}

/* True: the report has been ended. */
static bool hear_signals(const struct dft_child *child, pid_t report)
{
    struct signalfd_siginfo info;
    bool ended = false;

    while (read(child->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (dft_child_is_asked_to_end((int)info.ssi_signo)) {
            kill(report, SIGKILL);
            ended = true;
        } else if (info.ssi_signo == SIGTSTP) {
            stop_with(report);
        }
    }
    return ended;
}

enum dft_run_report dft_run_report(const struct dft_child *child,
                                   const struct dft_run_report_flags *flags, char **traces,
                                   size_t count, uint64_t calls)
{
    struct pollfd wait = {.fd = child->signals, .events = POLLIN};
    pid_t front = getpid();
    bool ended = false;
    int status = 0;

    fflush(NULL); /* so that no buffer is written twice */
    /* stdout belongs to the program: its reader need not wait for this process. */
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return DFT_RUN_REPORT_FAILED;
    pid_t report = fork();
    if (report == 0)
        print_report(flags, traces, count, calls, front);
    if (report < 0)
        return DFT_RUN_REPORT_FAILED;
    while (waitpid(report, &status, WNOHANG) == 0) {
        if (poll(&wait, 1, -1) > 0)
            ended |= hear_signals(child, report);
    }
    if (!WIFEXITED(status))
        dft_progress_erase();
    return WIFEXITED(status) ? DFT_RUN_REPORT_DONE
           : ended           ? DFT_RUN_REPORT_ENDED
                             : DFT_RUN_REPORT_FAILED;
}
