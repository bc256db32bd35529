/*
 * mlockall. Locking a mapping populates all of it, and a spool's mapping is far larger than the
 * part that is ever used. So the spool is excluded, and with it the table of descriptors of
 * libdftrace-io.so; everything else is locked as the program asks.
 * Any thread; no heap.
 */
#include "runtime/interpose/mlockall.h"
#include "os/memory.h"
#include "os/page.h"
#include "os/small_file.h"
#include "runtime/base/address_space.h"
#include "runtime/base/guard.h"
#include "runtime/interpose/next.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif

#define EXCLUDED_MAX 8
#define MAPS_LINE_MAX 8192 /* a path and the fields before it */

struct range {
    uintptr_t begin, end;
};

/* This process's spool, the table, and the spools of ancestors, as far as they are still mapped. */
static struct range excluded[EXCLUDED_MAX];

DFT_DEFINE_NEXT(mlockall)

void dft_mlockall_exclude(const void *mapping, size_t size)
{
    memmove(excluded + 1, excluded, sizeof excluded - sizeof *excluded);
    excluded[0] = (struct range){(uintptr_t)mapping, (uintptr_t)mapping + size};
}

static int call_next(int flags)
{
    __typeof__(&mlockall) next = next_mlockall();

    return next ? next(flags) : dft_memory_lock_all(flags);
}

/*
 * Locks a range without the excluded parts. An excluded range may be only a part of a mapping,
 * because the kernel merges adjacent mappings that are alike. Errors are ignored, as in mlockall.
 */
static void lock_range(uintptr_t begin, uintptr_t end)
{
    for (unsigned i = 0; i < EXCLUDED_MAX; i++)
        if (begin < excluded[i].end && end > excluded[i].begin) {
            lock_range(begin, excluded[i].begin);
            lock_range(excluded[i].end, end);
            return;
        }
    if (begin < end)
        dft_memory_lock(begin, end);
}

/* Locks the mapping in a line of /proc/self/maps. */
static void lock_mapping(const char *line)
{
    char *at;
    uintptr_t begin = strtoull(line, &at, 16);

    if (*at == '-')
        lock_range(begin, strtoull(at + 1, NULL, 16));
}

static void lock_mappings(int maps)
{
    char text[MAPS_LINE_MAX];
    size_t have = 0;
    ssize_t more;

    while ((more = read(maps, text + have, sizeof text - 1 - have)) > 0) {
        char *line = text, *end;
        have += (size_t)more;
        text[have] = '\0';
        for (; (end = strchr(line, '\n')) != NULL; line = end + 1)
            lock_mapping(line);
        have -= (size_t)(line - text);
        memmove(text, line, have);
    }
}

static void unlock_excluded(void)
{
    for (unsigned i = 0; i < EXCLUDED_MAX && excluded[i].end; i++)
        dft_memory_unlock(excluded[i].begin, excluded[i].end);
}

/*
 * Whether all mappings except the excluded ones fit into the limit. The kernel also counts the
 * excluded ones.
 */
static bool fits_without_excluded(void)
{
    char text[32];
    struct rlimit limit;
    uint64_t size;

    if (dft_small_file_read("/proc/self/statm", text, sizeof text) <= 0 ||
        getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return false;
    size = strtoull(text, NULL, 10) * (uint64_t)dft_page_size();
    for (unsigned i = 0; i < EXCLUDED_MAX; i++)
        size -= excluded[i].end - excluded[i].begin;
    return size <= limit.rlim_cur;
}

/* Inside a guard, so that libdftrace-io.so does not record what is done here. */
static int lock_all_but_excluded(int flags)
{
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

    if (maps < 0)
        return call_next(flags);
    /*
     * Locks without populating. With MCL_FUTURE, this includes mappings that other threads make
     * until lock_mappings has populated the present ones.
     */
    int result = call_next(flags | MCL_ONFAULT);
    if (result != 0 && errno == ENOMEM && fits_without_excluded())
        result = 0;
    if (result == 0) {
        lock_mappings(maps);
        unlock_excluded();
        if (flags & MCL_FUTURE)
            call_next(MCL_FUTURE);
    }
    close(maps);
    return result;
}

DFT_INTERPOSE int mlockall(int flags)
{
    struct dft_guard guard;

    if (!(flags & MCL_CURRENT) || (flags & MCL_ONFAULT) || !excluded[0].end ||
        dft_address_space_kind() == DFT_ADDRESS_SPACE_SHARED)
        return call_next(flags);
    dft_guard_enter(&guard);
    int result = lock_all_but_excluded(flags);
    if (result != 0)
        guard.saved_errno = errno;
    dft_guard_leave(&guard);
    return result;
}
