// The files that counters are read from stay open from one sample to the next, where no program can
// close them: in the writer thread's own descriptor table, or in the process of `dftrace run`. The
// program sees no descriptor that it has not opened. With a low limit of descriptors, none is kept
// open.
//
// RUN: printf 'work\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_TRACE_INTERVAL_MS=10
// RUN: DFTRACER_ENABLE=1 ./prog inside | FileCheck %s --check-prefix=INSIDE
// INSIDE:      own: /proc/[[PID:[0-9]+]]/io /proc/[[PID]]/status
// INSIDE-NEXT: program's: none
// RUN: %check-trace trace-prog-*.pfw.gz --count work=1 && rm trace-*
//
// RUN: %dftrace run ./prog beside > beside.txt && FileCheck %s --check-prefix=BESIDE < beside.txt
// BESIDE:      own: /proc/[[PID:[0-9]+]]/io /proc/[[PID]]/stat /proc/[[PID]]/status
// /proc/[[PID]]/task
// BESIDE-NEXT: program's: none
// RUN: rm trace-*
//
// A program that closes all descriptors and opens others under every number finds its own files as
// it left them, and counters go on.
// RUN: DFTRACER_ENABLE=1 ./prog closes | FileCheck %s --check-prefix=CLOSES
// CLOSES: 600 unharmed
// RUN: zcat trace-prog-*.pfw.gz | grep -c '"name":"memory"' > count.txt && test $(cat count.txt) -gt 2 && rm trace-*
//
// RUN: (ulimit -n 40 && DFTRACER_ENABLE=1 ./prog inside) | FileCheck %s --check-prefix=FEW
// FEW:      own:{{$}}
// FEW-NEXT: program's: none
// RUN: zcat trace-prog-*.pfw.gz | grep -c '"name":"memory"' > count.txt && test $(cat count.txt) -gt 2

#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define FILES 600

static volatile int sink;

__attribute__((noinline)) static void work(int x)
{
    sink = x;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Collects the files of this process in /proc that the descriptors in a directory refer to. */
static int collect(const char *directory, char **found, int count)
{
    char prefix[64], path[600], target[300];
    DIR *all = opendir(directory);
    struct dirent *entry;

    snprintf(prefix, sizeof prefix, "/proc/%d/", (int)getpid());
    while (all && count < 16 && (entry = readdir(all))) {
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        ssize_t length = readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        if (strncmp(target, prefix, strlen(prefix)) == 0 && !strstr(target, "/fd"))
            found[count++] = strdup(target);
    }
    if (all)
        closedir(all);
    return count;
}

static int is_writer(const char *directory)
{
    char path[400], name[32] = "";
    snprintf(path, sizeof path, "%s/comm", directory);
    FILE *file = fopen(path, "r");
    if (file) {
        if (!fgets(name, sizeof name, file))
            name[0] = '\0';
        fclose(file);
    }
    return strncmp(name, "dftrace-writer", 14) == 0;
}

/* For the writer's thread, or for all other processes. */
static void show_own(int beside)
{
    const char *parent = beside ? "/proc" : "/proc/self/task";
    char directory[300], path[320];
    char *found[16];
    int count = 0;
    DIR *all = opendir(parent);
    struct dirent *entry;

    while (all && (entry = readdir(all))) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9' ||
            (beside && atoi(entry->d_name) == getpid()))
            continue;
        snprintf(directory, sizeof directory, "%s/%s", parent, entry->d_name);
        snprintf(path, sizeof path, "%s/fd", directory);
        if (beside || is_writer(directory))
            count = collect(path, found, count);
    }
    closedir(all);
    qsort(found, (size_t)count, sizeof *found, compare);
    printf("own:");
    for (int i = 0; i < count; i++)
        printf(" %s", found[i]);
    printf("\n");
}

/* Runs long enough for several samples, each of which finds more memory than the one before. */
static void grow(void)
{
    for (int i = 0; i < 100; i++) {
        char *more = malloc(1 << 18);
        memset(more, i, 1 << 18);
        sink = more[i];
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
}

static int count_unharmed(void)
{
    int count = 0;

    for (int fd = 3; fd < 3 + FILES; fd++)
        count += lseek(fd, 0, SEEK_CUR) == 1;
    return count;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char *found[16], byte;

    alarm(100);
    work(1);
    grow();
    if (strcmp(what, "closes") == 0) {
        struct rlimit limit;
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_cur < FILES + 100 ? limit.rlim_max : limit.rlim_cur;
        setrlimit(RLIMIT_NOFILE, &limit);
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
        for (int i = 0; i < FILES; i++)
            if (read(open(argv[0], O_RDONLY), &byte, 1) != 1)
                return 1;
        grow();
        printf("%d unharmed\n", count_unharmed());
        return 0;
    }
    show_own(strcmp(what, "beside") == 0);
    printf("program's: %s\n", collect("/proc/self/fd", found, 0) == 0 ? "none" : found[0]);
    return 0;
}
