/*
 * The trace file. Runs in the writer only.
 *
 * The traced program does not know of our descriptor: it may close it with closefrom() and open
 * something else under its number. So the descriptor sits high up, and before each use its inode is
 * compared; where it is no longer ours the file is opened again by name.
 */
#include "writer/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define HIGH_DESCRIPTOR 500
#define MOST_NAMES 1000

static int move_up(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);

    if (high < 0)
        return fd;
    close(fd);
    return high;
}

int dft_file_create(struct dft_file *file, const char *prefix, const char *app, int32_t pid,
                    const char *extension)
{
    *file = (struct dft_file){.fd = -1};
    for (int i = 1; i <= MOST_NAMES; i++) {
        char again[16] = "";
        if (i > 1)
            snprintf(again, sizeof again, "-%d", i);
        int length = snprintf(file->path, sizeof file->path, "%s-%s-%ld%s%s", prefix, app,
                              (long)pid, again, extension);
        if (length < 0 || (size_t)length >= sizeof file->path)
            return -ENAMETOOLONG;
        int fd = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0 && errno == EEXIST)
            continue;
        if (fd < 0)
            return -errno;
        struct stat status;
        if (fstat(fd, &status) != 0) {
            int error = errno;
            close(fd);
            return -error;
        }
        file->device = status.st_dev;
        file->inode = status.st_ino;
        file->fd = move_up(fd);
        return 0;
    }
    return -EEXIST;
}

static int is_ours(const struct dft_file *file, int fd)
{
    struct stat status;

    return fd >= 0 && fstat(fd, &status) == 0 && status.st_dev == file->device &&
           status.st_ino == file->inode;
}

static int reopen(struct dft_file *file)
{
    int fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0)
        return -errno;
    if (!is_ours(file, fd)) {
        close(fd);
        return -ESTALE;
    }
    file->fd = move_up(fd);
    return 0;
}

/* Writing past RLIMIT_FSIZE would send SIGXFSZ to the traced program. */
static int exceeds_limit(uint64_t size)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           size > limit.rlim_cur;
}

int dft_file_append(struct dft_file *file, const char *data, size_t length)
{
    size_t done = 0;

    if (exceeds_limit(file->size + length))
        return -EFBIG;
    if (!is_ours(file, file->fd)) {
        int error = reopen(file);
        if (error)
            return error;
    }
    while (done < length) {
        ssize_t n = pwrite(file->fd, data + done, length - done, (off_t)(file->size + done));
        if (n > 0) {
            done += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            int error = n == 0 ? EIO : errno;
            if (ftruncate(file->fd, (off_t)file->size) != 0)
                error = errno;
            return -error;
        }
    }
    file->size += length;
    return 0;
}

int dft_file_truncate(struct dft_file *file, uint64_t size)
{
    if (!is_ours(file, file->fd)) {
        int error = reopen(file);
        if (error)
            return error;
    }
    if (ftruncate(file->fd, (off_t)size) != 0)
        return -errno;
    file->size = size;
    return 0;
}

void dft_file_forget(const struct dft_file *file)
{
    if (is_ours(file, file->fd))
        close(file->fd);
}

void dft_file_close(struct dft_file *file)
{
    dft_file_forget(file);
    file->fd = -1;
}

void dft_file_remove(struct dft_file *file)
{
    dft_file_close(file);
    unlink(file->path);
}
