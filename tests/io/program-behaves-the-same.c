// Results and errno of I/O calls are those of the untraced program, also after success, with invalid
// pointers, without a free descriptor and without room for messages; a pending cancellation ends a thread
// only where it would anyway; and calls before the first constructor and after the last destructor work.
// So they do if files are excluded, if I/O calls are disabled, and if nothing is traced.
//
// RUN: %cc -w -O1 -fno-builtin -shared -fPIC -DLIBRARY %s -o libearly.so
// RUN: %cc -w -O1 -fno-builtin -pthread %s -o prog -L. -Wl,-rpath,$PWD -Wl,--no-as-needed -learly
// RUN: ./prog > alone.txt && grep -q "all calls were made" alone.txt && grep -q "late call 1" alone.txt
// RUN: %dftrace run --io --no-report -o t -- ./prog > io.txt && cmp alone.txt io.txt
// RUN: zcat t-*.gz | grep '"name":"pread".*/data"' | grep -q '"errno":14'
// RUN: %dftrace run --io --no-report -e DATA_DIR=/nowhere -o n -- ./prog > io.txt && cmp alone.txt io.txt
// RUN: %dftrace run --io --no-report -e DISABLE_IO=1 -o d -- ./prog > io.txt; cmp alone.txt io.txt
// RUN: LD_PRELOAD=%libdir/libdftrace-io.so:%libdir/libdftrace.so ./prog > io.txt && cmp alone.txt io.txt
// RUN: DFTRACER_ENABLE=1 DFTRACER_LOG_FILE=$PWD/p LD_PRELOAD=%libdir/libdftrace-io.so:%libdir/libdftrace.so ./prog > io.txt && cmp alone.txt io.txt
// RUN: DFTRACER_ENABLE=1 DFTRACER_LOG_FILE=$PWD/e LD_PRELOAD=$PWD/libearly.so:%libdir/libdftrace-io.so:%libdir/libdftrace.so ./prog > io.txt && cmp alone.txt io.txt

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef LIBRARY
/* This library's constructor and destructor run before and after those of the program. */
__attribute__((constructor(101))) static void begin(void)
{
    struct stat status;
    char text[100];
    FILE *stream = fopen("/proc/self/stat", "r");

    if (!fgets(text, sizeof text, stream) || fclose(stream) || stat("/", &status) ||
        write(1, "early call\n", 11) != 11)
        abort();
}

__attribute__((destructor(101))) static void end(void)
{
    static const char text[] = "late call 1\n";
    int fd = open("/dev/null", O_WRONLY);

    if (write(1, text, sizeof text - 1) < 0 || write(fd, "x", 1) != 1 || close(fd) ||
        !getcwd(NULL, 0))
        abort();
}
#else

#define SENTINEL 12345

