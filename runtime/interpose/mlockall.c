/*
 * mlockall. To lock a mapping is to bring all of it into memory, and a spool's is far larger than
 * what is ever used of it: it is left out, everything else is locked as the program wants it. Any
 * thread; no heap.
 */
#include "runtime/interpose/mlockall.h"
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
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif

#define SPARED_MAX 8
#define MAPS_LINE_MAX 8192 /* a path and what stands before it */

struct range {
    uintptr_t begin, end;
};

/* This process's spool first, then what is left of those that it was forked from. */
static struct range spared[SPARED_MAX];

DFT_DEFINE_NEXT(mlockall)

void dft_mlockall_exclude(const void *mapping, size_t size)
{
    memmove(spared + 1, spared, sizeof spared - sizeof *spared);
    spared[0] = (struct range){(uintptr_t)mapping, (uintptr_t)mapping + size};
}

static int call_next(int flags)
{
    __typeof__(&mlockall) next = next_mlockall();

    return next ? next(flags) : (int)syscall(SYS_mlockall, flags);
}

/*
 * The kernel joins neighbours that are alike: what is spared may be a part of a mapping. What
 * cannot be locked, mlockall passes over as well.
 */
static void lock_range(uintptr_t begin, uintptr_t end)
{
    for (unsigned i = 0; i < SPARED_MAX; i++)
        if (begin < spared[i].end && end > spared[i].begin) {
            lock_range(begin, spared[i].begin);
            lock_range(spared[i].end, end);
            return;
        }
    if (begin < end)
        syscall(SYS_mlock, begin, end - begin);
}

/* One line of /proc/self/maps. */
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

static void unlock_spared(void)
{
    for (unsigned i = 0; i < SPARED_MAX && spared[i].end; i++)
        syscall(SYS_munlock, spared[i].begin, spared[i].end - spared[i].begin);
}

/* The kernel compares all addresses with the limit: whether they would do without those spared. */
static bool fits_without_spared(void)
{
    char text[32];
    struct rlimit limit;
    uint64_t size;

    if (dft_small_file_read("/proc/self/statm", text, sizeof text) <= 0 ||
        getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return false;
    size = strtoull(text, NULL, 10) * (uint64_t)dft_page_size();
    for (unsigned i = 0; i < SPARED_MAX; i++)
        size -= spared[i].end - spared[i].begin;
    return size <= limit.rlim_cur;
}

DFT_INTERPOSE int mlockall(int flags)
{
    struct dft_guard guard;

    if (!(flags & MCL_CURRENT) || (flags & MCL_ONFAULT) || !spared[0].end ||
        dft_address_space_kind() == DFT_ADDRESS_SPACE_SHARED)
        return call_next(flags);
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (maps < 0)
        return call_next(flags);
    /* First without bringing anything in: so nothing is missed that is mapped meanwhile. */
    int result = call_next(flags | MCL_ONFAULT);
    if (result != 0 && errno == ENOMEM && fits_without_spared())
        result = 0;
    dft_guard_enter(&guard);
    if (result == 0) {
        lock_mappings(maps);
        unlock_spared();
        if (flags & MCL_FUTURE)
            call_next(MCL_FUTURE);
    }
    close(maps);
    dft_guard_leave(&guard);
    return result;
}
