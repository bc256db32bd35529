// While threads write to a descriptor, another one gives it another file with dup2: afterwards the
// descriptor has the name of its file, and so have its copies. Eight threads read one file and files of
// their own, and open and close files whose numbers the others use next. All goes on after the first
// thread has ended.
//
// RUN: %cc -w -O1 -pthread %s -o prog
// RUN: mkdir data; %dftrace run --io --no-report -o t -- ./prog && test -e data/end
// RUN: %{python} %S/Inputs/check-threads t-*.gz

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 8
#define ROUNDS 2000
#define NUMBER 200

static pthread_barrier_t barrier;
static int files[2];

/* A file's size in bytes says which file it is, and each call asks for as many. */
static int make(const char *name, int size)
{
    char path[64];
    static const char zeros[5000];

    snprintf(path, sizeof path, "data/%s", name);
    int fd = open(path, O_CREAT | O_RDWR | O_TRUNC | O_APPEND, 0600);
    if (fd < 0 || syscall(SYS_write, fd, zeros, size) != size)
        abort();
    return fd;
}

/* While thread 0 changes the file of NUMBER, the others use it, without a name in some rounds. */
static void change(long self)
{
    char buffer[5000];

    for (int i = 0; i < ROUNDS; i++) {
        if (self == 0 && i % 2 == 0) {
            close(NUMBER);
            syscall(SYS_dup2, files[i / 2 % 2], NUMBER);
        }
        pthread_barrier_wait(&barrier);
        if (self == 0)
            dup2(files[1 - i / 2 % 2], NUMBER);
        else if (self < 3)
            syncfs(self == 1 ? NUMBER : -1);
        else if (self == 3)
            dup2(NUMBER, NUMBER + 1);
        pthread_barrier_wait(&barrier);
        if (self == 0)
            pread(NUMBER, buffer, 2001 + 1 - i / 2 % 2, 0);
        if (self == 3) {
            /* Which of both was copied is not known, but the kernel knows it. */
            char path[64], name[256] = "";
            snprintf(path, sizeof path, "/proc/thread-self/fd/%d", NUMBER + 1);
            if (syscall(SYS_readlink, path, name, sizeof name - 1) > 0)
                pread(NUMBER + 1, buffer, strstr(name, "file0") ? 2001 : 2002, 0);
        }
        pthread_barrier_wait(&barrier);
    }
}

static void read_and_reuse(long self)
{
    char name[32], buffer[5000];

    snprintf(name, sizeof name, "own%ld", self);
    int shared = make("shared", 3000), own = make(name, 4000 + (int)self);
    for (int i = 0; i < ROUNDS; i++) {
        pread(shared, buffer, 3000, 0);
        pread(own, buffer, 4000 + self, 0);
        snprintf(name, sizeof name, "data/own%ld", self);
        int again = open(name, O_RDONLY);
        pread(again, buffer, 4000 + self, 0);
        close(again);
    }
    close(own);
    close(shared);
}

static void *run(void *self)
{
    pthread_detach(pthread_self());
    pthread_barrier_wait(&barrier);
    change((long)self);
    read_and_reuse((long)self);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        make("end", 1);
        exit(0);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;

    files[0] = make("file0", 2001);
    files[1] = make("file1", 2002);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, run, (void *)i);
    pthread_exit(NULL);
}
