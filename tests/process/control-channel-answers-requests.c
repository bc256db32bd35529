// dftrace ctl: status, flush, and another allowlist. Mistakes are explained, garbage on the socket
// is refused and harmless, and other users are refused. The program sees no descriptor of ours.
//
// RUN: mkdir spools && chmod 711 . && export DFTRACER_SPOOL_DIR=$PWD/spools
// RUN: printf 'main\nfun:work*\n' > allow.txt && echo work_two > two.txt && printf 'main\n[tarce]\n' > bad.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: cp %dftrace ./dftrace && %{python} %S/Inputs/ask-a-program.py $PWD/dftrace ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --only work_one work_two --count work_one=300 --count work_two=500
// RUN: test -z "$(ls -A spools)"

#include <fcntl.h>
#include <stdio.h>

static volatile int sink;

__attribute__((noinline)) static void work_one(int x)
{
    sink = x;
}

__attribute__((noinline)) static void work_two(int x)
{
    sink = x;
}

int main(void)
{
    char line[10];

    while (fgets(line, sizeof line, stdin)) {
        for (int i = 0; i < 100; i++) {
            work_one(i);
            work_two(i);
        }
        puts("done");
        fflush(stdout);
    }
    return fcntl(3, F_GETFD) >= 0;
}
