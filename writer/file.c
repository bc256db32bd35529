/*
 * The trace file. Runs in the writer only.
 *
 * The traced program does not know our descriptor. The program may close it with closefrom() and
 * open another file, which gets the same number. So the descriptor has a high number, and the inode
 * is compared before each use. If the descriptor is no longer ours, the file is opened again by
 * name. If the program's limit does not allow high numbers, no descriptor is kept open, because the
 * program might need the number.
 *
 * Before each member is written, disk space for the end of the trace is allocated after the end of
 * the file. This does not change the size of the file. So there is room for the end of the trace
 * even if the disk becomes full. File systems that cannot allocate (EOPNOTSUPP) have no such
 * reserve.
 */
#include "writer/file.h"
#include "os/descriptor.h"
#include "os/file_status.h"
#include "os/page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Enough for the start and the end of a trace, compressed or not. */
#define RESERVE (16u << 10)

/* Moves a descriptor to a high number. Returns the new one, or -1. */
static int move_up(int fd)
{
    int high = dft_descriptor_copy_high(fd);

    close(fd);
    return high < 0 ? -1 : high;
}

int dft_file_name(struct dft_file *file, const char *prefix, const char *app, int32_t pid,
                  const char *extension, int number)
{
    char again[16] = "";

    *file = (struct dft_file){.fd = -1};
    if (number > 1)
        snprintf(again, sizeof again, "-%d", number);
    int length = snprintf(file->path, sizeof file->path, "%s-%s-%ld%s%s", prefix, app, (long)pid,
                          again, extension);
    if (length < 0 || (size_t)length >= sizeof file->path)
        return -ENAMETOOLONG;
    /* A program's name has no slash, but a name from a damaged spool may. */
    for (char *at = file->path + strlen(prefix); *at; at++)
        if (*at == '/')
            *at = '_';
    return 0;
}

/* Writing past RLIMIT_FSIZE would send SIGXFSZ to the traced program. */
static int exceeds_limit(uint64_t size)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           size > limit.rlim_cur;
}

/*
 * Allocates disk space up to `end`. Asks only for pages that are not allocated yet: when an
 * allocation fails, tmpfs frees every page of the requested range that has not been written.
 */
static int allocate(struct dft_file *file, int fd, uint64_t end)
{
    uint64_t page = dft_page_size();

    if (end <= file->allocated)
        return 0;
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)file->allocated,
                  (off_t)(end - file->allocated)) != 0)
        return errno == ENOSPC || errno == EDQUOT ? -errno : 0;
    file->allocated = (end + page - 1) / page * page;
    return 0;
}

static void keep_reserve(struct dft_file *file, int fd)
{
    file->allocated = file->size;
    if (!exceeds_limit(file->size + RESERVE))
        allocate(file, fd, file->size + RESERVE);
}

/* Truncates the file; the kernel frees the disk space that was allocated after its end. */
static int cut(struct dft_file *file, int fd, uint64_t size)
{
    if (ftruncate(fd, (off_t)size) != 0)
        return -errno;
    file->size = file->allocated = size;
    file->has_set_aside = false;
    return 0;
}

static int take_descriptor(struct dft_file *file, int fd)
{
    struct stat status;
    int error = dft_file_status(fd, &status);

    if (error)
        return error;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    keep_reserve(file, fd);
    file->fd = move_up(fd);
    return 0;
}

int dft_file_create(struct dft_file *file)
{
    int fd = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        return -errno;
    int error =
        fchmod(fd, 0600) == 0 ? take_descriptor(file, fd) : -errno; /* whatever the umask is */
    if (error) {
        close(fd);
        unlink(file->path);
    }
    return error;
}

int dft_file_resume(struct dft_file *file, uint64_t device, uint64_t inode, uint64_t size)
{
    int fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat status;

    if (fd < 0)
        return -errno;
    if (dft_file_status(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_ino != inode ||
        (device && status.st_dev != device) || (uint64_t)status.st_size < size) {
        close(fd);
        return -ESTALE;
    }
    if (ftruncate(fd, (off_t)size) != 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    file->size = size;
    int error = take_descriptor(file, fd);
    if (error)
        close(fd);
    return error;
}

static bool is_same(const struct dft_file *file, const struct stat *status)
{
    return status->st_dev == file->device && status->st_ino == file->inode;
}

static bool is_ours(const struct dft_file *file, int fd)
{
    struct stat status;

    return fd >= 0 && dft_file_status(fd, &status) == 0 && is_same(file, &status);
}

static int reopen(const struct dft_file *file)
{
    int fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0)
        return -errno;
    if (!is_ours(file, fd)) {
        close(fd);
        return -ESTALE;
    }
    return fd;
}

static int write_whole(int fd, const char *data, size_t length, uint64_t at)
{
    size_t done = 0;

    while (done < length) {
        ssize_t n = pwrite(fd, data + done, length - done, (off_t)(at + done));
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            return n == 0 ? -EIO : -errno;
    }
    return 0;
}

static int append(struct dft_file *file, int fd, const char *data, size_t length, uint64_t reserve)
{
    uint64_t end = file->size + length + reserve;
    int error = 0;

    if (file->has_set_aside) {
        error = cut(file, fd, file->size);
        keep_reserve(file, fd);
    }
    if (!error && reserve)
        error = allocate(file, fd, end);
    if (error)
        return error;
    error = write_whole(fd, data, length, file->size);
    if (!error) {
        file->size += length;
    } else {
        int cut_error = cut(file, fd, file->size);
        keep_reserve(file, fd);
        if (cut_error)
            error = cut_error;
    }
    return error;
}

static int append_with(struct dft_file *file, const char *data, size_t length, uint64_t reserve)
{
    if (exceeds_limit(file->size + length + reserve))
        return -EFBIG;
    bool kept = is_ours(file, file->fd);
    int fd = kept ? file->fd : reopen(file);
    if (fd < 0)
        return fd;
    int error = append(file, fd, data, length, reserve);
    if (!kept)
        file->fd = move_up(fd);
    return error;
}

int dft_file_append(struct dft_file *file, const char *data, size_t length)
{
    return append_with(file, data, length, RESERVE);
}

int dft_file_append_last(struct dft_file *file, const char *data, size_t length)
{
    return append_with(file, data, length, 0);
}

int dft_file_truncate(struct dft_file *file, uint64_t size)
{
    bool kept = is_ours(file, file->fd);
    int fd = kept ? file->fd : reopen(file);

    if (fd < 0)
        return fd;
    int error = cut(file, fd, size);
    keep_reserve(file, fd);
    if (!kept)
        file->fd = move_up(fd);
    return error;
}

void dft_file_free_reserve(struct dft_file *file)
{
    if (file->allocated > file->size && !file->has_set_aside && is_ours(file, file->fd))
        cut(file, file->fd, file->size);
}

void dft_file_set_aside(struct dft_file *file, uint64_t size)
{
    file->has_set_aside = file->has_set_aside || file->size > size;
    file->size = size;
}

void dft_file_forget(const struct dft_file *file)
{
    if (is_ours(file, file->fd))
        close(file->fd);
}

void dft_file_close(struct dft_file *file)
{
    dft_file_free_reserve(file);
    dft_file_forget(file);
    file->fd = -1;
}

void dft_file_remove(struct dft_file *file)
{
    struct stat status;

    dft_file_close(file);
    if (dft_file_status_at(AT_FDCWD, file->path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        is_same(file, &status))
        unlink(file->path);
}
