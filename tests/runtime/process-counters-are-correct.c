// Counters of the whole process, at intervals: processor, memory, threads, page faults, context
// switches, bytes. They are compared with what the program measures itself, with and without
// `dftrace run`. A short program has a first and a last sample. Counters of other threads and of
// the machine are optional; with an interval of 0 there are none.
//
// RUN: echo main > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_TRACE_INTERVAL_MS=10
// RUN: DFTRACER_ENABLE=1 ./prog > measured.txt
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1
// RUN: %{python} %S/Inputs/compare-counters.py trace-prog-*.pfw.gz measured.txt
// RUN: zcat trace-prog-*.pfw.gz | grep -c '"name":"cpu"' > samples.txt; test $(cat samples.txt) -ge 5
// RUN: zcat trace-prog-*.pfw.gz | not grep -E '"(thread|system) '
// RUN: %dftrace report trace-prog-*.pfw.gz | grep -E 'used +[0-9.]+% of a processor on average, [45][0-9]\.[0-9] MiB'
//
// RUN: rm trace-* && %dftrace run --no-report ./prog > measured.txt
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1
// RUN: %{python} %S/Inputs/compare-counters.py trace-prog-*.pfw.gz measured.txt
//
// The default interval.
// RUN: unset DFTRACER_TRACE_INTERVAL_MS
// RUN: for run in 'env DFTRACER_ENABLE=1' '%dftrace run --no-report'; do \
// RUN:   rm trace-*; $run ./prog short || exit 1; zcat trace-*.gz > short.json; \
// RUN:   grep -c '"name":"memory"' short.json > samples.txt; test $(cat samples.txt) -ge 2 || exit 1; \
// RUN:   grep '"name":"cpu"' short.json || exit 1; \
// RUN: done
//
// RUN: rm trace-* && export DFTRACER_ENABLE=1
// RUN: DFTRACER_TRACE_INTERVAL_MS=0 DFTRACER_SYSTEM_COUNTERS=1 ./prog > measured.txt
// RUN: zcat trace-*.gz | not grep '"ph":"C"'
// RUN: rm trace-* && DFTRACER_TRACE_INTERVAL_MS=5 DFTRACER_THREAD_COUNTERS=1 DFTRACER_SYSTEM_COUNTERS=1 ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1
// RUN: zcat trace-*.gz > all.json
// RUN: pid=$(sed -n 's/.*"name":"process_name".*"pid":\([0-9]*\).*/\1/p' all.json); \
// RUN:   grep -E '"name":"thread cpu".*"args":\{"prog '$pid' pct":[0-9]+\.[0-9]\}' all.json
// RUN: grep -E '"name":"system cpu".*"user_pct":[0-9.]+,"system_pct":[0-9.]+,"iowait_pct":[0-9.]+\}' all.json
// RUN: grep -E '"name":"system memory".*"used_kb":[1-9][0-9]*,"available_kb":[1-9][0-9]*\}' all.json

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define MIB 40
#define BLOCKS 3000

static pthread_barrier_t barrier;
static char buffer[1000];

static double cpu_ms(const struct rusage *usage)
{
    return (double)usage->ru_utime.tv_sec * 1e3 + (double)usage->ru_utime.tv_usec / 1e3 +
           (double)usage->ru_stime.tv_sec * 1e3 + (double)usage->ru_stime.tv_usec / 1e3;
}

static void spin(long ns)
{
    struct timespec now;

    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec == 0 && now.tv_nsec < ns);
}

/* They wait for each other with something to do in between, so that some sample sees all. */
static void *work(void *unused)
{
    pthread_barrier_wait(&barrier);
    spin(60000000);
    usleep(50000);
    pthread_barrier_wait(&barrier);
    return unused;
}

static void transfer(void)
{
    int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);

    for (int i = 0; i < BLOCKS; i++)
        if (write(fd, buffer, sizeof buffer) != sizeof buffer)
            return;
    lseek(fd, 0, SEEK_SET);
    while (read(fd, buffer, sizeof buffer) > 0)
        ;
    close(fd);
}

static long peak_kb(void)
{
    char line[128];
    long peak = 0;
    FILE *file = fopen("/proc/self/status", "r");

    while (file && fgets(line, sizeof line, file))
        sscanf(line, "VmHWM: %ld", &peak);
    fclose(file);
    return peak;
}

int main(int argc, char **argv)
{
    struct rusage begin, end;
    pthread_t threads[THREADS];

    if (argc > 1 && strcmp(argv[1], "short") == 0)
        return 0;
    getrusage(RUSAGE_SELF, &begin);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    char *block = mmap(NULL, MIB << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(block, 1, MIB << 20);
    transfer();
    getrusage(RUSAGE_SELF, &end);
    printf("cpu_ms=%.1f minflt=%ld peak_rss_kb=%ld read_bytes=%d write_bytes=%d threads=%d\n",
           cpu_ms(&end) - cpu_ms(&begin), end.ru_minflt - begin.ru_minflt, peak_kb(),
           BLOCKS * (int)sizeof buffer, BLOCKS * (int)sizeof buffer, THREADS + 1);
    return 0;
}
