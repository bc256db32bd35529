// A program started without stdin, stdout and stderr opens its own files and gets their numbers.
// Only the program writes to them: not even a message of ours goes there.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %s -o plain
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: mkdir plainly traced failing spool
// RUN: code=0; (cd plainly && exec ../plain <&- >&- 2>&-) || code=$?; test $code = 7
// RUN: export DFTRACER_ENABLE=1 DFTRACER_LOG_LEVEL=TRACE DFTRACER_LOG_FILE=$PWD/trace
// RUN: code=0; (cd traced && exec ../prog <&- >&- 2>&-) || code=$?; test $code = 7
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1 --count work=40000
// RUN: diff -r plainly traced
//
// The same when there are errors: the trace cannot be created, or not be written. What is not
// written stays in the spool.
// RUN: export DFTRACER_SPOOL_DIR=$PWD/spool
// RUN: code=0; (cd failing && DFTRACER_LOG_FILE=/no/such/t exec ../prog <&- >&- 2>&-) || code=$?; test $code = 7
// RUN: diff -r plainly failing && rm failing/*
// RUN: code=0; (cd failing && DFTRACER_LOG_FILE=$OLDPWD/t exec ../prog limit <&- >&- 2>&-) || code=$?; test $code = 7
// RUN: diff -r plainly failing && rm failing/*
// stderr was open when the program started; later descriptor 2 is a file of the program.
// RUN: code=0; (cd failing && DFTRACER_LOG_FILE=/no/such/t exec ../prog close > ../out 2> ../err) || code=$?; test $code = 7
// RUN: diff -r plainly failing && rm failing/* && grep -c /no/such/t err | grep -x 1
// RUN: code=0; (cd failing && DFTRACER_LOG_LEVEL=ERROR DFTRACER_LOG_FILE=$OLDPWD/u exec ../prog close-limit 2> ../err) || code=$?
// RUN: test $code = 7 && diff -r plainly failing && cmp err /dev/null

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile long sink;

__attribute__((noinline)) static void work(long x)
{
    sink = x;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"zero", "one", "two", "three"};
    struct rlimit small = {10000, 10000};
    const char *what = argc > 1 ? argv[1] : "";

    alarm(120);
    if (strncmp(what, "close", 5) == 0) {
        close(0);
        close(1);
        close(2);
    }
    if (strstr(what, "limit"))
        setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 4; i++)
        if (open(names[i], O_WRONLY | O_CREAT | O_EXCL, 0644) != i)
            return 1;
    for (int i = 0; i < 40000; i++) {
        work(i);
        if (i % 10000 == 0)
            for (int fd = 0; fd < 4; fd++)
                if (write(fd, names[fd], 3) != 3)
                    return 2;
    }
    return 7;
}
