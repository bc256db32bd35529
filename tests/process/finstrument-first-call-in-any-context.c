// With -finstrument-functions, the first call of a function may come anywhere: before main, in a
// signal handler that has interrupted malloc, on a signal stack of a few KiB, in a forked child, in
// many threads at once. Nothing hangs, no call is lost, and errno is kept.
//
// RUN: printf 'fun:*\n' > allow.txt
// RUN: for level in -O0 -O2; do %cc $level -g -finstrument-functions -pthread %s -o prog \
// RUN:   && DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt LD_PRELOAD=%libdir/libdftrace.so ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count early=1 --count in_handler_19=1 \
// RUN:      --count in_handler_0=1 --count on_small_stack=1 --count in_child=1 --count in_thread_0=8 --count in_thread_63=8 \
// RUN:   && rm trace-* || exit 1; done
//
// Linked statically as well.
// RUN: %cc -O2 -static -finstrument-functions -pthread %s -o fixed -L%libdir -l:libdftrace.a
// RUN: DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt ./fixed
// RUN: %check-trace trace-fixed-*.pfw.gz --count early=1 --count on_small_stack=1 --count in_thread_63=8

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink, next;

__attribute__((constructor(101))) static void early(void)
{
    sink = 1;
}

#define DEFINE_HANDLER(n)                                                                          \
    __attribute__((noinline)) static void in_handler_##n(void)                                     \
    {                                                                                              \
        sink = n;                                                                                  \
    }
#define EACH(m)                                                                                    \
    m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11) m(12) m(13) m(14) m(15) m(16)    \
        m(17) m(18) m(19)
EACH(DEFINE_HANDLER)
#define NAME_HANDLER(n) in_handler_##n,
static void (*const handlers[])(void) = {EACH(NAME_HANDLER)};

__attribute__((noinline)) static void on_small_stack(void)
{
    sink = 4;
}

static void handle(int number)
{
    errno = 4711;
    if (number == SIGUSR1)
        on_small_stack();
    else if (next < 20)
        handlers[next++]();
    if (errno != 4711)
        abort();
    if (next == 20) {
        struct itimerval none = {{0, 0}, {0, 0}};
        setitimer(ITIMER_REAL, &none, NULL);
    }
}

#define DEFINE_THREAD(n)                                                                           \
    __attribute__((noinline)) static void in_thread_##n(void)                                      \
    {                                                                                              \
        sink = n;                                                                                  \
    }
#define TENS(m, t) m(t##0) m(t##1) m(t##2) m(t##3) m(t##4) m(t##5) m(t##6) m(t##7) m(t##8) m(t##9)
#define EACH_64(m)                                                                                 \
    m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) TENS(m, 1) TENS(m, 2) TENS(m, 3) TENS(m, 4)  \
        TENS(m, 5) m(60) m(61) m(62) m(63)
EACH_64(DEFINE_THREAD)
#define NAME_THREAD(n) in_thread_##n,
static void (*const works[])(void) = {EACH_64(NAME_THREAD)};

static pthread_barrier_t barrier;

static void *run(void *argument)
{
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 64; i++)
        works[i]();
    return argument;
}

__attribute__((noinline)) static void in_child(void)
{
    sink = 5;
}

/* This many bytes, plus what the kernel itself needs. */
static void use_small_stack(void)
{
    size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 3072;
    stack_t small = {.ss_sp = malloc(size), .ss_size = size};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};

    sigaltstack(&small, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
}

int main(void)
{
    struct itimerval often = {{0, 500}, {0, 500}};
    pthread_t threads[8];
    pid_t child;

    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &often, NULL);
    while (next < 20)
        free(malloc((size_t)(100 + next * 1000)));
    signal(SIGALRM, SIG_IGN);
    use_small_stack();
    pthread_barrier_init(&barrier, NULL, 8);
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    child = fork();
    if (child == 0) {
        in_child();
        exit(0);
    }
    return waitpid(child, NULL, 0) != child;
}
