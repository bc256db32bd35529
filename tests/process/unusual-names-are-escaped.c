// Trace prefixes and program names may contain any bytes. They become file names, and are escaped
// in messages and traces. Names that are too long are reported. The environment at the start
// counts, also for children of a program that has overwritten its environment and changed its
// directory.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %s -o plain
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1
//
// RUN: mkdir names && export DFTRACER_LOG_FILE=$'names/a "quoted" %%s%%n \\ \n\t\x01 \xff\xc3 gr\xc3\xb6\xc3\x9fe ;$(touch here)'
// RUN: %unharmed ./plain ./prog && test ! -e here
// RUN: %check-trace "$DFTRACER_LOG_FILE"-prog-*.pfw.gz --count main=1 --count work=1000 && rm names/*
// RUN: export STRANGE=$'na"me\n\\\x01\xff%%s' && cp prog "$STRANGE"
// RUN: %unharmed ./plain './"$STRANGE"'
// RUN: %check-trace names/* --count main=1 --count work=1000 && rm names/*
// RUN: long=$(printf 'x%.0s' $(seq 200)) && cp prog $long && %unharmed ./plain ./$long
// RUN: %check-trace names/* --count main=1 --count work=1000 && rm names/*
// RUN: export DFTRACER_LOG_FILE=$'no/such\ndftrace: place'
// RUN: %unharmed ./plain ./prog 'cannot make the trace .*no/such.dftrace: place-prog-'
//
// RUN: export DFTRACER_LOG_FILE=names/$(printf 'x%.0s' $(seq 250))
// RUN: %unharmed ./plain ./prog 'cannot make the trace .*: File name too long'
// RUN: export DFTRACER_LOG_FILE=names/$(printf '/%.0s' $(seq 3000))x
// RUN: %unharmed ./plain ./prog 'DFTRACER_LOG_FILE is too long; not tracing'
// RUN: export DFTRACER_LOG_FILE=$PWD/t DFTRACER_SPOOL_DIR=/$(printf '/%.0s' $(seq 1200))dev/shm
// RUN: %unharmed ./plain ./prog 'cannot make a spool in .*: File name too long'
// RUN: ls names > left.txt && cmp left.txt /dev/null
//
// RUN: unset DFTRACER_SPOOL_DIR && export DFTRACER_LOG_FILE=names/t
// RUN: %unharmed ./plain './prog overwrite'
// RUN: test $(ls names | wc -l) = 2 && %check-trace names/* --count main=2 --count work=2000 && rm names/*

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static volatile long sink;

__attribute__((noinline)) static void work(long x)
{
    sink = x;
}

/* Does what programs do to change the title that ps shows. */
static void overwrite_environment(void)
{
    for (char **entry = environ; *entry; entry++)
        memset(*entry, '#', strlen(*entry));
    if (chdir("/") != 0)
        _exit(1);
}

int main(int argc, char **argv)
{
    int status = 0;

    (void)argv;
    alarm(120);
    if (argc > 1) {
        overwrite_environment();
        pid_t child = fork();
        if (child > 0 && (waitpid(child, &status, 0) != child || status != 7 << 8))
            return 1;
        argc = child == 0 ? 0 : argc;
    }
    for (int i = 0; i < 1000; i++)
        work(i);
    if (argc > 0) /* in the parent */
        printf("%ld\n", sink);
    return 7;
}
