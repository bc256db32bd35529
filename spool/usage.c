/* Reads resource usage from getrusage and /proc: see usage.h. */
#include "spool/usage.h"
#include "os/descriptor.h"
#include "os/process.h"
#include "os/time.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* More threads than these are not asked one by one for their context switches. */
#define ASKED_THREADS_MAX 64

/*
 * The highest number of a descriptor that is kept open here, so that there is room for trace files
 * above. If the limit of descriptors is too low for that, files are opened for each reading.
 */
#define KEPT_LAST 900

struct linux_directory_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

/* What this process has read here, in its own name, is not what it has read for itself. */
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
 * A file to read from: one that is kept, or one for this time. `*fresh`: to be closed. System calls
 * are made directly: libc's could be points of cancellation, or the program's own.
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

/* One of a thread, below the directory of its process's threads. */
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

/* The number behind a key that begins a line; `otherwise` where there is none. */
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

static void read_memory(const char *status, struct dft_process_usage *figures)
{
    figures->rss_kb = find_number(status, "VmRSS:", 0);
    figures->peak_rss_kb = find_number(status, "VmHWM:", figures->rss_kb);
    figures->threads = find_number(status, "Threads:", 0);
}

static void read_io(struct dft_usage_files *files, const char *path,
                    struct dft_process_usage *figures)
{
    char text[512];

    figures->has_io = read_text(files, DFT_FILE_IO, path, text, sizeof text);
    figures->read_bytes = find_number(text, "rchar:", 0);
    figures->write_bytes = find_number(text, "wchar:", 0);
    figures->storage_read_bytes = find_number(text, "read_bytes:", 0);
    figures->storage_write_bytes = find_number(text, "write_bytes:", 0);
}

static uint64_t microseconds(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec;
}

void dft_usage_read_own(struct dft_usage_files *files, struct dft_process_usage *figures)
{
    struct rusage usage;
    char text[2048];

    *figures = (struct dft_process_usage){.monotonic_ns = dft_time_ask(CLOCK_MONOTONIC)};
    if (dft_kernel(SYS_getrusage, RUSAGE_SELF, (long)&usage, 0, 0) == 0) {
        figures->user_us = microseconds(usage.ru_utime);
        figures->system_us = microseconds(usage.ru_stime);
        figures->minor_faults = (uint64_t)usage.ru_minflt;
        figures->major_faults = (uint64_t)usage.ru_majflt;
        figures->voluntary_switches = (uint64_t)usage.ru_nvcsw;
        figures->involuntary_switches = (uint64_t)usage.ru_nivcsw;
        figures->has_switches = 1;
    }
    read_text(files, DFT_FILE_STATUS, "/proc/self/status", text, sizeof text);
    read_memory(text, figures);
    uint64_t own = atomic_load(&read_here); /* the file does not yet count its own reading */
    read_io(files, "/proc/self/io", figures);
    figures->read_bytes = figures->read_bytes > own ? figures->read_bytes - own : 0;
}

/* --- another process ------------------------------------------------------------------------ */

static uint64_t read_field(const char *text, enum dft_process_field field)
{
    return strtoull(dft_process_field(text, field), NULL, 10);
}

/* The kernel counts in hundredths of a second, which is coarse; its clock knows the sum better. */
static void split_time(int32_t pid, uint64_t user, uint64_t system,
                       struct dft_process_usage *figures)
{
    clockid_t clock;
    uint64_t hertz = (uint64_t)sysconf(_SC_CLK_TCK);
    uint64_t all_us = clock_getcpuclockid(pid, &clock) == 0 ? dft_time_ask(clock) / 1000 : 0;

    if (all_us == 0 || user + system == 0) {
        figures->user_us = user * 1000000u / hertz + all_us;
        figures->system_us = system * 1000000u / hertz;
        return;
    }
    figures->user_us = (uint64_t)((unsigned __int128)all_us * user / (user + system));
    figures->system_us = all_us - figures->user_us;
}

