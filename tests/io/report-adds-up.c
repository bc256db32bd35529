// dftrace report --io shows what the events of a program add up to, worked out in another way: a program
// with functions inside each other, threads that use the same files at the same time, and children,
// with all kinds of reads, writes, seeks and syncs.
//
// RUN: printf '%%s\n' main produce consume consume_some write_log follow > allow.txt
// RUN: %cc -w -O1 -pthread %plugin %allow=allow.txt %s %lib -o prog
// RUN: %dftrace run --io --no-report -o json -- ./prog && %{python} %S/../tool/Inputs/compare-io.py %dftrace json-*.gz > json.txt
// RUN: grep -E 'same: [0-9]+ files, 6 functions, 3 processes' json.txt
// RUN: rm -f data log && PMI_RANK=1 PMI_SIZE=2 %dftrace run --io --no-report -e FORMAT=dftracer -o lines -- ./prog
// RUN: %{python} %S/../tool/Inputs/compare-io.py %dftrace --rounded lines-*.gz

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK 5000

static char buffer[4][1 << 20];

__attribute__((noinline)) void produce(const char *name)
{
    int fd = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);

    for (int i = 0; i < 40; i++)
        write(fd, buffer[0], BLOCK * (i % 3 + 1));
    lseek(fd, 10, SEEK_SET);
    write(fd, buffer[0], 1 << 20);
    pwrite(fd, buffer[0], 100, 1 << 21);
    fdatasync(fd);
    close(fd);
}

__attribute__((noinline)) void consume_some(int fd, char *to)
{
    for (int i = 0; i < 20; i++)
        read(fd, to, BLOCK);
    pread(fd, to, 70000, 0);
    pread(fd, to, 70000, 70000);
}

__attribute__((noinline)) void consume(const char *name, char *to)
{
    struct stat status;
    int fd = open(name, O_RDONLY);

    fstat(fd, &status);
    consume_some(fd, to);
    lseek(fd, 0, SEEK_SET);
    consume_some(fd, to);
    close(fd);
}

__attribute__((noinline)) void write_log(const char *name)
{
    FILE *log = fopen(name, "a");

    for (int i = 0; i < 30; i++) {
        fprintf(log, "record %d\n", i);
        fputs("and more\n", log);
        fputc('.', log);
    }
    fflush(log);
    fsync(fileno(log));
    fclose(log);
}

__attribute__((noinline)) void follow(const char *name)
{
    char *line = NULL;
    size_t room = 0;
    FILE *log = fopen(name, "r");

    while (getline(&line, &room, log) > 0)
        ;
    fseek(log, 0, SEEK_SET);
    fread(buffer[3], 3, 50, log);
    fgets(buffer[3], 100, log);
    fgetc(log);
    fclose(log);
    free(line);
}

static void *consume_in_thread(void *number)
{
    consume("data", buffer[(long)number]);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];

    produce("data");
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, consume_in_thread, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    write_log("log");
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            consume("data", buffer[i]);
            follow("log");
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    int from = open("data", O_RDONLY), to = open("copy", O_CREAT | O_RDWR, 0600);
    copy_file_range(from, NULL, to, NULL, 10000, 0);
    sendfile(to, from, NULL, 20000);
    munmap(mmap(NULL, 4096, PROT_READ, MAP_SHARED, from, 0), 4096);
    close(from);
    close(to);
    return 0;
}
