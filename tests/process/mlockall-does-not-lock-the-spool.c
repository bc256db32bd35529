// mlockall locks the program's present and future memory, but not the spool's mapping, most of
// which is never used: in the process, in a forked child, and in a child of that.
//
// REQUIRES: root
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: mkdir static && %cc -O2 -static -pthread %plugin %allow=allow.txt %s -o static/prog -L%libdir -l:libdftrace.a
// RUN: export DFTRACER_SPOOL_DIR=$PWD
// RUN: for prog in ./prog static/prog; do for flags in 1 3; do for forks in 0 1 2; do \
// RUN:   $prog $flags $forks && DFTRACER_ENABLE=1 $prog $flags $forks && \
// RUN:   %check-trace trace-prog-*.pfw.gz --count work=$((200 + forks * 100)) && rm trace-* || exit 1; done; done; done
// RUN: %cc -O2 -pthread -DLIMITED %plugin %allow=allow.txt %s -o limited %lib
// Another process creates spool and trace here:
// RUN: chmod 1777 .
// RUN: for limit in 60000 1000; do for flags in 1 3; do for forks in 0 1; do export LIMIT=$limit; \
// RUN:   ./limited $flags $forks > plain.txt && DFTRACER_ENABLE=1 ./limited $flags $forks > traced.txt && \
// RUN:   cmp plain.txt traced.txt && %check-trace trace-limited-*.pfw.gz && rm trace-* || exit 1; done; done; done
// RUN: %dftrace run --no-report ./prog 3 1 && %check-trace trace-prog-*.pfw.gz --count work=300

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define SIZE (1 << 20)

static volatile int sink;

__attribute__((noinline)) static void work(int x)
{
    sink = x;
}

static void call_work(void)
{
    for (int i = 0; i < 100; i++)
        work(i);
}

static long locked_kib(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[200];
    long amount = -1;

    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "VmLck:", 6) == 0)
            amount = strtol(line + 6, NULL, 10);
    if (status)
        fclose(status);
    return amount;
}

static char *map(void)
{
    return (char *)mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int is_present(char *memory)
{
    unsigned char pages[SIZE / PAGE];

    if (mincore(memory, SIZE, pages) != 0)
        return 0;
    for (int i = 0; i < SIZE / PAGE; i++)
        if (!(pages[i] & 1))
            return 0;
    return 1;
}

static int fail(const char *what)
{
    fprintf(stderr, "%s, %ld KiB are locked\n", what, locked_kib());
    return 1;
}

static int lock(int flags)
{
    char *before = map();

#ifdef LIMITED /* as a user to whom the limit, in KiB, applies */
    rlim_t limit = (rlim_t)atol(getenv("LIMIT")) * 1024;
    if (setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){limit, limit}) != 0) {
        printf("the limit here is lower\n");
        return 0;
    }
    if (setuid(65534) != 0)
        return fail("cannot be somebody else");
    if (mlockall(flags) != 0) {
        printf("mlockall fails\n");
        return 0;
    }
    printf("mlockall succeeds\n");
#else
    if (mlockall(flags) != 0)
        return fail("mlockall fails");
#endif
    if (!is_present(before))
        return fail("memory was not brought in");
    char *after = map();
    if (is_present(after) != ((flags & MCL_FUTURE) != 0))
        return fail("later memory is not what was asked for");
    if (locked_kib() < 1000 || locked_kib() > 100000)
        return fail("too little or too much");
    call_work();
    return 0;
}

int main(int argc, char **argv)
{
    int flags = atoi(argv[1]), forks = atoi(argv[argc - 1]);

    for (; forks > 0; forks--) {
        int status;
        call_work();
        pid_t child = fork();
        if (child != 0) {
            if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
                return 1;
            return WEXITSTATUS(status);
        }
    }
    int failed = lock(flags);
    if (!failed) /* the calls above may have been this process's first ones */
        failed = lock(flags);
    return failed;
}
