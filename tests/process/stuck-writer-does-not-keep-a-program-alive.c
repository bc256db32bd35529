// A program ends while the writer is stuck (here: stopped by a debugger). After some seconds it
// ends as without tracing, reports once where the rest of its trace is, and leaves that for
// recovery. Another thread that tries to end the process meanwhile does not change how it ends.
// After a failed exec, the spool has no file that could be recovered.
//
// RUN: printf 'main\nwork\n' > allow.txt && export DFTRACER_SPOOL_DIR=$PWD
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: code=0; DFTRACER_ENABLE=1 timeout 120 ./prog 2> stderr.txt || code=$?; cat stderr.txt; test $code = 139
// RUN: FileCheck %s < stderr.txt
// CHECK: held
// CHECK-NEXT: dftrace: the trace is not complete: {{.*}}/dftrace-{{[0-9]+-[0-9a-f]+}}; `dftrace recover`
// CHECK-NOT: dftrace
// RUN: ls dftrace-* && rm dftrace-*
//
// RUN: printf '\0' > no-program && chmod +x no-program
// RUN: code=0; DFTRACER_ENABLE=1 timeout 120 ./prog ./no-program 2> stderr.txt || code=$?; cat stderr.txt; test $code = 139
// RUN: FileCheck %s < stderr.txt --check-prefix=EXEC && not ls dftrace-*
// EXEC: held
// EXEC-NEXT: {{^}}dftrace: the trace is not complete: its writer is not making progress{{$}}
// EXEC-NOT: dftrace

#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;
static volatile pid_t dying_thread;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static pid_t find_writer(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;

    while ((entry = readdir(tasks))) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(name, sizeof name, file) && strcmp(name, "dftrace-writer\n") == 0)
            return (pid_t)atol(entry->d_name);
        if (file)
            fclose(file);
    }
    return 0;
}

/* Stops the writer until the program is gone. */
static void hold(pid_t writer, int ready)
{
    char done = 0;

    if (ptrace(PTRACE_SEIZE, writer, NULL, NULL) != 0 ||
        ptrace(PTRACE_INTERRUPT, writer, NULL, NULL) != 0 ||
        waitpid(writer, NULL, __WALL) != writer)
        done = 1;
    if (write(ready, &done, 1) != 1 || done)
        _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        pause();
}

/* Runs as soon as the other thread is in the handler, with all signals blocked. */
static void *exit_in_between(void *argument)
{
    char path[64], line[200];

    while (!dying_thread)
        usleep(100);
    snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)dying_thread);
    for (;;) {
        FILE *file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file))
            if (strncmp(line, "SigBlk:\tffff", 12) == 0)
                _exit(77);
        fclose(file);
        usleep(1000);
    }
    return argument;
}

int main(int argc, char **argv)
{
    int ready[2];
    char failed = 1;
    pthread_t thread;

    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    for (int i = 0; i < 100; i++)
        work(i);
    if (pipe(ready) != 0)
        return 1;
    if (argc > 1)
        execv(argv[1], argv);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    pid_t writer = find_writer();
    if (fork() == 0)
        hold(writer, ready[1]);
    if (read(ready[0], &failed, 1) != 1 || failed)
        return 2;
    fprintf(stderr, "held\n");
    pthread_create(&thread, NULL, exit_in_between, NULL);
    dying_thread = (pid_t)syscall(SYS_gettid);
    *(volatile int *)16 = 0;
    return 3;
}
