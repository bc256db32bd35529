// Every call of a function in [sample] has its CPU time and its memory: a function that computes,
// one that sleeps, one that allocates and one that frees are compared with what the program
// measures itself. A function that is only traced has no sample.
//
// RUN: printf 'plain\n[sample]\nspin\nnap\ngrow\nshrink\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog > measured.txt
// RUN: %check-trace trace-prog-*.pfw.gz --count plain=2 --count spin=3 --count nap=1
// RUN: %{python} %S/Inputs/compare-samples.py trace-prog-*.pfw.gz measured.txt
// RUN: zcat trace-prog-*.pfw.gz | grep '"name":"start"' | grep -E '"sample_cost_ns":[1-9][0-9]*'
// RUN: zcat trace-prog-*.pfw.gz | grep '"name":"plain"' > plain.txt
// RUN: not grep -E 'cpu_us|tts|tdur' plain.txt
//
// The same with a writer in another process.
// RUN: rm trace-* && %dftrace run --no-report ./prog > measured.txt
// RUN: %{python} %S/Inputs/compare-samples.py trace-prog-*.pfw.gz measured.txt
//
// Without source positions there are still samples.
// RUN: rm trace-* && DFTRACER_ENABLE=1 DFTRACER_INC_METADATA=0 ./prog > measured.txt
// RUN: %check-trace trace-prog-*.pfw.gz --count spin=3
// RUN: %{python} %S/Inputs/compare-samples.py trace-prog-*.pfw.gz measured.txt

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define MIB 48

static char *block;

static double now_us(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

__attribute__((noinline)) static void plain(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) static void spin(double us)
{
    for (double end = now_us(CLOCK_THREAD_CPUTIME_ID) + us; now_us(CLOCK_THREAD_CPUTIME_ID) < end;)
        ;
}

__attribute__((noinline)) static void nap(double us)
{
    nanosleep(&(struct timespec){0, (long)us * 1000}, NULL);
}

__attribute__((noinline)) static void grow(double us)
{
    (void)us;
    block = mmap(NULL, MIB << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(block, 1, MIB << 20);
}

__attribute__((noinline)) static void shrink(double us)
{
    (void)us;
    munmap(block, MIB << 20);
}

static long resident_kb(void)
{
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2)
        return -1;
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void measure(const char *name, void (*function)(double), double us)
{
    struct rusage before, after;
    long resident = resident_kb();

    getrusage(RUSAGE_THREAD, &before);
    double wall = now_us(CLOCK_MONOTONIC), cpu = now_us(CLOCK_THREAD_CPUTIME_ID);
    function(us);
    cpu = now_us(CLOCK_THREAD_CPUTIME_ID) - cpu;
    wall = now_us(CLOCK_MONOTONIC) - wall;
    getrusage(RUSAGE_THREAD, &after);
    printf(
        "%s cpu_us=%.3f wall_us=%.3f rss_delta_kb=%ld minflt=%ld majflt=%ld vcsw=%ld ivcsw=%ld\n",
        name, cpu, wall, resident_kb() - resident, after.ru_minflt - before.ru_minflt,
        after.ru_majflt - before.ru_majflt, after.ru_nvcsw - before.ru_nvcsw,
        after.ru_nivcsw - before.ru_nivcsw);
}

int main(void)
{
    plain();
    measure("spin", spin, 5000);
    measure("spin", spin, 50000);
    measure("nap", nap, 60000);
    measure("grow", grow, 0);
    measure("shrink", shrink, 0);
    measure("spin", spin, 20000);
    plain();
    return 0;
}
