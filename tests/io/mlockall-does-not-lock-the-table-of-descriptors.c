// mlockall of a program whose I/O calls are recorded locks what it locks in the program alone, without
// the table of descriptors, which has 8 MiB and is nearly empty: in the process and in a forked child.
//
// REQUIRES: root
// RUN: %cc -w -O1 %s -o prog
// RUN: %dftrace run --io --no-report -o t -- ./prog > with.txt
// RUN: %dftrace run --io --no-report -e DISABLE_IO=1 -o u -- ./prog > without.txt
// RUN: paste with.txt without.txt | awk 'function far(a, b) { return a > b + 4096 || b > a + 4096 } NF != 2 || far($1, $2) || $1 < 1000 { exit 1 } END { if (NR != 2) exit 1 }' || (cat with.txt without.txt && exit 1)

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Prints how many KiB are locked. */
static void lock(void)
{
    char line[200];

    if (mlockall(MCL_CURRENT) != 0)
        printf("mlockall fails\n");
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status))
        if (strncmp(line, "VmLck:", 6) == 0)
            printf("%d\n", atoi(line + 6));
    fclose(status);
    fflush(stdout);
}

int main(void)
{
    lock();
    if (fork() == 0) {
        lock();
        _exit(0);
    }
    wait(NULL);
    return 0;
}
