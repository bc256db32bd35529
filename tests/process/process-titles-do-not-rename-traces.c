// Servers overwrite their arguments with the title that ps is to show. The traces of their children
// are named after the program nevertheless.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz --count work=20 && test $(ls trace-* | wc -l) = 2
// RUN: rm trace-* && %dftrace run --no-report ./prog && %check-trace trace-prog-*.pfw.gz --count work=20 && test $(ls trace-* | wc -l) = 2

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

__attribute__((noinline)) static void work(int x)
{
    sink = x;
}

int main(int argc, char **argv)
{
    int status;

    (void)argc;
    for (int i = 0; i < 10; i++)
        work(i);
    memset(argv[0], '/', strlen(argv[0]));
    argv[0][strlen(argv[0]) - 2] = 'x';
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 10; i++)
            work(i);
        return 3;
    }
    return waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3;
}
