// The control thread keeps no process alive and disturbs nothing: the main thread may end before
// the others, a daemon is reached by its own pid, and exec works.
//
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=attach
// RUN: timeout 60 ./prog main-ends && not ls trace-*
// RUN: timeout 60 ./prog main-ends-on %dftrace && %check-trace trace-prog-*.pfw.gz --only work --count work=10 && rm trace-*
// RUN: timeout 60 ./prog daemon %dftrace && %check-trace trace-prog-*.pfw.gz --only work --count work=20 && rm trace-*
// RUN: timeout 60 ./prog exec && not ls trace-*
// RUN: code=0; timeout 60 ./prog abort || code=$?; test $code = 134
// RUN: not ls trace-* && test -z "$(ls -A spools)"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;
static const char *tool;

__attribute__((noinline)) static void work(int times)
{
    for (int i = 0; i < times; i++)
        sink = i;
}

static void ask(const char *what)
{
    char pid[20];
    pid_t child;
    int status;

    snprintf(pid, sizeof pid, "%d", (int)getpid());
    child = vfork();
    if (child == 0) {
        execl(tool, "dftrace", "ctl", pid, what, NULL);
        _exit(99);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        abort();
}

static void *run(void *argument)
{
    usleep(50000);
    if (tool)
        ask("on");
    for (int i = 0; i < 10; i++)
        work(i);
    return argument;
}

int main(int argc, char **argv)
{
    const char *what = argv[1];
    pthread_t thread;

    tool = argc > 2 ? argv[2] : NULL;
    if (strncmp(what, "main-ends", 9) == 0) {
        pthread_create(&thread, NULL, run, NULL);
        pthread_exit(NULL);
    } else if (strcmp(what, "daemon") == 0) {
        pid_t child = fork();
        if (child == 0) {
            ask("on");
            for (int i = 0; i < 20; i++)
                work(i);
            exit(0);
        }
        return waitpid(child, NULL, 0) != child;
    } else if (strcmp(what, "exec") == 0) {
        execlp("true", "true", NULL);
    }
    abort();
}
