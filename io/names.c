/*
 * Names of files: see names.h. Any thread, any context. No lock of libc, no heap; all system calls
 * keep errno and are no cancellation points.
 */
#include "io/names.h"
#include "io/descriptors.h"
#include "os/descriptor.h"
#include "os/file_name.h"
#include "runtime/io/io.h"

#include <fcntl.h>
#include <string.h>

#define DIGITS_MAX 12

/* Appends as much of `text` as fits; returns the new length. */
static size_t append(char *name, size_t used, const char *text, size_t length)
{
    size_t room = DFT_EVENT_NAME_SIZE - used;

    if (length > room)
        length = room;
    memcpy(name + used, text, length);
    name[used + length] = '\0';
    return used + length;
}

static size_t append_number(char *name, size_t used, unsigned long value)
{
    char digits[24], *at = digits + sizeof digits;

    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    return append(name, used, at, (size_t)(digits + sizeof digits - at));
}

static long read_link_of(const char *links, int fd, char name[DFT_IO_NAME_ROOM])
{
    char link[64];
    size_t used = append(link, 0, links, strlen(links));

    append_number(link, used, (unsigned long)fd);
    return dft_file_name_read_link(link, name, DFT_EVENT_NAME_SIZE);
}

bool dft_io_name_of(int fd, char name[DFT_IO_NAME_ROOM])
{
    if (fd < 0)
        return false;
    long length = read_link_of("/proc/self/fd/", fd, name);
    if (length == -EBADF || length == -ENOENT) {
        if (!dft_descriptor_is_open(fd))
            return false;
        /* The first thread has ended, and /proc/self with it; the others go on. */
        length = read_link_of("/proc/thread-self/fd/", fd, name);
    }
    if (length <= 0) { /* there is no /proc */
        size_t used = append(name, 0, "descriptor ", 11);
        append_number(name, used, (unsigned long)fd);
        return true;
    }
    name[length] = '\0';
    if (strncmp(name, "socket:", 7) == 0)
        dft_io_socket_name(fd, name);
    return true;
}

/* Copies the path, which may be at an invalid address. Returns its length; 0: there is none. */
static size_t copy_path(const char *path, char *copy, size_t room)
{
    size_t length = path ? __dftrace_io_read(path, copy, room - 1) : 0;

    copy[length] = '\0';
    return strlen(copy);
}

/* Removes double slashes, "." components and a slash at the end. */
static void tidy(char *name)
{
    char *to = name;

    for (const char *from = name; *from;) {
        if (from[0] == '/' && (from[1] == '/' || from[1] == '\0' ||
                               (from[1] == '.' && (from[2] == '/' || from[2] == '\0')))) {
            from += from[1] == '.' ? 2 : 1;
            continue;
        }
        *to++ = *from++;
    }
    if (to == name)
        *to++ = '/';
    *to = '\0';
}

static size_t directory_name(int directory, char *name)
{
    if (directory != AT_FDCWD)
        return dft_io_name_of(directory, name) ? strlen(name) : 0;
    long length = dft_file_name_current_directory(name, DFT_EVENT_NAME_SIZE);
    if (length <= 1)
        return 0;
    return (size_t)length - 1; /* it counts the NUL */
}

bool dft_io_name_make(int directory, const char *path, char name[DFT_IO_NAME_ROOM])
{
    char given[DFT_IO_NAME_ROOM];
    size_t length = copy_path(path, given, DFT_EVENT_NAME_SIZE + 1);
    size_t used = 0;

    name[0] = '\0';
    if (length == 0 && directory == AT_FDCWD)
        return false;
    if (given[0] != '/' && directory != DFT_IO_AS_GIVEN) {
        used = directory_name(directory, name);
        if (used && length)
            used = append(name, used, "/", 1);
    }
    append(name, used, given, length);
    if (name[0] == '/')
        tidy(name);
    return name[0] != '\0';
}

uint64_t dft_io_name_entry(const char *name, bool is_real)
{
    if (__dftrace_io_excludes(name, is_real))
        return DFT_IO_KNOWN | DFT_IO_EXCLUDED;
    uint32_t number = __dftrace_io_intern(name, strlen(name), DFT_FILE_CATEGORY);
    return number == DFT_IO_NO_SESSION ? 0 : DFT_IO_KNOWN | number;
}
