// The runtime has less than 100 KiB of memory in a program that is not traced, wherever its file
// comes from: what traced programs run is in a mapping of its own, of which no page is used.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: mkdir copy && cp %libdir/libdftrace.so copy
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o plugin %lib
// RUN: %cc -O2 -pthread -finstrument-functions %s -o fallback %lib
// RUN: for prog in ./plugin ./fallback; do $prog; LD_LIBRARY_PATH=$PWD/copy $prog; done

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_KIB = 100 };

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

/* Resident KiB of the library's mappings. Counts those that are code and have any. */
static int read_resident(int *code_mappings)
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
            /* Zeroed data follows the file's own at once, without a name. */
            inside = strstr(path, "libdftrace.so") != NULL ||
                     (inside && path[0] == '\0' && begin == end_before);
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

int main(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    int code_mappings = 0;
    pthread_t thread;
    int resident;
    pid_t child;

    for (int i = 0; i < 1000; i++)
        work(i);
    sigaction(SIGTERM, &ignore, NULL);
    if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);

    resident = read_resident(&code_mappings);
    printf("%d KiB, %d mappings with code in use\n", resident, code_mappings);
    return resident > 0 && resident < MOST_KIB && code_mappings == 1 ? 0 : 1;
}
