/*
 * Looks up the next definitions of the functions that we intercept: see next.h. Any thread.
 *
 * dlsym allocates memory for the message that a function is missing, and an allocator may call
 * functions that we intercept. These are looked up in turn. If that does not end, the calls go to
 * the kernel directly.
 */
#include "io/next.h"
#include "os/libc_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFINE_NEXT(entry) void *dft_io_next_##entry;
#define DFT_IO(returns, entry, event, parameters, arguments, subject, failure, values)             \
    DEFINE_NEXT(entry)
#define DFT_IO_VOID(entry, event, parameters, arguments, subject, values) DEFINE_NEXT(entry)
#include "io/calls.def"
#undef DFT_IO
#undef DFT_IO_VOID
DFT_IO_BY_HAND(DEFINE_NEXT)
DEFINE_NEXT(fmemopen_old)

static const struct {
    const char *entry;
    void **next;
} all[] = {
#define LIST_NEXT(entry) {#entry, &dft_io_next_##entry},
#define DFT_IO(returns, entry, event, parameters, arguments, subject, failure, values)             \
    LIST_NEXT(entry)
#define DFT_IO_VOID(entry, event, parameters, arguments, subject, values) LIST_NEXT(entry)
#include "io/calls.def"
#undef DFT_IO
#undef DFT_IO_VOID
    DFT_IO_BY_HAND(LIST_NEXT)};

/* --- calls of an allocator during a lookup ---------------------------------------------------- */

static int early_openat(int directory, const char *path, int flags, ...)
{
    va_list list;

    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return dft_libc_openat(directory, path, flags, mode);
}

static int early_open(const char *path, int flags, ...)
{
    va_list list;

    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return dft_libc_openat(AT_FDCWD, path, flags, mode);
}

static long missing(void)
{
    errno = ENOSYS;
    return -1;
}

static const struct {
    const char *entry;
    void *function;
} early[] = {
    {"open", (void *)early_open},
    {"open64", (void *)early_open},
    {"openat", (void *)early_openat},
    {"openat64", (void *)early_openat},
    {"close", (void *)dft_libc_close},
    {"read", (void *)dft_libc_read},
    {"write", (void *)dft_libc_write},
    {"mmap", (void *)dft_libc_mmap},
    {"mmap64", (void *)dft_libc_mmap},
    {"readlink", (void *)dft_libc_readlink},
    {"munmap", (void *)dft_libc_munmap},
    {"madvise", (void *)dft_libc_madvise},
    {"mprotect", (void *)dft_libc_mprotect},
};

/* --------------------------------------------------------------------------------------------- */

#define LOOKUPS_MAX 4

/* Volatile: the compiler assumes that dlsym calls nothing in this file. */
static __thread volatile unsigned lookups __attribute__((tls_model("initial-exec")));

static void *find_early(const char *entry)
{
    for (size_t i = 0; i < sizeof early / sizeof *early; i++)
        if (strcmp(early[i].entry, entry) == 0)
            return early[i].function;
    return (void *)missing;
}

/* Two threads that race find the same function. */
void *dft_io_look_up(const char *entry, void **next)
{
    int saved = errno;

    if (lookups == LOOKUPS_MAX)
        return find_early(entry);
    lookups++;
    void *found = dlsym(RTLD_NEXT, entry);
    lookups--;
    errno = saved;
    if (!found)
        return (void *)missing;
    __atomic_store_n(next, found, __ATOMIC_RELEASE);
    return found;
}

void dft_io_look_up_all(void)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!*all[i].next)
            dft_io_look_up(all[i].entry, all[i].next);
#ifdef DFT_IO_FMEMOPEN_OLD
    lookups++;
    dft_io_next_fmemopen_old = dlvsym(RTLD_NEXT, "fmemopen", DFT_IO_FMEMOPEN_OLD);
    lookups--;
#endif
}
