// A program with low limits (file size, descriptors, processes, address space) is never ended by
// tracing, and never has less than without dftrace. Problems are reported once.
//
// REQUIRES: root, setpriv
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 -pthread %s -o plain
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: %cc -O2 -static -pthread %s -o plain-static
// RUN: %cc -O2 -static -pthread %plugin %allow=allow.txt %s -o static -L%libdir -l:libdftrace.a
// RUN: export DFTRACER_ENABLE=1
//
// RUN: %unharmed 'ulimit -f 1000; ./plain' 'ulimit -f 1000; ./prog' 'cannot make a spool in /dev/shm: File too large'
// RUN: %unharmed './plain file-size' 'DFTRACER_LOG_FILE=cut DFTRACER_SPOOL_DIR=. ./prog file-size' \
// RUN:   'cannot write to .*cut-prog-.*: File too large'
// RUN: %unharmed 'ulimit -v 100000; ./plain' 'ulimit -v 100000; ./prog' \
// RUN:   'cannot make a spool in /dev/shm: Cannot allocate memory'
//
// RUN: %unharmed 'ulimit -n 3; ./plain-static' 'ulimit -n 3; ./static' \
// RUN:   'cannot make a spool in /dev/shm: Too many open files'
// RUN: not ls trace-*
// If one descriptor is left, the program gets it, and is traced.
// RUN: %unharmed 'ulimit -n 4; ./plain open' 'ulimit -n 4; ./prog open'
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1 --count work=20000
// RUN: rm trace-* && %unharmed 'ulimit -n 100; ./plain open' 'ulimit -n 100; ./prog open'
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1 --count work=20000
//
// A user who may not start another thread; the user has no other processes.
// RUN: rm trace-* && mkdir open && chmod 777 open && cp static plain-static open && cd open
// RUN: %unharmed ./plain-static \
// RUN:   'exec setpriv --reuid=$((100000 + $$)) --regid=65534 --clear-groups prlimit --nproc=1 ./static' \
// RUN:   'cannot start the writer: Resource temporarily unavailable; not tracing'
// RUN: not ls trace-*

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

static int open_own_files(void)
{
    for (int i = 0; i < 1000; i++) {
        int fd = open("/dev/null", O_RDONLY);
        if (fd != 3)
            return fd < 0 ? -1 : fd;
        work(i);
        close(fd);
    }
    return 3;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    struct rlimit small = {10000, 10000};
    int left = 20000;

    alarm(120);
    if (strcmp(what, "file-size") == 0 && setrlimit(RLIMIT_FSIZE, &small) != 0)
        return 1;
    if (strcmp(what, "open") == 0) {
        printf("descriptor %d\n", open_own_files());
        left -= 1000;
    }
    for (int i = 0; i < left; i++)
        work(i);
    printf("%ld\n", sink);
    return 7;
}
