// A set-uid program in between, such as sudo: the loader removes LD_PRELOAD from its environment,
// and it has no runtime to restore it. The instrumented program that it starts is counted.
//
// REQUIRES: root, setpriv
// RUN: echo work > allow.txt && %cc -O2 -D_GNU_SOURCE %plugin %allow=allow.txt %s -o prog
// RUN: place=$(mktemp -d -p /tmp) && trap 'rm -rf "$place"' EXIT && chmod 777 $place
// RUN: cp prog $place && gcc -O2 -D_GNU_SOURCE %s -o $place/become && chmod 4755 $place/become
// RUN: cd $place && setpriv --reuid=65534 --regid=65534 --clear-groups %dftrace run --no-report ./become ./prog \
// RUN:   > said.txt 2>&1
// RUN: FileCheck %s < said.txt --implicit-check-not=dftrace:
// CHECK: dftrace: 1 instrumented program ran untraced, without the runtime: {{.*}}/prog (1); link it

#include <unistd.h>

__attribute__((noinline)) static void work(void)
{
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    work();
    if (argc < 2)
        return 0;
    if (setresuid(geteuid(), geteuid(), geteuid()) == 0)
        execv(argv[1], argv + 1);
    return 1;
}
