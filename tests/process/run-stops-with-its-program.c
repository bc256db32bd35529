// dftrace run stops when its program stops, and only then: not by a SIGTSTP that the program
// handles. It continues with the program, whoever continues it, and ends when a stopped program is
// killed.
//
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools
// RUN: echo handle > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog
// RUN: code=0; timeout 100 %dftrace run --no-report ./prog continued || code=$?; test $code = 7
// RUN: code=0; timeout 100 %dftrace run --no-report ./prog handled || code=$?; test $code = 8
// RUN: timeout 100 bash -c '%dftrace run --no-report ./prog killed; test $? = 137'
// RUN: %check-trace trace-prog-*.pfw.gz --only handle
// RUN: test -z "$(ls -A spools)"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static __attribute__((noinline)) void handle(int number)
{
    (void)number;
    seen++;
}

static char state_of(pid_t pid)
{
    char path[64], text[512] = "";

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file) {
        if (!fgets(text, sizeof text, file))
            text[0] = '\0';
        fclose(file);
    }
    const char *end = strrchr(text, ')');
    return end ? end[2] : '?';
}

static void wait_for_stop(pid_t pid)
{
    while (state_of(pid) != 'T')
        usleep(1000);
}

int main(int argc, char **argv)
{
    pid_t front = getppid(), program = getpid();
    const char *what = argc > 1 ? argv[1] : "";

    handle(0);
    if (strcmp(what, "handled") == 0) {
        signal(SIGTSTP, handle);
        signal(SIGUSR1, handle);
        kill(front, SIGTSTP);
        while (seen < 2)
            usleep(1000);
        kill(front, SIGUSR1); /* forwarded by dftrace run, which has not stopped */
        while (seen < 3)
            usleep(1000);
        return 8;
    }
    if (fork() == 0) {
        wait_for_stop(program);
        wait_for_stop(front);
        kill(program, strcmp(what, "killed") == 0 ? SIGKILL : SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
    return 7;
}
