// Instrumented programs under dftrace run into which the runtime could not be loaded are counted.
// Here a static program starts others with another LD_PRELOAD, and starts itself.
//
// RUN: echo work > allow.txt && export DFTRACER_SPOOL_DIR=$PWD/spools && mkdir spools
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog && %cc -O2 -static %plugin %allow=allow.txt %s -o static
// RUN: gcc -O2 -static %s -o start
//
// RUN: %dftrace run --no-report ./start 7 ./prog 2> err.txt
// RUN: FileCheck %s < err.txt --implicit-check-not=dftrace:
// CHECK: dftrace: 7 instrumented programs ran untraced, without the runtime: {{.*}}/prog (7); link them with what dftrace config --libs prints
//
// If some programs of a tree are traced, only the others are counted.
// RUN: printf './prog\n./start 2 ./prog\n./static\n./prog\n' > tree.sh
// RUN: %dftrace run --no-report -o tree sh -e tree.sh 2> err.txt
// RUN: %check-trace tree-prog-*.pfw.gz --only work --count work=2
// RUN: FileCheck %s --check-prefix=TREE < err.txt
// TREE: dftrace: 3 instrumented {{.*}} runtime: {{.*}}/prog (2), {{.*}}/static (1, static); link
//
// For the program that dftrace run itself starts, the usual explanation is printed, once.
// RUN: %dftrace run --no-report ./static 2>&1 | FileCheck %s --check-prefix=ITSELF --implicit-check-not=untraced
// ITSELF: nothing was traced: ./static is a static executable without the runtime
//
// No files are left behind, even if the host is killed as well.
// RUN: test -z "$(ls -A spools)"
// RUN: mkdir spools/dftrace-run-killed && touch spools/dftrace-run-killed/absent
// RUN: %dftrace recover > recovered.txt 2>&1; test -z "$(ls -A spools)"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void work(void)
{
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    work();
    if (argc < 3)
        return 0;
    setenv("LD_PRELOAD", "libm.so.6", 1);
    for (int i = 0; i < atoi(argv[1]); i++) {
        if (fork() == 0) {
            execv(argv[2], argv + 2);
            _exit(127);
        }
        wait(NULL);
    }
    return 0;
}
