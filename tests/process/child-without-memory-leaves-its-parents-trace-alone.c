// A forked child that has no memory to replace its parent's spool is not traced, and does not
// write to that spool: calls that the parent makes before the child runs stay in the trace.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog 2> messages.txt
// RUN: grep 'no memory for the spool of a forked process; it is not traced' messages.txt
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1 --count work=110

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int begin[2];
static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

/* Runs in the child before the handlers of dftrace. */
static void wait_without_memory(void)
{
    struct rlimit least = {4096, 4096};
    char byte;

    if (read(begin[0], &byte, 1) != 1 || setrlimit(RLIMIT_AS, &least) != 0)
        _exit(3);
}

static void register_early(void)
{
    pthread_atfork(NULL, NULL, wait_without_memory);
}

__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = register_early;

int main(void)
{
    int status = 1;

    if (pipe(begin) != 0)
        return 2;
    for (int i = 0; i < 10; i++)
        work(i);
    pid_t child = fork();
    if (child == 0) {
        work(0);
        _exit(0);
    }
    for (int i = 0; i < 50; i++)
        work(i);
    if (write(begin[1], "", 1) != 1 || waitpid(child, &status, 0) != child)
        return 4;
    for (int i = 0; i < 50; i++)
        work(i);
    return status != 0;
}
