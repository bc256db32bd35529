// dftrace ctl flush: the trace is complete while the program runs and has every call so far,
// whichever process writes it. Later calls replace that end of the file, and a kill neither loses
// nor repeats a call.
//
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: %{python} %S/Inputs/flush-a-program.py %dftrace
// RUN: test -z "$(ls -A spools)"

#include <stdio.h>
#include <unistd.h>

static volatile int sink;

__attribute__((noinline)) static void work(int x)
{
    sink = x;
}

int main(void)
{
    char line[10];

    printf("%d\n", (int)getpid());
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        for (int i = 0; i < 100; i++)
            work(i);
        puts("done");
        fflush(stdout);
    }
    return 0;
}