static void add_switches(int tasks, const char *tid, struct dft_process_usage *figures)
{
    char text[2048];

    read_of_thread(tasks, tid, "status", text, sizeof text);
    figures->voluntary_switches += find_number(text, "voluntary_ctxt_switches:", 0);
    figures->involuntary_switches += find_number(text, "nonvoluntary_ctxt_switches:", 0);
}

static int take_tasks(struct dft_usage_files *files, int32_t pid, bool *fresh)
{
    char path[48];

    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    return take_file(files, DFT_FILE_TASKS, path, fresh);
}

/* Nobody but its threads knows them. */
static void read_switches(struct dft_usage_files *files, int32_t pid,
                          struct dft_process_usage *figures)
{
    _Alignas(8) char entries[2048];
    bool fresh;
    long length;

    if (figures->threads > ASKED_THREADS_MAX)
        return;
    int tasks = take_tasks(files, pid, &fresh);
    if (tasks < 0)
        return;
    dft_kernel(SYS_lseek, tasks, 0, SEEK_SET, 0); /* where an earlier reading has come to */
    figures->has_switches = 1;
    while ((length = dft_kernel(SYS_getdents64, tasks, (long)entries, sizeof entries, 0)) > 0)
        for (long at = 0; at < length;) {
            const struct linux_directory_entry *entry =
                (const struct linux_directory_entry *)(entries + at);
            if (entry->name[0] != '.')
                add_switches(tasks, entry->name, figures);
            at += entry->length;
        }
    if (fresh)
        dft_descriptor_close(tasks);
}

bool dft_usage_read_other(struct dft_usage_files *files, int32_t pid, uint64_t born,
                          struct dft_process_usage *figures)
{
    char path[48], text[2048];

    *figures = (struct dft_process_usage){.monotonic_ns = dft_time_ask(CLOCK_MONOTONIC)};
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (!read_text(files, DFT_FILE_STAT, path, text, sizeof text) ||
        !dft_process_field(text, DFT_PROCESS_BORN) ||
        (born && read_field(text, DFT_PROCESS_BORN) != born))
        return false;
    split_time(pid, read_field(text, DFT_PROCESS_USER_TICKS),
               read_field(text, DFT_PROCESS_SYSTEM_TICKS), figures);
    figures->minor_faults = read_field(text, DFT_PROCESS_MINOR_FAULTS);
    figures->major_faults = read_field(text, DFT_PROCESS_MAJOR_FAULTS);
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    read_text(files, DFT_FILE_STATUS, path, text, sizeof text);
    read_memory(text, figures);
    if (figures->rss_kb == 0) /* what is left of a process has no memory */
        return false;
    read_switches(files, pid, figures);
    snprintf(path, sizeof path, "/proc/%ld/io", (long)pid);
    read_io(files, path, figures);
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

bool dft_usage_read_machine(struct dft_usage_files *files, struct dft_machine_usage *figures)
{
    enum { USER, NICE, SYSTEM, IDLE, WAITING, IRQ, SOFTIRQ, STEAL, COUNT };
    uint64_t ticks[COUNT] = {0};
    char text[2048];

    if (!read_text(files, DFT_FILE_MACHINE_STAT, "/proc/stat", text, sizeof text) ||
        strncmp(text, "cpu ", 4) != 0)
        return false;
    char *at = text + 4;
    *figures = (struct dft_machine_usage){0};
    for (int i = 0; i < COUNT; i++) {
        ticks[i] = strtoull(at, &at, 10);
        figures->all += ticks[i];
    }
    figures->user = ticks[USER] + ticks[NICE];
    figures->system = ticks[SYSTEM] + ticks[IRQ] + ticks[SOFTIRQ];
    figures->waiting = ticks[WAITING];
    if (read_text(files, DFT_FILE_MACHINE_MEMORY, "/proc/meminfo", text, sizeof text)) {
        figures->memory_kb = find_number(text, "MemTotal:", 0);
        figures->available_kb = find_number(text, "MemAvailable:", 0);
    }
    return true;
}
