// A signal handler that forks may interrupt a fork. Handlers that run in the child at once are
// traced as the child's.
//
// Under `dftrace run`, so that the process has one thread: with more, libc's fork holds a lock that
// a second fork in the same thread waits for forever.
//
// RUN: echo work > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog
// RUN: timeout -s KILL 60 %dftrace run --no-report ./prog > pid.txt
// RUN: %check-trace trace-prog-$(cut -d' ' -f1 pid.txt).pfw.gz --count work=$(cut -d' ' -f2 pid.txt)

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKS 300

static volatile long calls;

__attribute__((noinline)) void work(void)
{
    calls++;
}

static void fork_once(void)
{
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void fork_too(int number)
{
    int saved = errno;

    (void)number;
    work();
    fork_once();
    errno = saved;
}

int main(void)
{
    signal(SIGALRM, fork_too);
    for (int i = 0; i < FORKS; i++) {
        struct itimerval soon = {{0, 0}, {0, 1 + i}};
        setitimer(ITIMER_REAL, &soon, NULL);
        fork_once();
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    printf("%d %ld\n", (int)getpid(), calls);
    return 0;
}
