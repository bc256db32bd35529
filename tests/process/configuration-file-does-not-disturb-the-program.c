// The runtime reads its configuration file in a process that the program does not notice: no child
// is left for it, no SIGCHLD, no descriptor, and nothing of libyaml. A program that it starts, or
// forks, has the same configuration. If the helper fails, the program runs and one line says why.
//
// REQUIRES: yaml
// RUN: printf 'main\nwork\n' > allow.txt && %cc -O1 %plugin %allow=allow.txt %s -o prog %lib
// RUN: printf 'enable: 1\nlog_file: %%s/t\nnever: [main]\n' $PWD > a.yaml
// RUN: export DFTRACER_CONFIGURATION=$PWD/a.yaml
// RUN: ./prog check && %check-trace t-prog-*.pfw.gz --count work=1 --only work && rm t-*
//
// Also with SIGCHLD blocked, ignored, or sent by children that end meanwhile; without descriptors; in a small pid table.
// RUN: %{python} -c 'import os, signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD]); os.execv("prog", ["prog", "blocked"])'
// RUN: %{python} -c 'import os, signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv("prog", ["prog", "check"])'
// RUN: ./prog check < /dev/null && ./prog check <&- && ./prog check <&- >&- && ./prog check <&- >&- 2>&-
// RUN: %check-trace t-prog-*.pfw.gz --count work=6 --only work && rm t-*
//
// Forked and executed programs.
// RUN: mkdir other && ./prog fork && ./prog exec && ls t-prog-*.pfw.gz | wc -l | grep -x 4 && %check-trace t-prog-*.pfw.gz --count work=4 --only work && rm t-*
//
// Under dftrace run the program gets the options, not the file.
// RUN: %dftrace run --no-report ./prog run && %check-trace t-prog-*.pfw.gz --count work=1 --only work && rm t-*
// RUN: %dftrace run --no-report ./prog exec && %check-trace t-prog-*.pfw.gz --count work=2 --only work && rm t-*
//
// A helper that is missing, cannot be run, or ends early.
// RUN: mkdir -p copy/dftrace && cp %libdir/libdftrace.so copy && ldd prog > ldd.txt
// RUN: failed() { LD_LIBRARY_PATH=$PWD/copy LD_PRELOAD=$PWD/copy/libdftrace.so ./prog check 2> err.txt; not ls t-*; \
// RUN:   test $(grep -c "^dftrace: cannot read DFTRACER_CONFIGURATION=$PWD/a.yaml: $PWD/copy/dftrace/dftrace-configuration.*; not tracing" err.txt) = 1; grep -F "$1" err.txt; }
// RUN: failed 'No such file or directory'
// RUN: echo nothing > copy/dftrace/dftrace-configuration && failed 'Permission denied'
// RUN: chmod +x copy/dftrace/dftrace-configuration && failed 'gave no complete answer (exit status 127)'
// RUN: printf '#!/bin/sh\nprintf SENABLE=1\n' > copy/dftrace/dftrace-configuration && failed 'gave no complete answer (exit status 0)'
// RUN: printf '#!/bin/sh\nkill -9 $$\n' > copy/dftrace/dftrace-configuration && failed 'gave no complete answer'

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUIRE(condition)                                                                         \
    do                                                                                             \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            _exit(1);                                                                              \
        }                                                                                          \
    while (0)

__attribute__((noinline)) static void work(void)
{
    __asm__ volatile("");
}

static void require_nothing_was_noticed(void)
{
    static char maps[1 << 20];
    sigset_t pending;
    int fd, known = 0;

    REQUIRE(waitpid(-1, NULL, __WALL | WNOHANG) == -1 && errno == ECHILD);
    sigpending(&pending);
    REQUIRE(!sigismember(&pending, SIGCHLD));
    for (fd = 3; fd < 400; fd++) /* the runtime's own are higher */
        known += fcntl(fd, F_GETFD) >= 0;
    REQUIRE(known == 0);
    fd = open("/proc/self/maps", O_RDONLY);
    REQUIRE(fd >= 0 && read(fd, maps, sizeof maps - 1) > 0);
    close(fd);
    REQUIRE(!strstr(maps, "libyaml"));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (strcmp(what, "check") == 0 || strcmp(what, "blocked") == 0)
        require_nothing_was_noticed();
    if (strcmp(what, "run") == 0)
        REQUIRE(!getenv("DFTRACER_CONFIGURATION") && getenv("DFTRACER_ALLOWLIST"));
    if (strcmp(what, "fork") == 0 && fork() > 0)
        wait(NULL);
    work();
    if (strcmp(what, "exec") == 0) {
        REQUIRE(chdir("other") == 0);
        execl("../prog", "prog", NULL);
    }
    return 0;
}
