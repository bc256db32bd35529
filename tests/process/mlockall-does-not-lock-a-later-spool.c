// A program that has locked all its present and future memory is asked to record. Its resident and
// locked memory grows by the used part of the spool, not by the size of its mapping.
//
// REQUIRES: root
// RUN: printf 'work\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: mkdir spools static && %cc -O2 -static -pthread %plugin %allow=allow.txt %s -o static/prog -L%libdir -l:libdftrace.a
// RUN: export DFTRACER_SPOOL_DIR=$PWD/spools DFTRACER_ENABLE=attach
// RUN: for prog in ./prog static/prog; do for flags in 2 3 6 7; do $prog $flags %dftrace && \
// RUN:   %check-trace trace-prog-*.pfw.gz --count work=100 && rm trace-* && test -z "$(ls -A spools)" || exit 1; done; done

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int sink;

__attribute__((noinline)) static void work(int x)
{
    sink = x;
}

static long status_kib(const char *name)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[200];
    long amount = -1;

    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, name, strlen(name)) == 0)
            amount = strtol(line + strlen(name), NULL, 10);
    if (status)
        fclose(status);
    return amount;
}

int main(int argc, char **argv)
{
    char command[1000];

    if (argc != 3 || mlockall(atoi(argv[1])) != 0)
        return 1;
    long locked = status_kib("VmLck:"), resident = status_kib("VmRSS:");
    snprintf(command, sizeof command, "%s ctl %d on", argv[2], (int)getpid());
    if (system(command) != 0)
        return 2;
    for (int i = 0; i < 100; i++)
        work(i);
    long more_locked = status_kib("VmLck:") - locked;
    long more_resident = status_kib("VmRSS:") - resident;
    if (more_locked > 200000 || more_resident > 50000) {
        fprintf(stderr, "%ld KiB more are locked, %ld in memory\n", more_locked, more_resident);
        return 3;
    }
    return 0;
}
