// In an untraced program the runtime uses less than 100 KiB of memory, wherever its file is and
// however it is linked. No page of the code for traced programs is in memory.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: mkdir copy && cp %libdir/libdftrace.so copy
// RUN: %cc -O2 -I%include -pthread %plugin %allow=allow.txt %s -o plugin %lib
// RUN: %cc -O2 -I%include -pthread -finstrument-functions %s -o fallback %lib
// RUN: for prog in ./plugin ./fallback; do \
// RUN:   for dir in "" $PWD/copy; do kib=$(LD_LIBRARY_PATH=$dir $prog libdftrace.so 1); \
// RUN:     test $kib -gt 0; test $kib -lt 100; done; done
//
// With the archive, the program's own file has more. Of a static one, what is in memory depends on
// where libc's functions happen to lie: only the far code is looked at, a mapping of its own unless
// all is code.
// RUN: for link in -pie -no-pie "-pie -Wl,-z,noseparate-code" "-pie -Wl,--gc-sections" -static -static-pie; do \
// RUN:   %cc -O2 -I%include -fpie -pthread %s -o plain $link; \
// RUN:   %cc -O2 -I%include -fpie -pthread %plugin %allow=allow.txt %s -o plugin $link %libdir/libdftrace.a; \
// RUN:   %cc -O2 -I%include -fpie -pthread -finstrument-functions %s -o fallback $link %libdir/libdftrace.a; \
// RUN:   codes=1; case $link in *noseparate*) codes=;; esac; \
// RUN:   plain=$(./plain /plain); for prog in plugin fallback; do for env in A=1 DFTRACER_ENABLE=0; do \
// RUN:     kib=$(env $env ./$prog /$prog $codes); echo $link $prog $env: $kib, plain $plain; test $kib -gt 0; \
// RUN:     case $link in -static*) ;; *) test $kib -gt $plain; test $((kib - plain)) -lt 100;; esac; done; done; done

#include "dftrace/dftrace.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static void *run(void *unused)
{
    work(1);
    return unused;
}

/* Resident KiB of a file's mappings. Counts the code mappings that have any. */
static int read_resident(const char *name, int *code_mappings)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    unsigned long begin, end, end_before = 0;
    int all = 0, inside = 0, kib, code = 0;
    char line[512], rights[8], path[256];

    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file) != NULL) {
        path[0] = '\0';
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %255s", &begin, &end, rights, path) >= 3) {
            /* Zeroed data follows the file's own data, in a mapping without a name. */
            inside =
                strstr(path, name) != NULL || (inside && path[0] == '\0' && begin == end_before);
            code = inside && strchr(rights, 'x') != NULL;
            end_before = end;
        } else if (inside && sscanf(line, "Rss: %d", &kib) == 1) {
            all += kib;
            *code_mappings += code && kib > 0;
        }
    }
    fclose(file);
    return all;
}

int main(int argc, char **argv)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    int code_mappings = 0;
    pthread_t thread;
    int resident;
    pid_t child;

    for (int i = 0; i < 1000; i++)
        work(i);
    dftrace_pause();
    dftrace_resume();
    dftrace_disable("work");
    sigaction(SIGTERM, &ignore, NULL);
    if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);

    resident = read_resident(argv[1], &code_mappings);
    printf("%d\n", resident);
    return argc > 2 && code_mappings != atoi(argv[2]);
}
