/*
 * Reads an allowlist file into memory and hands it to the parser.
 *
 * Compilers and the tool read any kind of file, also a pipe, up to DFT_FILE_MAX bytes. A traced
 * program reads regular files only: it must not wait for the writer of a pipe, and its children
 * could not read the same pipe again.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void refuse_errno(struct dft_allowlist_error *error, const char *what, int number)
{
    char buffer[128];
    dft_message_set(error, 0, 0, "cannot %s the allowlist: %s; expected a readable text file", what,
                    strerror_r(number, buffer, sizeof buffer));
}

static const char *name_kind(mode_t mode)
{
    return S_ISDIR(mode)    ? "directory"
           : S_ISBLK(mode)  ? "block device"
           : S_ISCHR(mode)  ? "character device"
           : S_ISFIFO(mode) ? "pipe"
                            : "socket";
}

static bool is_readable_kind(int descriptor, bool regular, struct dft_allowlist_error *error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        refuse_errno(error, "examine", errno);
        return false;
    }
    if (regular ? !S_ISREG(status.st_mode) : S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode)) {
        dft_message_set(error, 0, 0, "the allowlist is a %s; expected a %s text file",
                        name_kind(status.st_mode), regular ? "regular" : "readable");
        return false;
    }
    return true;
}

/*
 * Doubles the buffer, up to one byte more than the maximum: this byte shows that a file is too
 * large.
 */
static bool make_room(char **text, size_t *capacity)
{
    size_t grown = *capacity ? 2 * *capacity : 64 * 1024;
    if (grown > DFT_FILE_MAX + 1)
        grown = DFT_FILE_MAX + 1;
    char *moved = realloc(*text, grown);
    if (!moved)
        return false;
    *text = moved;
    *capacity = grown;
    return true;
}

static bool read_all(int descriptor, char **text, size_t *length, struct dft_allowlist_error *error)
{
    size_t capacity = 0;
    *text = NULL;
    *length = 0;
    for (;;) {
        if (*length == capacity && !make_room(text, &capacity)) {
            refuse_errno(error, "read", ENOMEM);
            return false;
        }
        ssize_t count = read(descriptor, *text + *length, capacity - *length);
        if (count == 0)
            return true;
        if (count < 0 && errno != EINTR) {
            refuse_errno(error, "read", errno);
            return false;
        }
        *length += count > 0 ? (size_t)count : 0;
        if (*length > DFT_FILE_MAX) {
            dft_message_set(error, 0, 0, "the allowlist is larger than %d MiB; expected less",
                            DFT_FILE_MAX / (1024 * 1024));
            return false;
        }
    }
}

/* False with the reason in `error`. `text` is the caller's to free in either case. */
static bool read_file(const char *path, bool regular, char **text, size_t *length,
                      struct dft_allowlist_error *error)
{
    int descriptor;

    *text = NULL;
    do
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (regular ? O_NONBLOCK : 0));
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) {
        refuse_errno(error, "open", errno);
        return false;
    }
    bool done =
        is_readable_kind(descriptor, regular, error) && read_all(descriptor, text, length, error);
    close(descriptor);
    return done;
}

static struct dft_allowlist *load(const char *path, bool regular, struct dft_allowlist_error *error)
{
    struct dft_allowlist *list = NULL;
    char *text;
    size_t length;

    if (read_file(path, regular, &text, &length, error))
        list = dft_allowlist_parse(text, length, error);
    free(text);
    return list;
}

struct dft_allowlist *dft_allowlist_load(const char *path, struct dft_allowlist_error *error)
{
    return load(path, false, error);
}

struct dft_allowlist *dft_allowlist_load_regular(const char *path,
                                                 struct dft_allowlist_error *error)
{
    return load(path, true, error);
}

/* Regular files only: reading a pipe would consume what the compiler is to read. */
bool dft_allowlist_hash_file(const char *path, struct dft_allowlist_hash *hash)
{
    struct dft_allowlist_error ignored;
    char *text;
    size_t length;
    bool done = read_file(path, true, &text, &length, &ignored);

    if (done)
        *hash = dft_list_hash_text(dft_list_hash(text, length));
    free(text);
    return done;
}
