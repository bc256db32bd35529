/* Completes traces in another directory than they were begun in: see relocate.h. */
#include "tool/run/relocate.h"

#include "tool/base/tool.h"
#include "writer/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE (1u << 20)

static char *choose_prefix(const struct dft_spool_header *header, const char *wanted)
{
    const char *old = header->settings.prefix;
    const char *slash = strrchr(old, '/');
    struct stat status;

    if (stat(wanted, &status) != 0 || !S_ISDIR(status.st_mode))
        return dft_tool_copy(wanted, strlen(wanted));
    int length = (int)strlen(wanted);
    while (length > 0 && wanted[length - 1] == '/')
        length--;
    return dft_tool_format("%.*s/%s", length, wanted, slash ? slash + 1 : old);
}

static bool is_on_device(const char *prefix, dev_t device)
{
    const char *slash = strrchr(prefix, '/');
    char *directory = slash ? dft_tool_copy(prefix, (size_t)(slash - prefix) + 1) : NULL;
    struct stat status;
    bool same = stat(directory ? directory : ".", &status) == 0 && status.st_dev == device;

    free(directory);
    return same;
}

/* The part of the file name after the prefix; NULL if the spool's texts do not match. */
static const char *name_behind_prefix(const struct dft_spool_header *header, const char *path)
{
    size_t length = strlen(header->settings.prefix);

    return strncmp(path, header->settings.prefix, length) == 0 ? path + length : NULL;
}

static int copy_bytes(int from, struct dft_file *to, uint64_t size)
{
    char *piece = dft_tool_zeroed(1, PIECE);
    int error = 0;

    while (!error && to->size < size) {
        size_t length = size - to->size < PIECE ? (size_t)(size - to->size) : PIECE;
        ssize_t got = pread(from, piece, length, (off_t)to->size);
        if (got > 0)
            error = dft_file_append(to, piece, (size_t)got);
        else if (got == 0 || errno != EINTR)
            error = got == 0 ? -EIO : -errno;
    }
    free(piece);
    return error;
}

/* Copies what is committed, then changes the path in the spool to that of the copy. */
static int copy_trace(struct dft_relocation *relocation, struct dft_spool *spool, int from,
                      uint64_t size)
{
    struct dft_spool_trace *trace = &spool->header->trace;
    const char *name = name_behind_prefix(spool->header, trace->path);
    struct dft_file copy = {.fd = -1};
    int length = name ? snprintf(copy.path, sizeof copy.path, "%s%s", relocation->prefix, name) : 0;

    if (!name)
        return -EBADMSG;
    if (length < 0 || (size_t)length >= sizeof copy.path)
        return -ENAMETOOLONG;
    int error = dft_file_create(&copy);
    if (error)
        return error;
    error = copy_bytes(from, &copy, size);
    if (error) {
        dft_file_remove(&copy);
        return error;
    }
    dft_file_close(&copy);
    relocation->old = dft_tool_copy(trace->path, strlen(trace->path));
    relocation->inode = trace->inode;
    memcpy(trace->path, copy.path, (size_t)length + 1);
    trace->device = copy.device;
    trace->inode = copy.inode;
    return 0;
}

int dft_relocate_begin(struct dft_relocation *relocation, struct dft_spool *spool,
                       const char *wanted)
{
    struct dft_spool_header *header = spool->header;
    uint64_t size = header->committed[atomic_load(&header->commit) & 1].size;
    struct stat status;
    int error = 0;

    *relocation = (struct dft_relocation){0};
    if (!wanted)
        return 0;
    relocation->prefix = choose_prefix(header, wanted);
    if (strlen(relocation->prefix) >= sizeof header->settings.prefix)
        return -ENAMETOOLONG;
    int from =
        header->trace.inode == 0
            ? -1
            : open(header->trace.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    bool begun = from >= 0 && fstat(from, &status) == 0 && S_ISREG(status.st_mode) &&
                 status.st_ino == header->trace.inode && (uint64_t)status.st_size >= size;
    if (begun && is_on_device(relocation->prefix, status.st_dev)) {
        close(from);
        return 0;
    }
    if (begun)
        error = copy_trace(relocation, spool, from, size);
    if (from >= 0)
        close(from);
    if (!error)
        memcpy(header->settings.prefix, relocation->prefix, strlen(relocation->prefix) + 1);
    return error;
}

static void remove_old(const struct dft_relocation *relocation)
{
    struct stat status;

    if (lstat(relocation->old, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_ino == relocation->inode)
        unlink(relocation->old);
}

char *dft_relocate_end(const struct dft_relocation *relocation,
                       const struct dft_spool_header *header, const char *path)
{
    const char *name = name_behind_prefix(header, path);

    if (relocation->old)
        remove_old(relocation);
    if (!relocation->prefix || !name)
        return dft_tool_copy(path, strlen(path));
    char *target = dft_tool_format("%s%s", relocation->prefix, name);
    if (strcmp(target, path) != 0 &&
        renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_NOREPLACE) != 0) {
        dft_tool_note("the trace stays where it was begun: %s: %s", target, strerror(errno));
        free(target);
        target = dft_tool_copy(path, strlen(path));
    }
    return target;
}

void dft_relocate_release(struct dft_relocation *relocation)
{
    free(relocation->prefix);
    free(relocation->old);
}
