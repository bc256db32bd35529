// dftrace ctl names functions of an interpreter while the program runs: the interpreter is told to ask again, sites that it has are
// switched on and off, and a call that is open at that moment is neither lost nor taken for another one.
//
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools
// RUN: echo 'fun:guest_*' > list.txt && echo nothing > none.txt
// RUN: %cc -O2 -I%include %support %s -o prog %lib
// RUN: DFTRACER_ENABLE=attach ./prog %dftrace
// RUN: %check-trace trace-prog-*.pfw.gz --only guest_function --count guest_function=16
// RUN: test -z "$(ls -A spools)"

#include "guest.h"

#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *tool;
static volatile int changes;

static void changed(void)
{
    changes++;
}

static int ask(const char *what, const char *argument)
{
    char pid[20];
    char *words[] = {(char *)tool, "ctl", pid, (char *)what, (char *)argument, NULL};
    pid_t child;
    int status;

    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (posix_spawn(&child, tool, NULL, NULL, words, environ) != 0 ||
        waitpid(child, &status, 0) != child)
        abort();
    return status;
}

static void call(struct dftrace_site *site, int times)
{
    for (int i = 0; i < times; i++) {
        __dftrace_guest_enter(site, LOOP_FRAME());
        __dftrace_guest_exit(site);
    }
}

static void check(int condition, const char *text)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", text);
    exit(1);
}

int main(int argc, char **argv)
{
    struct dftrace_guest guest = describe("guest_function");
    void *stack = LOOP_FRAME();

    tool = argv[argc - 1];
    check(__dftrace_guest_wanted(changed), "functions may be named later");
    check(!__dftrace_guest_asks(&guest) && !__dftrace_guest_site(&guest), "nothing is named yet");
    check(ask("set", "list.txt") == 0, "a function that the rule matches may be known later");
    check(changes == 1, "the interpreter was not told");
    check(__dftrace_guest_asks(&guest), "the list names the function");
    struct dftrace_site *site = __dftrace_guest_site(&guest);
    check(site != NULL, "a named function has a site");
    call(site, 100);
    __dftrace_guest_enter(site, stack);
    check(ask("on", NULL) == 0, "ctl on failed");
    call(site, 10);
    __dftrace_guest_exit(site);
    call(site, 1);
    __dftrace_guest_enter(site, stack);
    ask("set", "none.txt");
    check(changes == 2, "the interpreter was not told of the second list");
    call(site, 100);
    __dftrace_guest_exit(site);
    check(ask("set", "list.txt") == 0, "the rule matches a known function");
    call(site, 4);
    check(ask("off", NULL) == 0, "ctl off failed");
    call(site, 100);
    return 0;
}
