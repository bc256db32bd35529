/*
 * Calls that open, copy and close descriptors. See table.h. They keep the table of descriptors up
 * to date also where nothing is recorded.
 */
#include "io/table.h"

#include <stdarg.h>
#include <unistd.h>

#define NEEDS_MODE(flags) ((flags)&O_CREAT || ((flags)&__O_TMPFILE) == __O_TMPFILE)

/* The third or fourth argument of open, which exists only with some flags. */
#define TAKE_MODE(flags)                                                                           \
    ({                                                                                             \
        mode_t taken = 0;                                                                          \
        if (NEEDS_MODE(flags)) {                                                                   \
            va_list list;                                                                          \
            va_start(list, flags);                                                                 \
            taken = va_arg(list, mode_t);                                                          \
            va_end(list);                                                                          \
        }                                                                                          \
        taken;                                                                                     \
    })

/*
 * Names the file by its path: the name is replaced when the file is open. A path that is excluded
 * may be a symbolic link to a file that is not, so only the open file decides.
 */
uint64_t dft_io_begin_open(struct dftrace_site *site, int directory, const char *path,
                           struct dft_io_file *file, char text[DFT_IO_NAME_ROOM])
{
    if (!site->on || __dftrace_io_is_own() || !dft_io_owns_descriptors())
        return 0;
    bool has_name = dft_io_name_make(directory, path, text);
    *file = (struct dft_io_file){
        .entry = has_name ? DFT_IO_KNOWN : 0, .fd = DFT_IO_NO_FD, .text = text};
    return __dftrace_io_enter(site);
}

static void end_open(struct dftrace_site *site, uint64_t token, struct dft_io_file *file, int ret,
                     int flags, mode_t mode)
{
    const struct dft_io_value with[] = {V(flags, flags), V(mode, mode), V(ret, ret)};
    const struct dft_io_value without[] = {V(flags, flags), V(ret, ret)};
    int error = DFT_IO_ERROR_MINUS;

    if (ret < 0 && !token)
        return;
    if (NEEDS_MODE(flags))
        dft_io_end_open(site, token, file, ret, with, sizeof with / sizeof *with, error);
    else
        dft_io_end_open(site, token, file, ret, without, sizeof without / sizeof *without, error);
}

#define OPEN(entry, event, directory, path, flags, parameters, arguments, take)                    \
    int entry parameters;                                                                          \
    DFT_IO_EXPORT int entry parameters                                                             \
    {                                                                                              \
        struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_##event];                     \
        struct dft_io_file file;                                                                   \
        char text[DFT_IO_NAME_ROOM];                                                               \
        mode_t mode = take;                                                                        \
        uint64_t token = dft_io_begin_open(site, directory, path, &file, text);                    \
        /* NOLINTNEXTLINE(bugprone-macro-parentheses): a list of arguments */                      \
        int ret = DFT_IO_NEXT(entry) arguments;                                                    \
        end_open(site, token, &file, ret, flags, mode);                                            \
        return ret;                                                                                \
    }

OPEN(open, open, AT_FDCWD, path, flags, (const char *path, int flags, ...), (path, flags, mode),
     TAKE_MODE(flags))
OPEN(open64, open, AT_FDCWD, path, flags, (const char *path, int flags, ...), (path, flags, mode),
     TAKE_MODE(flags))
OPEN(openat, openat, directory, path, flags, (int directory, const char *path, int flags, ...),
     (directory, path, flags, mode), TAKE_MODE(flags))
OPEN(openat64, openat, directory, path, flags, (int directory, const char *path, int flags, ...),
     (directory, path, flags, mode), TAKE_MODE(flags))
OPEN(__open_2, open, AT_FDCWD, path, flags, (const char *path, int flags), (path, flags), 0)
OPEN(__open64_2, open, AT_FDCWD, path, flags, (const char *path, int flags), (path, flags), 0)
OPEN(__openat_2, openat, directory, path, flags, (int directory, const char *path, int flags),
     (directory, path, flags), 0)
OPEN(__openat64_2, openat, directory, path, flags, (int directory, const char *path, int flags),
     (directory, path, flags), 0)
OPEN(creat, creat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, (const char *path, mode_t given),
     (path, mode), given)
OPEN(creat64, creat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, (const char *path, mode_t given),
     (path, mode), given)

/*
 * The entry is cleared before the number can be used again, and once more afterwards: another
 * thread may have used the descriptor meanwhile.
 */
DFT_IO_EXPORT int close(int fd)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_close];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_fd(site, fd, &file);
    char text[DFT_IO_NAME_ROOM];

    dft_io_keep_name(token, &file, text);
    dft_io_descriptor_forget(fd);
    int ret = DFT_IO_NEXT(close)(fd);
    int error = DFT_IO_ERROR_MINUS;
    if (dft_io_descriptor(fd))
        dft_io_descriptor_forget(fd);
    if (token)
        dft_io_end(site, token, &file, DFT_IO_VALUES(V(ret, ret)), 1, error);
    return ret;
}

