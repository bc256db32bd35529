/* Reads resource usage from getrusage and /proc: see usage.h. */
#include "spool/usage.h"
#include "os/descriptor.h"
#include "os/directory.h"
#include "os/process.h"
#include "os/resource_usage.h"
#include "os/time.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* With more threads than this, context switches are not read. */
#define ASKED_THREADS_MAX 64

/*
 * The highest number of a descriptor that stays open. Higher numbers remain free for trace files.
 * If the limit of descriptors is too low for that, files are opened for each reading.
 */
#define KEPT_LAST 900

struct linux_directory_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

/*
 * How many bytes the process `reader` has read here. They are subtracted from what /proc/self/io
 * reports.
 */
static _Atomic int32_t reader;
static _Atomic uint64_t read_here;

static void count_reading(long length)
{
    int32_t pid = (int32_t)dft_kernel_pid();

    if (atomic_exchange(&reader, pid) != pid) /* a forked child */
        atomic_store(&read_here, 0);
    if (length > 0)
        atomic_fetch_add(&read_here, (uint64_t)length);
}

/*
 * Returns a file to read from: a kept one, or one for this reading, which the caller must close if
 * `*fresh`.
 */
static int take_file(struct dft_usage_files *files, enum dft_usage_file which, const char *path,
                     bool *fresh)
{
    *fresh = false;
    if (files && files->kept[which])
        return files->kept[which];
    int fd = dft_descriptor_open(AT_FDCWD, path);
    *fresh = fd >= 0;
    if (fd < 0 || !files || !files->own)
        return fd;
    int high = dft_descriptor_copy_high(fd);
    if (high >= 0 && high <= KEPT_LAST) {
        dft_descriptor_close(fd);
        *fresh = false;
        return files->kept[which] = high;
    }
    if (high >= 0)
        dft_descriptor_close(high);
    return fd;
}

static bool read_from(int fd, char *text, size_t size)
{
    long length = dft_descriptor_read_text(fd, text, size);

    count_reading(length);
    return length > 0;
}

static bool read_text(struct dft_usage_files *files, enum dft_usage_file which, const char *path,
                      char *text, size_t size)
{
    bool fresh;
    int fd = take_file(files, which, path, &fresh);
    bool done = read_from(fd, text, size);

    if (fresh)
        dft_descriptor_close(fd);
    return done;
}

/* Reads a file of a thread; `tasks` is the directory of its process's threads. */
static bool read_of_thread(int tasks, const char *tid, const char *name, char *text, size_t size)
{
    char path[32];

    snprintf(path, sizeof path, "%.12s/%s", tid, name);
    int fd = dft_descriptor_open(tasks, path);
    bool done = read_from(fd, text, size);
    if (fd >= 0)
        dft_descriptor_close(fd);
    return done;
}

void dft_usage_close(struct dft_usage_files *files)
{
    for (int i = 0; i < DFT_USAGE_FILES; i++)
        if (files->kept[i])
            dft_descriptor_close(files->kept[i]);
    *files = (struct dft_usage_files){.own = false};
}

/* The number after a key at the beginning of a line, or `otherwise`. */
static uint64_t find_number(const char *text, const char *key, uint64_t otherwise)
{
    size_t length = strlen(key);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0)
            return strtoull(line + length, NULL, 10);
    }
    return otherwise;
}

static void read_memory(const char *status, struct dft_process_usage *usage)
{
    usage->rss_kb = find_number(status, "VmRSS:", 0);
    usage->peak_rss_kb = find_number(status, "VmHWM:", usage->rss_kb);
    usage->threads = find_number(status, "Threads:", 0);
}

static void read_io(struct dft_usage_files *files, const char *path,
                    struct dft_process_usage *usage)
{
    char text[512];

    usage->has_io = read_text(files, DFT_FILE_IO, path, text, sizeof text);
    usage->read_bytes = find_number(text, "rchar:", 0);
    usage->write_bytes = find_number(text, "wchar:", 0);
    usage->storage_read_bytes = find_number(text, "read_bytes:", 0);
    usage->storage_write_bytes = find_number(text, "write_bytes:", 0);
}

static uint64_t microseconds(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec;
}

void dft_usage_read_own(struct dft_usage_files *files, struct dft_process_usage *usage)
{
    struct rusage own;
    char text[2048];

    *usage = (struct dft_process_usage){.monotonic_ns = dft_time_ask(CLOCK_MONOTONIC)};
    if (dft_resource_usage(RUSAGE_SELF, &own)) {
        usage->user_us = microseconds(own.ru_utime);
        usage->system_us = microseconds(own.ru_stime);
        usage->minor_faults = (uint64_t)own.ru_minflt;
        usage->major_faults = (uint64_t)own.ru_majflt;
        usage->voluntary_switches = (uint64_t)own.ru_nvcsw;
        usage->involuntary_switches = (uint64_t)own.ru_nivcsw;
        usage->has_switches = 1;
    }
    read_text(files, DFT_FILE_STATUS, "/proc/self/status", text, sizeof text);
    read_memory(text, usage);
    /* /proc/self/io does not yet include this reading of itself. */
    uint64_t read_so_far = atomic_load(&read_here);
    read_io(files, "/proc/self/io", usage);
    usage->read_bytes = usage->read_bytes > read_so_far ? usage->read_bytes - read_so_far : 0;
}

/* --- another process ------------------------------------------------------------------------ */

