// Tracing does not change what a program does: same standard output, nothing on standard error,
// same exit code, same open descriptors in a program that it executes, same signal dispositions and
// mask.
//
// RUN: echo 'src:*behaviour*' > allow.txt
// RUN: %cc -O2 %s -o plain
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: code=0; ./plain > plain.out 2> plain.err || code=$?; echo $code > plain.code
// RUN: code=0; ./prog > off.out 2> off.err || code=$?; echo $code > off.code
// RUN: not ls trace-*
// RUN: code=0; DFTRACER_ENABLE=1 ./prog > on.out 2> on.err || code=$?; echo $code > on.code
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1 --count report=3
// RUN: for what in out err code; do diff plain.$what off.$what && diff plain.$what on.$what || exit 1; done
// RUN: grep -x 42 on.code

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void report(const char *what, int value)
{
    printf("%s %d\n", what, value);
}

int main(void)
{
    int handled = 0;
    int blocked = 0;
    int status;
    sigset_t mask;

    sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0)
            handled += action.sa_handler != SIG_DFL;
        blocked += sigismember(&mask, number) == 1;
    }
    report("handled signals:", handled);
    report("blocked signals:", blocked);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execlp("ls", "ls", "/proc/self/fd", (char *)NULL);
        _exit(1);
    }
    if (waitpid(child, &status, 0) != child)
        return 1;
    report("status of the child:", status);
    return 42;
}
