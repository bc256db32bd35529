/*
 * Samples: CPU time, memory and events of a call, read by three or four system calls at its
 * beginning and at its end.
 *
 * Runs in traced threads, in any context, with signals unblocked. Keeps errno; uses no heap, no
 * lock and no cancellation point.
 *
 * Resident memory comes from /proc/self/statm, which stays open: opening it takes four times as
 * long as reading it. The program does not know of the descriptor, and may close it and open
 * another file under its number. So the descriptor has a high number, and what is read must have
 * exactly the form of statm. A file of the program may be read then, but the reading does not
 * affect that file: pread does not even move its position. If the text is not that of statm, the
 * file is opened again, up to KEPT_MAX times. After that, or if the program's limit of descriptors
 * is too low, the file is opened for each reading.
 */
#include "runtime/detail/samples.h"
#include "os/descriptor.h"
#include "os/page.h"
#include "os/resource_usage.h"
#include "os/small_file.h"
#include "os/time.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define ROUNDS 8
#define SAMPLES 8 /* in one round */
#define KEPT_MAX 16
#define TEXT_SIZE 160 /* statm: seven numbers of at most 20 digits */

/* What a sample costs, and the part of that cost that the measured CPU time includes. */
static _Atomic uint64_t cost_ns, cpu_bias_ns;

/*
 * The kernel's peak includes the peak of the program that this process ran before exec. Until the
 * peak exceeds this value, it says nothing about this program.
 */
static _Atomic uint64_t inherited_peak_kb;

/* The highest resident memory that a sample has found. The kernel's peak may be slightly lower. */
static _Atomic uint64_t highest_kb;

#define NOT_KEPT 0 /* no descriptor with a high number is 0 */

static _Atomic int kept = NOT_KEPT; /* a descriptor of statm */
static _Atomic unsigned times_kept;
static _Atomic bool missing; /* /proc/self/statm does not exist */

/* --- resident memory ------------------------------------------------------------------------ */

static void keep(int fd)
{
    if (atomic_load(&times_kept) >= KEPT_MAX || atomic_fetch_add(&times_kept, 1) >= KEPT_MAX)
        return;
    int high = dft_descriptor_copy_high(fd);
    if (high >= 0)
        atomic_store(&kept, high);
}

/*
 * The text of statm: seven numbers and a newline. The second number is resident pages. Since Linux
 * 2.6, the fifth and the seventh are 0. Returns 0 if the text does not have this form.
 */
static uint64_t parse(const char *text, long length)
{
    uint64_t resident = 0;
    long at = 0;

    for (int number = 1; number <= 7; number++) {
        uint64_t value = 0;
        long first = at;
        for (; at < length && text[at] >= '0' && text[at] <= '9'; at++)
            value = value * 10 + (uint64_t)(text[at] - '0');
        if (at == first || at == length || text[at++] != (number < 7 ? ' ' : '\n') ||
            (value != 0 && (number == 5 || number == 7)))
            return 0;
        if (number == 2)
            resident = value;
    }
    return at == length ? resident * (dft_page_size() / 1024) : 0;
}

static uint64_t read_from(int fd)
{
    char text[TEXT_SIZE];

    return parse(text, dft_descriptor_read_text(fd, text, sizeof text));
}

static uint64_t read_anew(void)
{
    int fd = dft_descriptor_open(AT_FDCWD, "/proc/self/statm");

    if (fd < 0) {
        if (fd != -EMFILE && fd != -ENFILE && fd != -ENOMEM && fd != -EINTR)
            atomic_store(&missing, true);
        return 0;
    }
    uint64_t resident = read_from(fd);
    keep(fd);
    dft_descriptor_close(fd);
    return resident;
}

/* Returns resident memory in KiB; 0 without /proc. */
static uint64_t read_resident(void)
{
    int fd = atomic_load_explicit(&kept, memory_order_relaxed);
    uint64_t resident = fd == NOT_KEPT ? 0 : read_from(fd);

    if (resident || atomic_load_explicit(&missing, memory_order_relaxed))
        return resident;
    return read_anew();
}

/* The peak of this program since exec, in KiB; UINT64_MAX without /proc. */
static uint64_t read_own_peak(void)
{
    static const char key[] = "VmHWM:";
    char text[2048];

    dft_small_file_read("/proc/self/status", text, sizeof text);
    const char *line = strstr(text, key);
    return line ? strtoull(line + sizeof key - 1, NULL, 10) : UINT64_MAX;
}

/* --- samples -------------------------------------------------------------------------------- */