/* Pointers are shown as whether they are there. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        errno = SENTINEL;                                                                          \
        long result = (long)(call);                                                                \
        int error = errno;                                                                         \
        printf("%s: %ld %d\n", #call, result, error);                                              \
    } while (0)
#define BAD ((void *)8)

static char buffer[4096];
static struct stat status;

static void data_calls(void)
{
    int fd = open("data", O_CREAT | O_RDWR | O_TRUNC, 0600), bad = 9999;
    struct iovec vector = {buffer, 10}, wrong = {BAD, 10};

    TRY(write(fd, buffer, 100));
    TRY(write(fd, BAD, 100));
    TRY(pread(fd, buffer, 50, 0));
    TRY(pread(fd, BAD, 50, 0));
    TRY(pread(fd, buffer, 50, -1));
    TRY(readv(fd, &vector, 1));
    TRY(preadv(fd, &wrong, 1, 0));
    TRY(preadv(fd, BAD, 1, 0));
    TRY(lseek(fd, 10, SEEK_SET));
    TRY(lseek(fd, -10, SEEK_SET));
    TRY(fsync(fd));
    TRY(posix_fallocate(fd, 0, 0));
    TRY(ftruncate(fd, -1));
    TRY(fcntl(fd, F_GETFL) & O_ACCMODE);
    TRY(fcntl(fd, 9999));
    TRY(read(bad, buffer, 1));
    TRY(close(bad));
    TRY(dup2(bad, fd));
    TRY(dup2(fd, -1));
    TRY(dup2(fd, fd) == fd);
    TRY(dup3(fd, fd, 0));
    TRY(fstat(fd, &status));
    TRY(fstat(fd, BAD));
    TRY(mmap(NULL, 0, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
    TRY(munmap(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0), 4096));
    TRY(pipe(BAD));
    TRY(accept(fd, NULL, NULL));
    TRY(connect(fd, NULL, 0));
    TRY(recv(fd, buffer, 1, 0));
    TRY(sendmsg(fd, BAD, 0));
    TRY(close(fd));
    TRY(close(fd));
}

static void path_calls(void)
{
    char path[5000];

    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    TRY(open(BAD, O_RDONLY));
    TRY(open("", O_RDONLY));
    TRY(open(path, O_RDONLY));
    TRY(openat(9999, "data", O_RDONLY));
    TRY(stat("data", &status));
    TRY(stat(BAD, &status));
    TRY(stat(path, &status));
    TRY(fstatat(AT_FDCWD, "", &status, 0));
    TRY(access("none", F_OK));
    TRY(rename(BAD, "new"));
    TRY(rename("none", BAD));
    TRY(link("data", "data"));
    TRY(symlink("data", ""));
    TRY(readlink("data", buffer, 10));
    TRY(unlink("none"));
    TRY(rmdir("data"));
    TRY(mkdir("data", 0700));
    TRY(chdir("none"));
    TRY(realpath("none", NULL) == NULL);
    TRY(getcwd(buffer, 1) == NULL);
    TRY(opendir("none") == NULL);
    TRY(truncate("none", 1));
    TRY(utimensat(AT_FDCWD, "none", NULL, 0));
    TRY(sysconf(-5));
}

static void stream_calls(void)
{
    FILE *stream = fopen("stream", "w+");

    TRY(stream == NULL);
    TRY(fputs("line\n", stream));
    TRY(fprintf(stream, "%m %d\n", 5));
    TRY(fseek(stream, 0, SEEK_SET));
    TRY(fgets(buffer, 100, stream) == buffer);
    TRY(fscanf(stream, "%s", buffer));
    TRY(fread(buffer, 1, 100, stream));
    TRY(fgetc(stream));
    TRY(feof(stream) != 0);
    TRY(ftell(stream));
    TRY(fclose(stream));
    TRY(fopen("none", "r") == NULL);
    TRY(fopen("data", "?") == NULL);
    TRY(fdopen(9999, "r") == NULL);
    stream = fopen("/dev/full", "w");
    TRY(fputs("x", stream));
    TRY(fflush(stream));
    TRY(fclose(stream));
    stream = fopen("data", "r");
    TRY(fputc('x', stream));
    TRY(fwrite("x", 1, 1, stream));
    TRY(freopen("none", "r", stream) == NULL);
    errno = EACCES;
    printf("%m %s\n", strerror(errno));
}

/* The limit of descriptors is reached: what looks files up must need none. */
static void without_descriptors(void)
{
    struct rlimit limit, none = {3, 3};

    getrlimit(RLIMIT_NOFILE, &limit);
    none.rlim_max = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &none);
    TRY(open("data", O_RDONLY));
    TRY(dup(1));
    TRY(fopen("data", "r") == NULL);
    TRY(opendir(".") == NULL);
    TRY(socket(AF_UNIX, SOCK_STREAM, 0));
    TRY(stat("data", &status));
    TRY(fstat(1, &status));
    setrlimit(RLIMIT_NOFILE, &limit);
}

static volatile int reached;

/* Only the last of these calls is a cancellation point. */
static void *pending(void *fd)
{
    int number = (int)(intptr_t)fd;

    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    pthread_cancel(pthread_self());
    fstat(number, &status);
    stat("data", &status);
    lseek(number, 0, SEEK_SET);
    dup2(number, 50);
    access("none", F_OK);
    rename("none", "none2");
    umask(022);
    getcwd(buffer, sizeof buffer);
    reached = 1;
    char byte;
    read(number, &byte, 1);
    reached = 2;
    return NULL;
}

static void cancellation(void)
{
    pthread_t thread;
    void *result;
    int fd = open("data", O_RDONLY);

    pthread_create(&thread, NULL, pending, (void *)(intptr_t)fd);
    pthread_join(thread, &result);
    printf("cancelled %d after %d\n", result == PTHREAD_CANCELED, reached);
    TRY(close(fd));
    TRY(close(50));
}

static void at_exit(void)
{
    TRY(write(1, "", 0));
    fputs("at exit\n", stdout);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    atexit(at_exit);
    printf("%d\n", dlerror() == NULL);
    data_calls();
    path_calls();
    stream_calls();
    without_descriptors();
    cancellation();
    printf("all calls were made\n");
    return 0;
}
#endif
