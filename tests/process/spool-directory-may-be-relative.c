// A relative spool directory is resolved when the program starts, also for its children and for
// `dftrace run`.
//
// RUN: mkdir spools && echo work > allow.txt && export DFTRACER_SPOOL_DIR=spools
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog 2> err.txt && cmp err.txt /dev/null
// RUN: %check-trace trace-prog-*.pfw.gz --count work=3
// RUN: rm trace-* && %dftrace run --no-report ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count work=3
// RUN: test -z "$(ls -A spools)"

#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void work(void)
{
    __asm__ volatile("" ::: "memory");
}

int main(void)
{
    work();
    if (chdir("/") != 0)
        return 1;
    if (fork() == 0) {
        work();
        work();
        _exit(0);
    }
    wait(NULL);
    return 0;
}
