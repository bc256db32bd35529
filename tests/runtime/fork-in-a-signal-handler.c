// A signal handler that has interrupted a hook may fork: the child continues in that hook, with its
// own trace, and damages neither its own nor its parent's trace.
//
// RUN: echo 'fun:traced_*' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog > made.txt
// RUN: %check-trace trace-prog-$(cut -d' ' -f1 made.txt).pfw.gz --only traced_leaf --count traced_leaf=$(cut -d' ' -f2 made.txt)
// RUN: rm trace-prog-$(cut -d' ' -f1 made.txt).pfw.gz
// RUN: for trace in trace-prog-*.pfw.gz; do %check-trace $trace --count traced_in_child=1 || exit 1; done

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKS 20

static volatile long calls;
static volatile int forks, crashed, child;

__attribute__((noinline)) void traced_leaf(void)
{
    calls++;
}

__attribute__((noinline)) void traced_in_child(void)
{
    __asm__ volatile("" ::: "memory");
}

static void fork_now(int signal)
{
    (void)signal;
    if (forks >= FORKS || child)
        return;
    forks++;
    pid_t pid = fork();
    if (pid == 0) {
        child = 1;
        traced_in_child();
        return;
    }
    int status;
    waitpid(pid, &status, 0);
    crashed += status != 0;
}

int main(void)
{
    struct sigaction action = {.sa_handler = fork_now};
    struct itimerval often = {{0, 2000}, {0, 2000}};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (forks < FORKS && !child)
        traced_leaf();
    if (child) {
        for (int i = 0; i < 100; i++)
            traced_leaf();
        return 0;
    }
    printf("%d %ld\n", (int)getpid(), calls);
    return crashed;
}
