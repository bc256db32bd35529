// SIGKILL at random moments, a hundred times each way: with the writer in another process (dftrace
// run), and with the writer thread, in the middle of its commits, followed by dftrace recover,
// which is sometimes killed, too. Every call that had ended is in the trace once; every open call
// is shown.
//
// Workers of this program make calls and count them in a file mapping: `begun` before the call,
// `ended` after it. So for each function the trace has as many calls as `ended` says, or one more.
//
// RUN: printf 'generation\nstep\ninner\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib -pthread
// RUN: %{python} %S/Inputs/kill-at-random.py run 100 %dftrace ./prog %check-trace
// RUN: %{python} %S/Inputs/kill-at-random.py recover 100 %dftrace ./prog %check-trace

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* With GUEST, two of the functions are those of an interpreter. */
#ifdef GUEST
#include "guest.h"
static struct dftrace_site *sites[3];
#define ENTER(function) __dftrace_guest_enter(sites[function], LOOP_FRAME())
#define EXIT(function) __dftrace_guest_exit(sites[function])
#else
#define ENTER(function)
#define EXIT(function)
#endif

#define WORKERS 3
#define FUNCTIONS 3 /* generation, step, inner */

struct count {
    volatile uint64_t begun, ended;
};

static struct count (*counts)[FUNCTIONS];

struct task {
    int worker;
    unsigned calls;
};

static volatile unsigned sink;

static __attribute__((noinline)) void inner(unsigned x)
{
    ENTER(2);
    for (unsigned i = 0; i < 600 + x % 64; i++)
        sink += i;
    EXIT(2);
}

static __attribute__((noinline)) void step(struct count *count, unsigned x)
{
    for (unsigned i = 0; i < x % 3; i++) {
        count[2].begun++;
        inner(x);
        count[2].ended++;
    }
}

static __attribute__((noinline)) void generation(const struct task *task)
{
    struct count *count = counts[task->worker];

    ENTER(0);
    for (unsigned i = 0; i < task->calls; i++) {
        count[1].begun++;
        step(count, i);
        count[1].ended++;
    }
    EXIT(0);
}

static void *live(void *argument)
{
    const struct task *task = argument;
    char name[16];

    snprintf(name, sizeof name, "worker%d", task->worker);
    pthread_setname_np(pthread_self(), name);
    counts[task->worker][0].begun++;
    generation(task);
    counts[task->worker][0].ended++;
    return NULL;
}

static void *run_generations(void *argument)
{
    struct task task = {.worker = *(int *)argument};

    for (unsigned i = 0;; i++) {
        pthread_t thread;
        task.calls = i % 2 ? 100 : 20000;
        if (pthread_create(&thread, NULL, live, &task) != 0)
            abort();
        pthread_join(thread, NULL);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int fd = open(argc > 1 ? argv[1] : "counts", O_RDWR);
    int numbers[WORKERS];

    alarm(60);
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counts == MAP_FAILED)
        return 1;
#ifdef GUEST
    sites[0] = new_site("generation");
    sites[2] = new_site("inner");
#endif
    for (int i = 0; i < WORKERS; i++) {
        pthread_t thread;
        numbers[i] = i;
        if (pthread_create(&thread, NULL, run_generations, &numbers[i]) != 0)
            return 1;
    }
    pause();
    return 0;
}
