/*
 * Reads a whole file into memory: see file.h.
 */
#include "file.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void refuse_errno(const struct dft_file_kind *kind, struct dft_allowlist_error *error,
                         const char *what, int number)
{
    char buffer[128];
    dft_message_set(error, 0, 0, "cannot %s the %s: %s; expected a readable text file", what,
                    kind->name, strerror_r(number, buffer, sizeof buffer));
}

static const char *name_type(mode_t mode)
{
    return S_ISDIR(mode)    ? "directory"
           : S_ISBLK(mode)  ? "block device"
           : S_ISCHR(mode)  ? "character device"
           : S_ISFIFO(mode) ? "pipe"
                            : "socket";
}

static bool is_readable_kind(int descriptor, const struct dft_file_kind *kind,
                             struct dft_allowlist_error *error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        refuse_errno(kind, error, "examine", errno);
        return false;
    }
    if (kind->regular ? !S_ISREG(status.st_mode)
                      : S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode)) {
        dft_message_set(error, 0, 0, "the %s is a %s; expected a %s text file", kind->name,
                        name_type(status.st_mode), kind->regular ? "regular" : "readable");
        return false;
    }
    return true;
}

/*
 * Doubles the buffer, up to one byte more than the maximum: this byte shows that a file is too
 * large.
 */
static bool make_room(const struct dft_file_kind *kind, char **text, size_t *capacity)
{
    size_t grown = *capacity ? 2 * *capacity : 64 * 1024;
    if (grown > kind->max + 1)
        grown = kind->max + 1;
    char *moved = realloc(*text, grown);
    if (!moved)
        return false;
    *text = moved;
    *capacity = grown;
    return true;
}

static bool read_all(int descriptor, const struct dft_file_kind *kind, char **text, size_t *length,
                     struct dft_allowlist_error *error)
{
    size_t capacity = 0;
    *text = NULL;
    *length = 0;
    for (;;) {
        if (*length == capacity && !make_room(kind, text, &capacity)) {
            refuse_errno(kind, error, "read", ENOMEM);
            return false;
        }
        ssize_t count = read(descriptor, *text + *length, capacity - *length);
        if (count == 0)
            return true;
        if (count < 0 && errno != EINTR) {
            refuse_errno(kind, error, "read", errno);
            return false;
        }
        *length += count > 0 ? (size_t)count : 0;
        if (*length > kind->max) {
            dft_message_set(error, 0, 0, "the %s is larger than %zu MiB; expected less", kind->name,
                            kind->max >> 20);
            return false;
        }
    }
}

bool dft_file_read(const struct dft_file_kind *kind, const char *path, char **text, size_t *length,
                   struct dft_allowlist_error *error)
{
    int descriptor;

    *text = NULL;
    do
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (kind->regular ? O_NONBLOCK : 0));
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) {
        refuse_errno(kind, error, "open", errno);
        return false;
    }
    bool done = is_readable_kind(descriptor, kind, error) &&
                read_all(descriptor, kind, text, length, error);
    close(descriptor);
    return done;
}
