/*
 * Resident memory of this process, from /proc/self/statm. Runs in traced threads, with signals
 * open.
 *
 * The file stays open: to open it takes four times as long as to read it. But the program does not
 * know of the descriptor. It may close it and open something else under its number. So the
 * descriptor sits high up, its inode is compared before a reading, unless this thread has done so
 * some microseconds ago, and pread moves no position. What was read must look like the file.
 * Where it is no longer ours the file is opened again, a few times; after that, and where the
 * program may not have so many descriptors, it is opened for each reading. System calls are made
 * directly: libc's read would be a point at which a thread may be cancelled.
 */
#include "runtime/detail/resident_memory.h"
#include "os/kernel.h"
#include "runtime/base/clock.h"
#include "runtime/session/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIGH_DESCRIPTOR 500
#define KEPT_MAX 16
/* For how long a descriptor that was ours is taken to be: 6 to 30 microseconds. */
#if defined(__x86_64__)
#define TRUSTED_TICKS 30000u
#else
#define TRUSTED_TICKS 1000u
#endif
#define TEXT_SIZE 64 /* for two numbers and more; only those are read */

/* A descriptor, and how to tell that it is still ours. Never changed once it is current. */
struct kept {
    int fd;
    uint64_t device, inode;
};

static struct kept table[KEPT_MAX];
static _Atomic unsigned used; /* entries that somebody has taken */
static _Atomic(const struct kept *) current;
static _Atomic bool missing; /* there is no such file */
static uint64_t page_kb;     /* the same for all who set it */

/* What this thread has looked at, and when: a thread may have descriptors of its own. */
static DFT_TLS struct {
    const struct kept *kept;
    uint64_t ticks;
} looked;

static bool identify(int fd, struct kept *kept)
{
    struct stat status;

    if (syscall(SYS_fstat, fd, &status) != 0)
        return false;
    *kept = (struct kept){.fd = fd, .device = status.st_dev, .inode = status.st_ino};
    return true;
}

static bool is_ours(const struct kept *kept)
{
    struct kept now;

    return identify(kept->fd, &now) && now.device == kept->device && now.inode == kept->inode;
}

static bool is_trusted(const struct kept *kept)
{
    uint64_t ticks = dft_clock_now();

    if (looked.kept == kept && ticks - looked.ticks < TRUSTED_TICKS)
        return true;
    looked.kept = NULL; /* a signal handler may come in between */
    looked.ticks = ticks;
    if (!is_ours(kept))
        return false;
    looked.kept = kept;
    return true;
}

static void keep(int fd)
{
    unsigned number = atomic_load(&used) < KEPT_MAX ? atomic_fetch_add(&used, 1) : KEPT_MAX;

    if (number >= KEPT_MAX)
        return;
    int high = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (high < 0)
        return;
    if (identify(high, &table[number]))
        atomic_store_explicit(&current, &table[number], memory_order_release);
    else
        syscall(SYS_close, high);
}

static long read_from(int fd, char *text)
{
    return dft_kernel(SYS_pread64, fd, (long)text, TEXT_SIZE, 0);
}

static long read_anew(char *text)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);

    page_kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
    if (fd < 0) {
        if (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != EINTR)
            atomic_store(&missing, true);
        return -1;
    }
    long length = read_from(fd, text);
    keep(fd);
    syscall(SYS_close, fd);
    return length;
}

/* The second number counts pages; 0 where there are no such numbers. */
static uint64_t parse(const char *text, long length)
{
    uint64_t pages = 0;
    long i = 0;

    while (i < length && text[i] >= '0' && text[i] <= '9')
        i++;
    if (i >= length || text[i] != ' ')
        return 0;
    for (i++; i < length && text[i] >= '0' && text[i] <= '9'; i++)
        pages = pages * 10 + (uint64_t)(text[i] - '0');
    return i < length && text[i] == ' ' ? pages * page_kb : 0;
}

uint64_t dft_statm_resident_kb(void)
{
    const struct kept *kept = atomic_load_explicit(&current, memory_order_acquire);
    char text[TEXT_SIZE];
    uint64_t resident = kept && is_trusted(kept) ? parse(text, read_from(kept->fd, text)) : 0;

    if (resident)
        return resident;
    looked.kept = NULL;
    if (atomic_load_explicit(&missing, memory_order_relaxed))
        return 0;
    return parse(text, read_anew(text));
}

uint64_t dft_statm_peak_kb(void)
{
    static const char key[] = "VmHWM:";
    char text[2048];
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
    long length = fd < 0 ? -1 : syscall(SYS_pread64, fd, text, sizeof text - 1, (off_t)0);

    if (fd >= 0)
        syscall(SYS_close, fd);
    text[length > 0 ? length : 0] = '\0';
    const char *line = strstr(text, key);
    return line ? strtoull(line + sizeof key - 1, NULL, 10) : UINT64_MAX;
}

void dft_statm_in_child(void)
{
    const struct kept *kept = atomic_load(&current);

    if (kept && is_ours(kept))
        syscall(SYS_close, kept->fd);
    looked.kept = NULL;
    atomic_store(&current, NULL);
    atomic_store(&used, 0);
}
