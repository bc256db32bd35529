// A daemon forks twice, changes its directory and root, closes every descriptor and opens files of
// its own under all those numbers. Nothing of the trace is written to them, and each of the three
// processes has its trace. Closing and opening goes on while the trace is written.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: ulimit -n 700; DFTRACER_WRITE_BUFFER_SIZE=64k %check-death ./prog daemon quick

#include "death.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#define NUMBERS 700

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static void call_work(int times)
{
    struct tally *count = tally("work");

    for (int i = 0; i < times; i++) {
        work(i);
        count->completed++;
    }
}

static void check_own_file(void)
{
    struct stat status;

    for (int fd = 0; fd < NUMBERS - 10; fd++)
        if (fstat(fd, &status) != 0 || status.st_size != 0)
            _exit(4);
}

static void leave(void)
{
    tally("main")->unfinished = 1;
    _exit(0);
}

int main(int argc, char **argv)
{
    const char *way = argv[1];
    char directory[] = "root-XXXXXX"; /* a core file may stay in it */
    int report[2];
    char answer = 1;

    (void)argc;
    call_work(100);
    if (!mkdtemp(directory) || pipe(report) != 0)
        return 1;
    if (fork() == 0) {
        call_work(200);
        setsid();
        if (fork() != 0)
            leave();
        call_work(10); /* its trace must begin before it leaves this root */
        /* The write end of the pipe stays open, above all other numbers. */
        int end = fcntl(report[1], F_DUPFD, NUMBERS - 1);
        if (end < 0 || chdir(directory) != 0 || (geteuid() == 0 && chroot(".") != 0))
            _exit(1);
        umask(0);
        for (int i = 0; i < (strcmp(way, "daemon") == 0 ? 30 : 1); i++) {
            for (int fd = 0; fd < NUMBERS - 1; fd++)
                close(fd);
            for (int k = 0; k < NUMBERS - 10; k++)
                if (open("own-file", O_RDWR | O_CREAT, 0600) != k)
                    _exit(3);
            call_work(2000);
            check_own_file();
        }
        unlink("own-file");
        answer = 0;
        if (write(end, &answer, 1) != 1)
            _exit(5);
        tally("main")->unfinished = 1;
        if (strcmp(way, "quick") == 0)
            _exit(0);
        abort();
    }
    close(report[1]);
    if (read(report[0], &answer, 1) != 1)
        answer = 2;
    rmdir(directory);
    printf("the daemon says %d\n", answer);
    tally("main")->completed = 1;
    return 0;
}
