// A signal sent to dftrace run reaches the program exactly once; also Ctrl-C, which the terminal
// sends to both. If a signal ends the program, dftrace run ends by the same signal.
//
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools
// RUN: echo handle > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog
// RUN: timeout 100 %{python} %S/Inputs/send-signals.py %dftrace ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --only handle
// RUN: test -z "$(ls -A spools)"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t seen[NSIG];

static __attribute__((noinline)) void handle(int number)
{
    seen[number]++;
}

/* Prints which signal arrived, and how often each has; ends at the one named QUIT. */
int main(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT};
    sigset_t all, before;
    struct sigaction action = {.sa_handler = handle};

    alarm(60);
    sigemptyset(&all);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigaction(numbers[i], &action, NULL);
        sigaddset(&all, numbers[i]);
    }
    sigprocmask(SIG_BLOCK, &all, &before);
    for (;;) {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            printf("%d=%d ", numbers[i], (int)seen[numbers[i]]);
        puts(".");
        fflush(stdout);
        sigsuspend(&before);
    }
}
