// Programs under dftrace run replace LD_PRELOAD, unset it or clear the environment. Each
// instrumented program that they start has a trace, whichever function starts it.
//
// RUN: echo work > allow.txt && export DFTRACER_SPOOL_DIR=$PWD/spools && mkdir spools
// RUN: %cc -O2 -D_GNU_SOURCE %plugin %allow=allow.txt %s -o prog && gcc -O2 -D_GNU_SOURCE %s -o start
// RUN: gcc -shared -fPIC -x c /dev/null -o other.so
//
// A script as that of a test suite, which preloads a library of its own: 20 and 20 times, and once
// each.
// RUN: printf 'set -e\nfor i in 0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j; do\n' > suite.sh
// RUN: printf 'LD_PRELOAD=$PWD/other.so ./prog\n(unset LD_PRELOAD; ./prog)\ndone\n' >> suite.sh
// RUN: printf 'LD_PRELOAD= ./prog\nenv -i ./prog\nenv -i /bin/sh -c ./prog\n' >> suite.sh
// RUN: %dftrace run --no-report -o suite sh suite.sh 2> err.txt
// RUN: ls suite-prog-*.pfw.gz | wc -l | grep -qx 43
// RUN: %check-trace suite-prog-*.pfw.gz --only work --count work=43
// RUN: FileCheck %s --implicit-check-not=untraced < err.txt
// CHECK: and {{[0-9]+}} more
//
// What the script preloads is there beside the runtime, and its own environment stays as it has set
// it.
// RUN: printf 'LD_PRELOAD=$PWD/other.so ./start libraries\nunset LD_PRELOAD\ntest -z "$LD_PRELOAD"\n' > own.sh
// RUN: %dftrace run sh -e own.sh 2> err.txt | FileCheck %s --check-prefix=OWN
// OWN-DAG: other.so
// OWN-DAG: libdftrace.so
//
// Every function that starts a program, with an environment of one variable.
// RUN: for way in execve execle execvpe fexecve execveat vfork posix_spawn posix_spawnp; do \
// RUN:   %dftrace run --no-report -o $way ./start $way && %check-trace $way-prog-*.pfw.gz --only work --count work=1 || exit 1; done
//
// A shell, in a program that has cleared its own environment. What the functions return is what the
// command returns, and the program's own environment stays empty. Values may contain quotes.
// RUN: for way in system popen; do %dftrace run --no-report -o "it's $way" ./start $way || exit 1; \
// RUN:   %check-trace "it's $way"-prog-*.pfw.gz --only work --count work=1 || exit 1; done
//
// DFTRACER_ENABLE=0 is heeded, for the program and those that it starts.
// RUN: %dftrace run --no-report -o off env DFTRACER_ENABLE=0 ./start execve
// RUN: not ls off-prog-*.pfw.gz
// RUN: test -z "$(ls -A spools)"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void work(void)
{
    __asm__ volatile("");
}

static void show_libraries(void)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");

    while (fgets(line, sizeof line, maps))
        fputs(line, stdout);
    fclose(maps);
}

static int status_of(pid_t pid)
{
    int status = 1;

    return waitpid(pid, &status, 0) == pid ? status != 0 : 1;
}

static int start_shell(const char *way)
{
    char line[20] = "";

    clearenv();
    if (strcmp(way, "system") == 0)
        return system(NULL) == 0 || system("./prog; exit 3") != 3 << 8 || environ;
    FILE *pipe = popen("./prog; echo $A$0; exit 4", "re");
    if (!pipe || !fgets(line, sizeof line, pipe) || strcmp(line, "sh\n") != 0)
        return 1;
    return pclose(pipe) != 4 << 8 || environ || popen("true", "?");
}

static int start(const char *way)
{
    char *const arguments[] = {(char *)"prog", NULL};
    char *const environment[] = {(char *)"A=B", NULL};
    int fd = open("prog", O_RDONLY | O_CLOEXEC);
    pid_t pid;

    if (strcmp(way, "execve") == 0)
        execve("./prog", arguments, environment);
    if (strcmp(way, "execle") == 0)
        execle("./prog", "prog", (char *)NULL, environment);
    if (strcmp(way, "execvpe") == 0 && setenv("PATH", ".", 1) == 0)
        execvpe("prog", arguments, environment);
    if (strcmp(way, "fexecve") == 0)
        fexecve(fd, arguments, environment);
    if (strcmp(way, "execveat") == 0)
        execveat(fd, "", arguments, environment, AT_EMPTY_PATH);
    if (strcmp(way, "vfork") == 0) {
        pid = vfork();
        if (pid == 0) {
            execve("./prog", arguments, environment);
            _exit(1);
        }
        return status_of(pid);
    }
    if (strcmp(way, "system") == 0 || strcmp(way, "popen") == 0)
        return start_shell(way);
    if (strcmp(way, "posix_spawn") == 0)
        return posix_spawn(&pid, "./prog", NULL, NULL, arguments, environment) || status_of(pid);
    if (strcmp(way, "posix_spawnp") == 0)
        return posix_spawnp(&pid, "./prog", NULL, NULL, arguments, environment) || status_of(pid);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "libraries") == 0)
        show_libraries();
    else if (argc == 2)
        return start(argv[1]);
    else
        work();
    return 0;
}
