// A signal at its default action ends the program as without tracing, in whichever thread it
// arrives, and the trace is complete.
//
// RUN: printf 'main\nwork\ndie\n' > allow.txt
// RUN: %cc -O2 -pthread %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: %check-death ./prog $(for n in {1..8} {10..18} {23..31} 34 35 64; do echo raise-$n; done)
// RUN: %check-death ./prog kill-2 kill-15 kill-34 kill-64 kill-11 kill-6 thread-raise-6 thread-raise-15 thread-null
// RUN: %check-death ./prog null read-only-page bus divide undefined trap pipe alarm queue execute-data privileged
//
// RUN: mkdir static && %cc -O2 -pthread -static %support %plugin %allow=allow.txt %s -o static/prog -L%libdir -l:libdftrace.a
// RUN: (cd static && %check-death ./prog null divide raise-15 raise-6 thread-null)
//
// DFTRACER_BIND_SIGNALS=0: the runtime leaves signals alone, and the spool can be recovered.
// RUN: truncate -s 4096 tally && export DFTRACER_SPOOL_DIR=$PWD DEATH_TALLY=$PWD/tally
// RUN: code=0; DFTRACER_BIND_SIGNALS=0 DFTRACER_ENABLE=1 ./prog raise-15 || code=$?; test $code = 143
// RUN: ls dftrace-*

#include "death.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#define CALLS 1000

#if defined(__x86_64__)
#define DIVIDE()                                                                                   \
    __asm__ volatile("xorl %%ecx, %%ecx\n\tcltd\n\tidivl %%ecx" ::: "eax", "ecx", "edx")
#define BREAKPOINT() __asm__ volatile("int3")
#define PRIVILEGED() __asm__ volatile("hlt")
#else
#define DIVIDE() raise(SIGFPE)
#define BREAKPOINT() raise(SIGTRAP)
#define PRIVILEGED() raise(SIGSEGV)
#endif

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static void strike(const char *way)
{
    if (strncmp(way, "raise-", 6) == 0)
        raise(atoi(way + 6));
    else if (strncmp(way, "kill-", 5) == 0) {
        kill(getpid(), atoi(way + 5));
        for (;;)
            pause();
    } else if (strcmp(way, "queue") == 0)
        sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 5});
    else if (strcmp(way, "null") == 0)
        *(volatile int *)16 = 1;
    else if (strcmp(way, "read-only-page") == 0)
        *(volatile char *)"text" = 1;
    else if (strcmp(way, "bus") == 0) {
        int fd = open("bus", O_RDWR | O_CREAT, 0600);
        volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
        unlink("bus");
        sink = *page;
    } else if (strcmp(way, "divide") == 0)
        DIVIDE();
    else if (strcmp(way, "undefined") == 0)
        __builtin_trap();
    else if (strcmp(way, "trap") == 0)
        BREAKPOINT();
    else if (strcmp(way, "privileged") == 0)
        PRIVILEGED();
    else if (strcmp(way, "execute-data") == 0) {
        static char data[16];
        void (*function)(void);
        void *address = data;
        memcpy(&function, &address, sizeof function);
        function();
    } else if (strcmp(way, "pipe") == 0) {
        int ends[2];
        if (pipe(ends) == 0 && close(ends[0]) == 0 && write(ends[1], "x", 1) < 0)
            _exit(1);
    } else if (strcmp(way, "alarm") == 0) {
        struct itimerval soon = {.it_value = {.tv_usec = 1000}};
        setitimer(ITIMER_REAL, &soon, NULL);
        for (;;)
            pause();
    }
}

static __attribute__((noinline)) void die(const char *way)
{
    strike(way);
}

static void *die_in_thread(void *way)
{
    die((const char *)way + strlen("thread-"));
    return NULL;
}

static void *wait_for_death(void *argument)
{
    (void)argument;
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    struct tally *count = tally("work");

    (void)argc;
    for (int i = 0; i < CALLS; i++) {
        work(i);
        count->completed++;
    }
    tally("main")->unfinished = tally("die")->unfinished = 1;
    if (strncmp(argv[1], "thread-", 7) == 0) {
        pthread_t threads[2];
        pthread_create(&threads[0], NULL, wait_for_death, NULL);
        pthread_create(&threads[1], NULL, die_in_thread, argv[1]);
        pthread_join(threads[1], NULL);
    }
    die(argv[1]);
    /* Signals that do not end a process. */
    tally("die")->unfinished = tally("main")->unfinished = 0;
    tally("die")->completed = tally("main")->completed = 1;
    return 0;
}
