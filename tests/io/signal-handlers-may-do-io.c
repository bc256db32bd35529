// Handlers that interrupt read, write, stdio and dftrace's own code at any moment write and open files
// themselves: every call of the program and of the handlers is recorded, with its file, and errno is
// the program's. On the ordinary stack and on an alternate one.
//
// RUN: %cc -w -O1 -fno-builtin -pthread %s -o prog
// RUN: for stack in ordinary alternate; do \
// RUN:   %dftrace run --io --no-report -o $stack -- ./prog $stack > counted.txt || exit 1; \
// RUN:   %{python} %S/Inputs/check-counts counted.txt $stack-*.gz || exit 1; done

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIGNALS 1500
#define ROUNDS 2000
#define THREADS 2

static int handled, nested, ordinary, ends[2];
static atomic_long in_handlers, in_nested, in_ordinary, opened, lines;
static pthread_barrier_t barrier;

static void handle(int number)
{
    int saved = errno;

    if (write(handled, "abc", 3) != 3)
        abort();
    atomic_fetch_add(&in_handlers, 1);
    if (number == SIGUSR1 && atomic_fetch_add(&in_nested, 1) % 8 == 0)
        raise(SIGUSR2);
    if (open("none", O_RDONLY) >= 0 || errno != ENOENT)
        abort();
    atomic_fetch_add(&opened, 1);
    errno = saved;
}

static void *work(void *which)
{
    char name[32], byte;
    char *stack = malloc(65536);

    if (which)
        sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = 65536}, NULL);
    snprintf(name, sizeof name, "stream%d", (int)syscall(SYS_gettid));
    FILE *stream = fopen(name, "w");
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < ROUNDS; i++) {
        errno = ERANGE;
        if (write(ordinary, "ab", 2) != 2 || errno != ERANGE)
            abort();
        atomic_fetch_add(&in_ordinary, 1);
        fputs("line\n", stream);
        atomic_fetch_add(&lines, 1);
        if (read(ends[0], &byte, 1) >= 0 || errno != EAGAIN) /* there is nothing */
            abort();
    }
    fclose(stream);
    if (which) /* sanitizers would free what they find */
        sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(int argc, char **argv)
{
    int alternate = strcmp(argv[1], "alternate") == 0;
    struct sigaction action = {.sa_handler = handle,
                               .sa_flags = SA_RESTART | (alternate ? SA_ONSTACK : 0)};
    pthread_t threads[THREADS];

    handled = open("handled", O_CREAT | O_WRONLY | O_TRUNC | O_APPEND, 0600);
    ordinary = open("ordinary", O_CREAT | O_WRONLY | O_TRUNC | O_APPEND, 0600);
    pipe2(ends, O_NONBLOCK);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, alternate ? "" : NULL);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < SIGNALS; i++) {
        pthread_kill(threads[i % THREADS], SIGUSR1);
        for (volatile int k = 0; k < i % 1000; k++)
            ;
        if (i % 16 == 0)
            sched_yield();
    }
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("write handled %ld\nwrite ordinary %ld\nopen none %ld\nfputs stream %ld\n",
           atomic_load(&in_handlers), atomic_load(&in_ordinary), atomic_load(&opened),
           atomic_load(&lines));
    return atomic_load(&in_handlers) == 0;
}