static uint64_t read_field(const char *text, enum dft_process_field field)
{
    return strtoull(dft_process_field(text, field), NULL, 10);
}

/*
 * The kernel's user and system times are coarse, in hundredths of a second. The process's CPU clock
 * has the exact sum.
 */
static void split_time(int32_t pid, uint64_t user, uint64_t system, struct dft_process_usage *usage)
{
    clockid_t clock;
    uint64_t hertz = (uint64_t)sysconf(_SC_CLK_TCK);
    uint64_t all_us = clock_getcpuclockid(pid, &clock) == 0 ? dft_time_ask(clock) / 1000 : 0;

    if (all_us == 0 || user + system == 0) {
        usage->user_us = user * 1000000u / hertz + all_us;
        usage->system_us = system * 1000000u / hertz;
        return;
    }
    usage->user_us = (uint64_t)((unsigned __int128)all_us * user / (user + system));
    usage->system_us = all_us - usage->user_us;
}

static void add_switches(int tasks, const char *tid, struct dft_process_usage *usage)
{
    char text[2048];

    read_of_thread(tasks, tid, "status", text, sizeof text);
    usage->voluntary_switches += find_number(text, "voluntary_ctxt_switches:", 0);
    usage->involuntary_switches += find_number(text, "nonvoluntary_ctxt_switches:", 0);
}

static int take_tasks(struct dft_usage_files *files, int32_t pid, bool *fresh)
{
    char path[48];

    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    return take_file(files, DFT_FILE_TASKS, path, fresh);
}

/* Adds up the context switches of all threads: /proc reports them only for each thread. */
static void read_switches(struct dft_usage_files *files, int32_t pid,
                          struct dft_process_usage *usage)
{
    _Alignas(8) char entries[2048];
    bool fresh;
    long length;

    if (usage->threads > ASKED_THREADS_MAX)
        return;
    int tasks = take_tasks(files, pid, &fresh);
    if (tasks < 0)
        return;
    /* Rewinds the directory after an earlier reading. */
    dft_directory_rewind(tasks);
    usage->has_switches = 1;
    while ((length = dft_directory_read(tasks, entries, sizeof entries)) > 0)
        for (long at = 0; at < length;) {
            const struct linux_directory_entry *entry =
                (const struct linux_directory_entry *)(entries + at);
            if (entry->name[0] != '.')
                add_switches(tasks, entry->name, usage);
            at += entry->length;
        }
    if (fresh)
        dft_descriptor_close(tasks);
}

bool dft_usage_read_other(struct dft_usage_files *files, int32_t pid, uint64_t born,
                          struct dft_process_usage *usage)
{
    char path[48], text[2048];

    *usage = (struct dft_process_usage){.monotonic_ns = dft_time_ask(CLOCK_MONOTONIC)};
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (!read_text(files, DFT_FILE_STAT, path, text, sizeof text) ||
        !dft_process_field(text, DFT_PROCESS_BORN) ||
        (born && read_field(text, DFT_PROCESS_BORN) != born))
        return false;
    split_time(pid, read_field(text, DFT_PROCESS_USER_TICKS),
               read_field(text, DFT_PROCESS_SYSTEM_TICKS), usage);
    usage->minor_faults = read_field(text, DFT_PROCESS_MINOR_FAULTS);
    usage->major_faults = read_field(text, DFT_PROCESS_MAJOR_FAULTS);
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    read_text(files, DFT_FILE_STATUS, path, text, sizeof text);
    read_memory(text, usage);
    if (usage->rss_kb == 0) /* a zombie has no memory */
        return false;
    read_switches(files, pid, usage);
    snprintf(path, sizeof path, "/proc/%ld/io", (long)pid);
    read_io(files, path, usage);
    return true;
}

uint64_t dft_usage_thread_ns(struct dft_usage_files *files, int32_t pid, int32_t tid)
{
    char name[16], text[128];
    bool fresh;
    int tasks = take_tasks(files, pid, &fresh);

    snprintf(name, sizeof name, "%ld", (long)tid);
    bool done = tasks >= 0 && read_of_thread(tasks, name, "schedstat", text, sizeof text);
    if (fresh)
        dft_descriptor_close(tasks);
    return done ? strtoull(text, NULL, 10) : 0;
}

/* --- the machine ---------------------------------------------------------------------------- */

bool dft_usage_read_machine(struct dft_usage_files *files, struct dft_machine_usage *usage)
{
    enum { USER, NICE, SYSTEM, IDLE, WAITING, IRQ, SOFTIRQ, STEAL, COUNT };
    uint64_t ticks[COUNT] = {0};
    char text[2048];

    if (!read_text(files, DFT_FILE_MACHINE_STAT, "/proc/stat", text, sizeof text) ||
        strncmp(text, "cpu ", 4) != 0)
        return false;
    char *at = text + 4;
    *usage = (struct dft_machine_usage){0};
    for (int i = 0; i < COUNT; i++) {
        ticks[i] = strtoull(at, &at, 10);
        usage->all += ticks[i];
    }
    usage->user = ticks[USER] + ticks[NICE];
    usage->system = ticks[SYSTEM] + ticks[IRQ] + ticks[SOFTIRQ];
    usage->waiting = ticks[WAITING];
    if (read_text(files, DFT_FILE_MACHINE_MEMORY, "/proc/meminfo", text, sizeof text)) {
        usage->memory_kb = find_number(text, "MemTotal:", 0);
        usage->available_kb = find_number(text, "MemAvailable:", 0);
    }
    return true;
}
