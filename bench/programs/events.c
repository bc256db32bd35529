/*
 * Measures what a program's own events cost, beside a traced call of a function.
 *
 *   events CALLS ROUNDS   prints a line for each kind: its name, and the CPU time that one of its
 *                         events adds to an empty function, in nanoseconds: the minimum of all
 *                         rounds. Pauses between rounds, so that the writer keeps up.
 */
#define _GNU_SOURCE
#include <dftrace/dftrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_US 20000

#define NOINLINE static __attribute__((noinline))

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

NOINLINE void empty(long i)
{
    __asm__ volatile("" : : "r"(i));
}

/* Named by the allowlist. */
NOINLINE void traced_call(long i)
{
    __asm__ volatile("" : : "r"(i));
}

NOINLINE void scope(long i)
{
    DFTRACE_SCOPE("scope");
    __asm__ volatile("" : : "r"(i));
}

NOINLINE void scope_with_values(long i)
{
    DFTRACE_SCOPE("scope with values", "first", i, "second", 2);
    __asm__ volatile("" : : "r"(i));
}

NOINLINE void begin_and_end(long i)
{
    dftrace_begin("begun");
    __asm__ volatile("" : : "r"(i));
    dftrace_end();
}

NOINLINE void instant(long i)
{
    dftrace_instant("instant");
    __asm__ volatile("" : : "r"(i));
}

NOINLINE void counter(long i)
{
    dftrace_counter("counter", i);
}

static const struct {
    const char *name;
    void (*run)(long i);
} kinds[] = {
    {"empty", empty},         {"call", traced_call},
    {"scope", scope},         {"scope_values", scope_with_values},
    {"begin", begin_and_end}, {"instant", instant},
    {"counter", counter},
};

#define KINDS (sizeof kinds / sizeof *kinds)

static double measure(void (*volatile run)(long), long calls)
{
    double begin = now_ns();

    for (long i = 0; i < calls; i++)
        run(i);
    return (now_ns() - begin) / (double)calls;
}

/* A positive number; 0 if the argument is none. */
static long read_number(int argc, char **argv, int index)
{
    char *end = NULL;
    long number = argc > index ? strtol(argv[index], &end, 10) : 0;

    return end && *end == '\0' && number > 0 ? number : 0;
}

int main(int argc, char **argv)
{
    long calls = read_number(argc, argv, 1);
    long rounds = read_number(argc, argv, 2);
    double least[KINDS];

    if (!calls || !rounds)
        return 2;
    for (long round = 0; round < rounds; round++)
        for (size_t i = 0; i < KINDS; i++) {
            double ns = measure(kinds[i].run, calls);
            least[i] = round == 0 || ns < least[i] ? ns : least[i];
            usleep(PAUSE_US);
        }
    for (size_t i = 1; i < KINDS; i++)
        printf("%s %.3f\n", kinds[i].name, least[i] > least[0] ? least[i] - least[0] : 0);
    return 0;
}
