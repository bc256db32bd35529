// vfork is recorded once, in the parent, with the child's number and for as long as the parent waits,
// inside the function that called it. Parent and child find their registers and their stack, although
// the child overwrites the stack: in several threads, in a child of a child, in a signal handler that
// interrupts vfork, and if vfork fails. Debuggers can unwind through it.
//
// REQUIRES: x86-64
// RUN: printf 'main\nstart_child\nstart_in_thread\n' > allow.txt
// RUN: %cc -w -O2 -pthread -rdynamic %s -o plain
// RUN: %cc -w -O2 -pthread -rdynamic %plugin %allow=allow.txt %s %lib -o instrumented
// RUN: gcc -w -O2 -fPIC -shared %S/Inputs/vfork-shim.c -o shim.so
// RUN: for one in plain instrumented; do \
// RUN:   %dftrace run --io --no-report -o $one -- ./$one > $one.txt && %{python} %S/Inputs/compare-vfork $one.txt $one || exit 1; \
// RUN:   LD_PRELOAD=%libdir/libdftrace-io.so:%libdir/libdftrace.so:$PWD/shim.so DFTRACER_ENABLE=1 SHIM_BACKTRACE=1 DFTRACER_LOG_FILE=shim-$one ./$one signal > shim-$one.txt && \
// RUN:   grep -q 'start_child' shim-$one.txt && grep -q '(main' shim-$one.txt && %{python} %S/Inputs/compare-vfork shim-$one.txt shim-$one || exit 1; \
// RUN:   LD_PRELOAD=%libdir/libdftrace-io.so:%libdir/libdftrace.so:$PWD/shim.so DFTRACER_ENABLE=1 SHIM_FAILS=1 DFTRACER_LOG_FILE=fails-$one ./$one fails > fails-$one.txt && \
// RUN:   %{python} %S/Inputs/compare-vfork fails-$one.txt fails-$one || exit 1; \
// RUN: done

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3
#define CHILDREN 30

static volatile int seed = 1;

/* Overwrites the stack below the caller. */
__attribute__((noinline)) static int overwrite(int depth)
{
    volatile char block[512];

    memset((char *)block, 0xee, sizeof block);
    return depth ? overwrite(depth - 1) + block[3] : block[5];
}

/* The values are in registers and on the stack while the child runs. */
__attribute__((noinline)) int start_child(int status)
{
    long a = seed, b = a * 3 + 1, c = b * 3 + 1, d = c * 3 + 1, e = d * 3 + 1, f = e * 3 + 1;
    long values[4] = {a, b, c, d};
    int how = 0;
    pid_t child = vfork();

    if (child == 0) {
        overwrite(8);
        if (a != seed || f != e * 3 + 1)
            _exit(100);
        _exit(status);
    }
    if (child < 0) {
        printf("vfork -1 %d\n", errno);
        return 1;
    }
    if (waitpid(child, &how, 0) != child || !WIFEXITED(how) || WEXITSTATUS(how) != status)
        abort();
    if (b != a * 3 + 1 || c != b * 3 + 1 || d != c * 3 + 1 || e != d * 3 + 1 || f != e * 3 + 1 ||
        values[0] != a || values[3] != d)
        abort();
    printf("vfork %d 0\n", child);
    return 0;
}

static void *start_in_thread(void *none)
{
    for (int i = 0; i < CHILDREN; i++)
        start_child(i);
    return none;
}

/* What a child does before exec is not recorded, even if it starts a child of its own. */
__attribute__((noinline)) static void start_grandchild(void)
{
    int how = 0;
    pid_t child = vfork();

    if (child == 0) {
        pid_t grandchild = vfork();
        if (grandchild == 0) {
            overwrite(4);
            _exit(7);
        }
        if (waitpid(grandchild, &how, 0) != grandchild || WEXITSTATUS(how) != 7)
            _exit(1);
        execl("/bin/sh", "sh", "-c", "exit 9", NULL);
        _exit(2);
    }
    if (waitpid(child, &how, 0) != child || WEXITSTATUS(how) != 9)
        abort();
    printf("vfork %d 0\n", child);
}

static void on_signal(int signal)
{
    start_child(5);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    signal(SIGUSR1, on_signal);
    start_child(3);
    if (argc > 1)
        return 0;
    start_grandchild();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, start_in_thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
