// A thread that has the thread-local memory of the one that made it: its calls are left out, and
// those of the other are all there, while both run at the same time. So it is for processes that
// share all memory. A child that is forked later is traced.
//
// RUN: printf 'main\nwork\nother\nlate\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: mkdir static && %cc -O2 -static -pthread %plugin %allow=allow.txt %s -o static/prog -L%libdir -l:libdftrace.a
// RUN: for prog in ./prog static/prog; do for way in thread process; do \
// RUN:   ./prog $way && DFTRACER_ENABLE=1 $prog $way && \
// RUN:   %check-trace trace-prog-*.pfw.gz --count main=2 --count work=60000 --count late=10 --count other=0 && \
// RUN:   rm trace-* || exit 1; done; done
// RUN: %cc -O2 -finstrument-functions %s -o prog
// RUN: for way in thread process; do %dftrace run --no-report -e ALLOWLIST=allow.txt ./prog $way && \
// RUN:   %check-trace trace-prog-*.pfw.gz --count main=2 --count work=60000 --count late=10 --count other=0 && \
// RUN:   rm trace-* || exit 1; done

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK (1 << 20)

static volatile int sinks[3];
static _Atomic int begun, ended;

__attribute__((noinline)) static void work(int x)
{
    sinks[0] = x;
}

__attribute__((noinline)) static void other(int x)
{
    sinks[1] = x;
}

__attribute__((noinline)) static void late(int x)
{
    sinks[2] = x;
}

__attribute__((no_instrument_function)) static int run(void *unused)
{
    (void)unused;
    begun = 1;
    for (int i = 0; i < 60000; i++)
        other(i);
    ended = 1;
    syscall(SYS_exit, 0);
    return 0;
}

int main(int argc, char **argv)
{
    int flags =
        strcmp(argv[argc - 1], "thread") == 0
            ? CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM
            : CLONE_VM | SIGCHLD;
    char *stack =
        (char *)mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    work(0);
    if (stack == MAP_FAILED || clone(run, stack + STACK, flags, NULL) < 0)
        return 1;
    while (!begun)
        usleep(10);
    for (int i = 1; i < 60000; i++)
        work(i);
    while (!ended)
        usleep(100);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 10; i++)
            late(i);
        return 0;
    }
    int status;
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 2;
}