DFT_IO_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_close_range];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_none(site, &file);
    int ret = DFT_IO_NEXT(close_range)(first, last, flags);
    int error = DFT_IO_ERROR_MINUS;

    if (ret == 0 && !(flags & (int)CLOSE_RANGE_CLOEXEC))
        dft_io_descriptors_forget(first, last);
    if (token)
        dft_io_end(site, token, &file,
                   DFT_IO_VALUES(V(first, first), V(last, last), V(flags, flags), V(ret, ret)), 4,
                   error);
    return ret;
}

DFT_IO_EXPORT void closefrom(int first)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_closefrom];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_none(site, &file);

    DFT_IO_NEXT(closefrom)(first);
    dft_io_descriptors_forget(first < 0 ? 0 : (unsigned)first, UINT32_MAX);
    if (token)
        dft_io_end(site, token, &file, DFT_IO_VALUES(V(first, first)), 1, 0);
}

/* --- copies ----------------------------------------------------------------------------------- */

DFT_IO_EXPORT int dup(int fd)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_dup];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_fd(site, fd, &file);
    struct dft_io_copy copy = dft_io_copy_begin(fd, -1);
    int ret = DFT_IO_NEXT(dup)(fd);
    int error = DFT_IO_ERROR_MINUS;

    dft_io_copy_end(copy, ret);
    if (token)
        dft_io_end(site, token, &file, DFT_IO_VALUES(V(ret, ret)), 1, error);
    return ret;
}

DFT_IO_EXPORT int dup2(int fd, int other)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_dup2];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_fd(site, fd, &file);
    struct dft_io_copy copy = dft_io_copy_begin(fd, other);
    int ret = DFT_IO_NEXT(dup2)(fd, other);
    int error = DFT_IO_ERROR_MINUS;

    dft_io_copy_end(copy, ret);
    if (token)
        dft_io_end(site, token, &file, DFT_IO_VALUES(V(newfd, other), V(ret, ret)), 2, error);
    return ret;
}

DFT_IO_EXPORT int dup3(int fd, int other, int flags)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_dup3];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_fd(site, fd, &file);
    struct dft_io_copy copy = dft_io_copy_begin(fd, other);
    int ret = DFT_IO_NEXT(dup3)(fd, other, flags);
    int error = DFT_IO_ERROR_MINUS;

    dft_io_copy_end(copy, ret);
    if (token)
        dft_io_end(site, token, &file, DFT_IO_VALUES(V(newfd, other), V(flags, flags), V(ret, ret)),
                   3, error);
    return ret;
}

static int control(__typeof__(&fcntl) next, int fd, int cmd, void *argument)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_fcntl];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_fd(site, fd, &file);
    struct dft_io_copy copy = dft_io_copy_begin(fd, -1);
    int ret = next(fd, cmd, argument);
    int error = DFT_IO_ERROR_MINUS;

    if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC)
        dft_io_copy_end(copy, ret);
    if (token)
        dft_io_end(site, token, &file, DFT_IO_VALUES(V(cmd, cmd), V(ret, ret)), 2, error);
    return ret;
}

/*
 * Every third argument, a number or a pointer, is passed in one register. libc's function takes it
 * as a pointer, too; where there is none, the kernel ignores it.
 */
#define TAKE_ARGUMENT(last)                                                                        \
    ({                                                                                             \
        va_list list;                                                                              \
        va_start(list, last);                                                                      \
        void *taken = va_arg(list, void *);                                                        \
        va_end(list);                                                                              \
        taken;                                                                                     \
    })

DFT_IO_EXPORT int fcntl(int fd, int cmd, ...)
{
    return control(DFT_IO_NEXT(fcntl), fd, cmd, TAKE_ARGUMENT(cmd));
}

DFT_IO_EXPORT int fcntl64(int fd, int cmd, ...)
{
    return control(DFT_IO_NEXT(fcntl64), fd, cmd, TAKE_ARGUMENT(cmd));
}

/* --- pipes ------------------------------------------------------------------------------------ */

static void end_pipe(uint64_t token, const struct dft_io_file *file, const int ends[2], int flags,
                     int ret, int error)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_pipe];

    if (ret == 0) {
        dft_io_descriptor_forget(ends[0]);
        dft_io_descriptor_forget(ends[1]);
    }
    if (token)
        dft_io_end(site, token, file,
                   DFT_IO_VALUES(V(flags, flags), V(read_fd, ret ? -1 : ends[0]),
                                 V(write_fd, ret ? -1 : ends[1]), V(ret, ret)),
                   4, error);
}

DFT_IO_EXPORT int pipe(int ends[2])
{
    struct dft_io_file file;
    uint64_t token = dft_io_begin_none(&dft_io_sites[DFT_IO_EVENT_pipe], &file);
    int ret = DFT_IO_NEXT(pipe)(ends);

    end_pipe(token, &file, ends, 0, ret, DFT_IO_ERROR_MINUS);
    return ret;
}

DFT_IO_EXPORT int pipe2(int ends[2], int flags)
{
    struct dft_io_file file;
    uint64_t token = dft_io_begin_none(&dft_io_sites[DFT_IO_EVENT_pipe], &file);
    int ret = DFT_IO_NEXT(pipe2)(ends, flags);

    end_pipe(token, &file, ends, flags, ret, DFT_IO_ERROR_MINUS);
    return ret;
}
