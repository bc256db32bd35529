/* Opens the files of spools: see spool_file.h. */
#include "tool/run/spool_file.h"

#include "dftrace/absent.h"
#include "runtime/sites/rule_marks.h"
#include "spool/older/older.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* flock without waiting; repeated if a signal interrupts it. */
static int lock_file(int fd)
{
    int result;

    do
        result = flock(fd, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    return result;
}

static int open_file(struct dft_spool_file *file, const char *path)
{
    /* O_NONBLOCK: opening a FIFO must not block. */
    file->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    return file->fd < 0 ? -errno : 0;
}

static int open_current(struct dft_spool_file *file, const char *path)
{
    int error = dft_spool_open(&file->spool, file->fd, path);

    if (!error && lock_file(file->fd) != 0) {
        error = errno == EWOULDBLOCK ? -EBUSY : -errno;
        dft_spool_unmap(&file->spool);
    }
    return error;
}

/*
 * The file is locked before it is read: once another process has completed the trace, only the
 * missing name of the file shows it, because nothing is stored in a spool of an old version.
 */
static int open_older(struct dft_spool_file *file, const char *path)
{
    struct stat status;

    if (lock_file(file->fd) != 0)
        return errno == EWOULDBLOCK ? -EBUSY : -errno;
    if (fstat(file->fd, &status) != 0)
        return -errno;
    return status.st_nlink == 0 ? -ENOENT : dft_spool_open_older(&file->spool, file->fd, path);
}

static int end_opening(struct dft_spool_file *file, int error)
{
    if (error && file->fd >= 0) {
        close(file->fd);
        file->fd = -1;
    }
    return error;
}

int dft_spool_file_open(struct dft_spool_file *file, const char *path)
{
    int error = open_file(file, path);

    return end_opening(file, error ? error : open_current(file, path));
}

int dft_spool_file_open_left(struct dft_spool_file *file, const char *path)
{
    int error = open_file(file, path);

    if (!error)
        error = open_current(file, path);
    if (error == -EPROTONOSUPPORT)
        error = open_older(file, path);
    return end_opening(file, error);
}

void dft_spool_file_close(struct dft_spool_file *file)
{
    dft_spool_unmap(&file->spool);
    if (file->fd >= 0) {
        flock(file->fd, LOCK_UN); /* a mapping that could not be removed would keep the lock */
        close(file->fd);
    }
    file->fd = -1;
}

int32_t dft_spool_file_pid(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    if (strncmp(name, DFT_SPOOL_FILE_PREFIX, sizeof DFT_SPOOL_FILE_PREFIX - 1) != 0)
        return 0;
    long pid = strtol(name + sizeof DFT_SPOOL_FILE_PREFIX - 1, NULL, 10);
    return pid > 0 && pid <= INT32_MAX ? (int32_t)pid : 0;
}

int dft_spool_file_lock_run(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

    if (fd >= 0 && lock_file(fd) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

bool dft_spool_file_remove_run(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

    if (fd >= 0) {
        unlinkat(fd, DFT_RULE_MARKS_FILE, 0);
        unlinkat(fd, DFTRACE_ABSENT_FILE, 0);
        unlinkat(fd, DFT_RUN_ALLOWLIST_FILE, 0);
        close(fd);
    }
    return rmdir(directory) == 0;
}

uint32_t dft_spool_file_version(const char *path)
{
    struct dft_spool_header header = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    size_t wanted = offsetof(struct dft_spool_header, header_size);

    if (fd < 0)
        return 0;
    if (pread(fd, &header, wanted, 0) != (ssize_t)wanted)
        header.version = 0;
    close(fd);
    return header.version;
}

bool dft_spool_file_is_expected(int error)
{
    return error == -EBUSY || error == -ENODATA || error == -ENOMSG || error == -EINVAL ||
           error == -ELOOP || error == -EPROTONOSUPPORT || error == -EBADMSG || error == -EPERM ||
           error == -ENOENT || error == -EINPROGRESS;
}

const char *dft_spool_file_explain(int error)
{
    switch (error) {
    case -EBUSY:
        return "another dftrace is writing its trace";
    case -ENODATA:
        return "its program was stopped before it could record anything";
    case -ENOMSG:
    case -EINVAL:
    case -ELOOP:
        return "not a spool of dftrace";
    case -EPROTONOSUPPORT:
        return "made by another version of dftrace; use the dftrace recover of that one";
    case -EINPROGRESS:
        return "its process is running: its trace will be complete when it has ended";
    case -EBADMSG:
        return "damaged: its parts are not where they belong";
    case -EPERM:
        return "belongs to another user, who alone can recover it";
    default:
        return strerror(-error);
    }
}
