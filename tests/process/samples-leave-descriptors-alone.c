// A program closes all descriptors and opens files of its own under every number. Samples still
// report its memory; no file of the program is read, moved or closed; and a program that it starts
// inherits the same descriptors as without tracing. With a low limit of descriptors, none is kept
// open.
//
// RUN: printf '[sample]\nwork\n' > allow.txt
// RUN: %cc -O2 %s -o plain
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: printf '999999999 999999999 9 9 9 9 9\n' > decoy
// RUN: ./plain closes > plainly.txt
// RUN: DFTRACER_ENABLE=1 ./prog closes > traced.txt && diff plainly.txt traced.txt
// RUN: %check-trace trace-prog-*.pfw.gz --count work=200
// RUN: zcat trace-prog-*.pfw.gz | grep -c '"name":"work".*"rss_kb":[0-9]\{3,5\},' | grep -x 200
// RUN: rm trace-* && (ulimit -n 40 && ./plain few) > plainly.txt
// RUN: (ulimit -n 40 && DFTRACER_ENABLE=1 ./prog few) > traced.txt && diff plainly.txt traced.txt
// RUN: zcat trace-prog-*.pfw.gz | grep -c '"name":"work".*"rss_kb":[0-9]\{3,5\},' | grep -x 100
// RUN: rm trace-* && DFTRACER_ENABLE=1 ./prog nothing > nothing.txt
// RUN: zcat trace-prog-*.pfw.gz | grep -c '"name":"work".*"cpu_us"' | grep -x 100
//
// A descriptor that is replaced between the two samples of a call: the file that has come to its
// place is neither moved nor closed, and no figure is made of what stands in it.
// RUN: rm trace-* && DFTRACER_ENABLE=1 ./prog replaces > replaced.txt && grep -x 'replaced, unharmed' replaced.txt
// RUN: zcat trace-prog-*.pfw.gz | grep -c '"name":"work".*"rss_kb":[0-9]\{3,5\},' | grep -x 201
//
// A started program inherits the same descriptors.
// RUN: ./plain execs > plainly.txt && rm trace-*
// RUN: DFTRACER_ENABLE=1 ./prog execs > traced.txt && diff plainly.txt traced.txt

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILES 700

static volatile int sink;

static int from = -1, to = -1;

__attribute__((noinline)) static void work(int x)
{
    sink = x;
    if (from >= 0)
        sink = dup2(from, to);
}

static void work_often(void)
{
    for (int i = 0; i < 100; i++)
        work(i);
}

/* Opens the decoy under this many numbers, each with a file position after its beginning. */
static int open_all(void)
{
    char byte;
    int count = 0, fd;

    while (count < FILES && (fd = open("decoy", O_RDWR)) >= 0) {
        if (read(fd, &byte, 1) != 1)
            return -1;
        count++;
    }
    return count;
}

/* The descriptor that samples read. */
static int find_kept(void)
{
    char path[64], target[64];

    for (int fd = 3; fd < 1024; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        if (strstr(target, "/statm"))
            return fd;
    }
    return -1;
}

static void replace(const char *program)
{
    char byte;

    to = find_kept();
    from = open(program, O_RDONLY);
    if (to < 0 || read(from, &byte, 1) != 1)
        return;
    int position = from;
    work(1);
    from = -1;
    work_often();
    printf("replaced, %s\n", lseek(to, 0, SEEK_CUR) == 1 && lseek(position, 0, SEEK_CUR) == 1
                                 ? "unharmed"
                                 : "harmed");
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
    struct rlimit limit;

    alarm(100);
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_cur < FILES + 100 && limit.rlim_max >= FILES + 100 ? FILES + 100
                                                                                   : limit.rlim_cur;
    setrlimit(RLIMIT_NOFILE, &limit);
    work_often();
    if (strcmp(what, "execs") == 0)
        return execl("/bin/ls", "ls", "/proc/self/fd", (char *)NULL);
    if (strcmp(what, "replaces") == 0)
        replace(argv[0]);
    if (strcmp(what, "closes") == 0) {
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
        printf("%d files\n", open_all());
        work_often();
        printf("%d unharmed\n", count_unharmed());
    } else if (strcmp(what, "few") == 0) {
        printf("%d files, %d unharmed\n", open_all() > 30, count_unharmed() > 30);
    }
    return 0;
}