static void read_memory_and_events(struct dft_sample_reading *reading)
{
    struct rusage thread;

    if (!dft_resource_usage(RUSAGE_THREAD, &thread))
        thread = (struct rusage){0};
    reading->peak_kb = (uint64_t)thread.ru_maxrss;
    reading->minor_faults = (uint32_t)thread.ru_minflt;
    reading->major_faults = (uint32_t)thread.ru_majflt;
    reading->voluntary_switches = (uint32_t)thread.ru_nvcsw;
    reading->involuntary_switches = (uint32_t)thread.ru_nivcsw;
    reading->resident_kb = read_resident();
}

void dft_samples_begin(struct dft_sample_reading *reading)
{
    int saved = errno;

    read_memory_and_events(reading);
    reading->cpu_ns = dft_time_ask(CLOCK_THREAD_CPUTIME_ID);
    errno = saved;
}

void dft_samples_end(struct dft_sample_reading *reading)
{
    int saved = errno;

    reading->cpu_ns = dft_time_ask(CLOCK_THREAD_CPUTIME_ID);
    read_memory_and_events(reading);
    errno = saved;
}

static uint64_t difference(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

/*
 * Returns the peak so far. The kernel counts peak and resident memory separately, and one of them
 * coarsely, so its peak may be below the resident memory.
 */
static uint64_t raise_peak(const struct dft_sample_reading *reading)
{
    uint64_t peak =
        reading->peak_kb > reading->resident_kb ? reading->peak_kb : reading->resident_kb;
    uint64_t highest = atomic_load_explicit(&highest_kb, memory_order_relaxed);

    while (peak > highest)
        if (atomic_compare_exchange_weak_explicit(&highest_kb, &highest, peak, memory_order_relaxed,
                                                  memory_order_relaxed))
            return peak;
    return highest;
}

void dft_samples_in_child(void)
{
    int fd = atomic_exchange(&kept, NOT_KEPT);

    if (fd != NOT_KEPT && read_from(fd))
        dft_descriptor_close(fd);
    atomic_store(&times_kept, 0);
    atomic_store(&highest_kb, 0);
    atomic_store(&inherited_peak_kb, 0); /* a fork does not inherit the peak */
}

void dft_samples_compare(const struct dft_sample_reading *begin,
                         const struct dft_sample_reading *end, struct dft_sample *sample)
{
    uint64_t bias = atomic_load_explicit(&cpu_bias_ns, memory_order_relaxed);
    uint64_t inherited = atomic_load_explicit(&inherited_peak_kb, memory_order_relaxed);
    uint64_t peak = raise_peak(end);

    *sample = (struct dft_sample){
        .cpu_start_ns = begin->cpu_ns,
        .cpu_ns = difference(bias, difference(begin->cpu_ns, end->cpu_ns)),
        .rss_kb = begin->resident_kb ? end->resident_kb : 0,
        .rss_delta_kb = (int64_t)(end->resident_kb - begin->resident_kb),
        .peak_rss_kb = peak > inherited ? peak : 0,
        .minor_faults = end->minor_faults - begin->minor_faults,
        .major_faults = end->major_faults - begin->major_faults,
        .voluntary_switches = end->voluntary_switches - begin->voluntary_switches,
        .involuntary_switches = end->involuntary_switches - begin->involuntary_switches,
    };
}

/* Takes the fastest of several rounds: time lost to other processes is no cost of a sample. */
void dft_samples_calibrate(void)
{
    uint64_t least = UINT64_MAX, least_cpu = UINT64_MAX;

    if (atomic_load(&cost_ns))
        return;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begun = dft_time_ask(CLOCK_MONOTONIC);
        for (int i = 0; i < SAMPLES; i++) {
            struct dft_sample_reading begin, end;
            dft_samples_begin(&begin);
            dft_samples_end(&end);
            uint64_t cpu = difference(begin.cpu_ns, end.cpu_ns);
            if (cpu < least_cpu)
                least_cpu = cpu;
        }
        uint64_t taken = (dft_time_ask(CLOCK_MONOTONIC) - begun) / SAMPLES;
        if (taken < least)
            least = taken;
    }
    struct dft_sample_reading now;
    dft_samples_end(&now);
    if (now.peak_kb > read_own_peak())
        atomic_store(&inherited_peak_kb, now.peak_kb);
    atomic_store(&cpu_bias_ns, least_cpu);
    atomic_store(&cost_ns, least);
}

uint64_t dft_samples_cost_ns(void)
{
    return atomic_load(&cost_ns);
}
