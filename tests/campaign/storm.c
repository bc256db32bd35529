/*
 * A program that does at random, from a seed, whatever a traced program may do: short-lived threads,
 * fork, exec, posix_spawn, signals, longjmp, dlopen, and deaths of every kind.
 *
 *     storm LEDGER SEED STEPS GENERATION
 *
 * Each thread counts its calls in the ledger, which says what the trace must contain, however the
 * process dies.
 */
#define _GNU_SOURCE
#include "ledger.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define GENERATIONS 2 /* of children of children */
#define CHILDREN 12   /* of one process */

static const char *ledger_path, *program;
static unsigned generation;
static uint64_t children;

/*
 * dlclose and fork exclude each other. A child forked while another thread is in dlclose inherits a
 * lock of glibc's, for which its exit() waits forever, traced or not.
 */
static pthread_mutex_t closing = PTHREAD_MUTEX_INITIALIZER;

static __thread unsigned depth; /* open calls */
static __thread unsigned left;  /* calls that jumps have left */
static __thread uint64_t random_state;
static __thread sigjmp_buf landing;

/* A call of a traced function, with its entries in the ledger. */
#define CALL(expression)                                                                           \
    do {                                                                                           \
        ADD(self->begun);                                                                          \
        depth++;                                                                                   \
        expression;                                                                                \
        depth--;                                                                                   \
        ADD(self->ended);                                                                          \
    } while (0)

static unsigned pick(unsigned below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(random_state >> 33) % below;
}

static void fail(const char *what)
{
    fprintf(stderr, "storm: %s: %s\n", what, strerror(errno));
    _exit(3);
}

static __attribute__((noinline)) void leaf(unsigned x)
{
    __asm__ volatile("" : : "r"(x) : "memory");
}

static __attribute__((noinline)) void nest(unsigned levels)
{
    if (levels > 0)
        CALL(nest(levels - 1));
    else
        CALL(leaf(levels));
}

static __attribute__((noinline)) void jump(unsigned levels)
{
    if (levels > 0)
        CALL(jump(levels - 1));
    else
        siglongjmp(landing, 1);
}

static __attribute__((noinline)) void in_handler(unsigned x)
{
    __asm__ volatile("" : : "r"(x) : "memory");
}

static void handle(int signal)
{
    int saved = errno;

    (void)signal;
    for (unsigned i = 0; self && i < 3; i++)
        CALL(in_handler(i));
    errno = saved;
}

static void call_leaves(void)
{
    for (unsigned i = pick(3000); i > 0; i--)
        CALL(leaf(i));
}

static void call_and_jump(void)
{
    volatile unsigned before = depth;

    if (sigsetjmp(landing, 1) == 0)
        CALL(jump(pick(6)));
    left += depth - before;
    depth = before;
}

static void call_library(void)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%.*s/storm_library.so", (int)(strrchr(program, '/') - program),
             program);
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        fail(dlerror());
    int (*function)(int) = (int (*)(int))dlsym(library, "from_library");
    for (unsigned i = pick(200); i > 0; i--)
        CALL(function((int)i));
    pthread_mutex_lock(&closing);
    dlclose(library);
    pthread_mutex_unlock(&closing);
}

/* The tail of a program's arguments: another storm, in the next generation. */
static void write_arguments(char (*texts)[24], char **arguments)
{
    snprintf(texts[0], sizeof texts[0], "%u", pick(1u << 30));
    snprintf(texts[1], sizeof texts[1], "%u", 1 + pick(10));
    snprintf(texts[2], sizeof texts[2], "%u", generation + 1);
    arguments[0] = (char *)program;
    arguments[1] = (char *)ledger_path;
    for (int i = 0; i < 3; i++)
        arguments[2 + i] = texts[i];
    arguments[5] = NULL;
}

static __attribute__((noreturn)) void run_child(void)
{
    char texts[3][24], *arguments[6];

    random_state ^= (uint64_t)pick(1u << 30) << 20;
    take_slot(depth, left);
    call_leaves();
    switch (pick(6)) {
    case 0:
        kill(getpid(), SIGKILL);
        break;
    case 1:
        self->over = 1;
        exit(0);
    case 2:
        write_arguments(texts, arguments);
        self->over = 1;
        execv(program, arguments);
        fail("execv");
    case 3:
        signal(SIGTERM, SIG_DFL);
        self->over = 1;
        raise(SIGTERM);
        break;
    default:
        break;
    }
    self->over = 1;
    _exit(0);
}

static __attribute__((noinline)) void spawn(void)
{
    char texts[3][24], *arguments[6];
    pid_t pid = 0;

    if (pick(4) == 0) {
        write_arguments(texts, arguments);
        if (posix_spawn(&pid, program, NULL, NULL, arguments, environ) != 0)
            fail("posix_spawn");
    } else {
        pthread_mutex_lock(&closing);
        pid = fork();
        pthread_mutex_unlock(&closing);
        if (pid < 0)
            fail("fork");
        if (pid == 0)
            run_child();
    }
    if (pick(2) == 0)
        waitpid(pid, NULL, 0);
}

static void *run_short_thread(void *seed)
{
    random_state = (uint64_t)(uintptr_t)seed;
    take_slot(0, 0);
    call_leaves();
    self->over = 1;
    self = NULL; /* signal handlers make no calls from now on */
    return NULL;
}

static void start_threads(void)
{
    pthread_t threads[3];
    unsigned count = 1 + pick(3);

    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run_short_thread,
                           (void *)(uintptr_t)(1 + pick(1u << 30))) != 0)
            fail("pthread_create");
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void take_step(void)
{
    switch (pick(12)) {
    case 0:
        if (generation < GENERATIONS && ADD(children) < CHILDREN)
            CALL(spawn());
        break;
    case 1:
        start_threads();
        break;
    case 2:
    case 3:
        call_and_jump();
        break;
    case 4:
        call_library();
        break;
    case 5:
        raise(SIGUSR1);
        break;
    case 6:
    case 7:
        CALL(nest(pick(40)));
        break;
    default:
        call_leaves();
    }
}

static unsigned steps;

static void *run_thread(void *seed)
{
    random_state = (uint64_t)(uintptr_t)seed;
    take_slot(0, 0);
    for (unsigned i = 0; i < steps; i++)
        take_step();
    self->over = 1;
    self = NULL;
    return NULL;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 1700}, {0, 900}};
    pthread_t threads[THREADS];

    if (argc != 5)
        return 3;
    program = argv[0];
    ledger_path = argv[1];
    random_state = strtoull(argv[2], NULL, 10);
    steps = (unsigned)strtoul(argv[3], NULL, 10);
    generation = (unsigned)strtoul(argv[4], NULL, 10);
    open_ledger(ledger_path);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    if (generation == 0)
        setitimer(ITIMER_REAL, &often, NULL);
    unsigned count = 1 + pick(THREADS);
    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run_thread,
                           (void *)(uintptr_t)(1 + pick(1u << 30))) != 0)
            fail("pthread_create");
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    return 0;
}
