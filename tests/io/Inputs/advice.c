/*
 * Programs that deserve advice, and neighbours of theirs that do not: advice WHICH. Files are in the current directory.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[1 << 20];

static void fill(const char *name, int blocks)
{
    int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);

    for (int i = 0; i < blocks; i++)
        if (write(fd, block, sizeof block) != sizeof block)
            exit(1);
    close(fd);
}

static void read_all(int fd, size_t size)
{
    while (read(fd, block, size) > 0)
        ;
}

static void scan(const char *name, size_t size, int times)
{
    int fd = open(name, O_RDONLY);

    for (int i = 0; i < times; i++) {
        lseek(fd, 0, SEEK_SET);
        read_all(fd, size);
    }
    close(fd);
}

static void append(const char *name, int records, int per_open)
{
    for (int i = 0; i < records; i += per_open) {
        FILE *file = fopen(name, "a");
        for (int j = 0; j < per_open; j++)
            fprintf(file, "record %d\n", i + j);
        fclose(file);
    }
}

static void write_files(const char *directory, int files, size_t size)
{
    char name[64];

    mkdir(directory, 0700);
    for (int i = 0; i < files; i++) {
        snprintf(name, sizeof name, "%s/%d", directory, i);
        int fd = open(name, O_CREAT | O_WRONLY, 0600);
        if (write(fd, block, size) != (ssize_t)size)
            exit(1);
        close(fd);
    }
}

static void log_records(const char *name, int records, int per_sync)
{
    int fd = open(name, O_CREAT | O_WRONLY, 0600);

    for (int i = 0; i < records; i++) {
        if (write(fd, block, 100) != 100)
            exit(1);
        if (i % per_sync == per_sync - 1)
            fdatasync(fd);
    }
    close(fd);
}

/* Reads records of this size all over a file of 17 MiB, none next to the one before. */
static void jump(const char *name, size_t size)
{
    int fd = open(name, O_RDONLY);
    long count = (long)((17 << 20) / size);

    for (long i = 0; i < 2000; i++)
        if (pread(fd, block, size, i * 997 % count * (long)size) < 0)
            exit(1);
    close(fd);
}

/* What is read here comes slowly. */
static void trickle(const char *name, unsigned pause)
{
    mkfifo(name, 0600);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(name, O_WRONLY);
        for (int i = 0; i < 30; i++) {
            usleep(pause);
            if (write(fd, block, 100) != 100)
                _exit(1);
        }
        _exit(0);
    }
    int fd = open(name, O_RDONLY);
    read_all(fd, 100);
    close(fd);
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";

    if (strcmp(which, "small-reads") == 0) {
        fill("a", 5);
        scan("a", 4096, 1);
    } else if (strcmp(which, "large-reads") == 0) {
        fill("a", 5);
        scan("a", 65536, 1);
    } else if (strcmp(which, "read-again") == 0) {
        fill("a", 2);
        scan("a", 65536, 3);
    } else if (strcmp(which, "read-once") == 0) {
        fill("a", 2);
        scan("a", 65536, 1);
    } else if (strcmp(which, "opened-often") == 0) {
        append("log", 300, 1);
    } else if (strcmp(which, "opened-once") == 0) {
        append("log", 300, 300);
    } else if (strcmp(which, "many-files") == 0) {
        write_files("d", 300, 312);
    } else if (strcmp(which, "some-files") == 0) {
        write_files("d", 100, 312);
        write_files("e", 100, 312);
        write_files("f", 100, 312);
    } else if (strcmp(which, "sync-per-write") == 0) {
        log_records("log", 100, 1);
    } else if (strcmp(which, "sync-per-batch") == 0) {
        log_records("log", 1000, 100);
    } else if (strcmp(which, "unaligned") == 0) {
        fill("a", 17);
        jump("a", 8000);
    } else if (strcmp(which, "aligned") == 0) {
        fill("a", 17);
        jump("a", 8192);
    } else if (strcmp(which, "slow-file") == 0) {
        fill("a", 1);
        scan("a", 65536, 1);
        trickle("slow", 20000);
    } else if (strcmp(which, "slow-alone") == 0) {
        trickle("slow", 5000);
    } else {
        return 2;
    }
    return 0;
}
