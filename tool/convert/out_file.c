/*
 * Bytes collect in the input buffer of the compressor, with or without compression.
 */
#include "tool/convert/out_file.h"

#include "text/json_string.h"
#include "tool/base/tool.h"
#include "writer/gzip/gzip.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK ((size_t)128 << 10)
#define MEMBER ((uint64_t)1 << 20)
#define FORMAT_MAX 512

struct dft_out_file {
    int fd;
    char *path;
    char *temporary; /* NULL: it is written in its place */
    bool compress;
    bool members;
    int error;
    bool given_up; /* it will not be kept; the message was printed */
    uint64_t member_text;
    struct dft_gzip gzip;
    struct dft_output output;
    struct dft_buffer compressed;
};

/* --- opening --- */

/* A file next to the final one, so that it can take its place. Sets errno on failure. */
static int make_temporary(struct dft_out_file *file)
{
    file->temporary = dft_tool_format("%s.XXXXXX", file->path);
    int fd = mkostemp(file->temporary, O_CLOEXEC);
    if (fd >= 0)
        return fd;
    free(file->temporary);
    file->temporary = NULL;
    return -1;
}

/* Whether there is something that cannot be replaced, such as a pipe or /dev/null. */
static bool is_special(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static int open_path(struct dft_out_file *file)
{
    if (strcmp(file->path, "-") == 0)
        return dup(STDOUT_FILENO);
    if (is_special(file->path))
        return open(file->path, O_WRONLY | O_CLOEXEC);
    return make_temporary(file);
}

struct dft_out_file *dft_out_file_open(const char *path, bool compress, bool members)
{
    struct dft_out_file *file = dft_tool_zeroed(1, sizeof *file);

    file->path = dft_tool_copy(path, strlen(path));
    file->compress = compress;
    file->members = members;
    file->fd = open_path(file);
    if (file->fd >= 0)
        return file;
    dft_tool_error("%s: cannot be created: %s", path, strerror(errno));
    free(file->path);
    free(file);
    return NULL;
}

/* --- writing --- */

static void write_all(struct dft_out_file *file, const char *bytes, size_t length)
{
    while (length > 0 && file->error == 0) {
        ssize_t written = write(file->fd, bytes, length);

        if (written < 0 && errno != EINTR)
            file->error = errno;
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
}

static void close_member(struct dft_out_file *file)
{
    if (!dft_gzip_close_member(&file->gzip, &file->output, &file->compressed))
        file->error = ENOMEM;
    file->member_text = 0;
}

static void flush(struct dft_out_file *file, bool is_last)
{
    struct dft_output *output = &file->output;

    if (!file->compress) {
        write_all(file, output->text.data, output->text.used);
        output->text.used = 0;
        return;
    }
    file->member_text += output->text.used - output->kept;
    if (output->text.used > output->kept && !dft_gzip_add(&file->gzip, output, &file->compressed))
        file->error = ENOMEM;
    if (is_last || (file->members && file->member_text >= MEMBER))
        close_member(file);
    write_all(file, file->compressed.data, file->compressed.used);
    file->compressed.used = 0;
}

void dft_out_file_write(struct dft_out_file *file, const char *bytes, size_t length)
{
    while (length > 0 && file->error == 0) {
        size_t part = length < BLOCK ? length : BLOCK;

        if (!dft_buffer_reserve(&file->output.text, part)) {
            file->error = ENOMEM;
            return;
        }
        dft_put_bytes(&file->output.text, bytes, part);
        bytes += part;
        length -= part;
        if (file->output.text.used - file->output.kept >= BLOCK)
            flush(file, false);
    }
}

void dft_out_file_text(struct dft_out_file *file, const char *text)
{
    dft_out_file_write(file, text, strlen(text));
}

void dft_out_file_format(struct dft_out_file *file, const char *format, ...)
{
    char text[FORMAT_MAX];
    va_list list;

    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    dft_out_file_write(file, text, length < FORMAT_MAX ? (size_t)length : FORMAT_MAX - 1);
}

void dft_out_file_json(struct dft_out_file *file, struct dft_text text)
{
    char escaped[DFT_JSON_CHARACTER_MAX];
    uint32_t point;

    dft_out_file_write(file, "\"", 1);
    while (text.length > 0)
        dft_out_file_write(file, escaped,
                           dft_json_take_character(&text.at, &text.length, escaped, &point));
    dft_out_file_write(file, "\"", 1);
}

void dft_out_file_microseconds(struct dft_out_file *file, int64_t ns)
{
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

    dft_out_file_format(file, "%s%" PRIu64 ".%03" PRIu64, ns < 0 ? "-" : "", size / 1000,
                        size % 1000);
}

void dft_out_file_give_up(struct dft_out_file *file)
{
    file->given_up = true;
}

bool dft_out_file_is_compressed(const struct dft_out_file *file)
{
    return file->compress;
}

bool dft_out_file_has_failed(const struct dft_out_file *file)
{
    return file->error != 0;
}

/* --- closing --- */

/* A new file gets the mode that any program would give it; one that it replaces keeps its own. */
static void set_mode(const struct dft_out_file *file)
{
    struct stat status;
    mode_t mask = umask(0);

    umask(mask);
    if (stat(file->path, &status) != 0)
        status.st_mode = 0666 & ~mask;
    fchmod(file->fd, status.st_mode & 0777);
}

bool dft_out_file_close(struct dft_out_file *file, bool keep)
{
    keep = keep && !file->given_up;
    flush(file, true);
    if (keep && file->temporary && file->error == 0)
        set_mode(file);
    if (close(file->fd) != 0 && file->error == 0)
        file->error = errno;
    bool is_written = file->error == 0;
    bool given_up = file->given_up;
    if (file->temporary && keep && is_written && rename(file->temporary, file->path) != 0) {
        file->error = errno;
        is_written = false;
    }
    if (file->temporary && !(keep && is_written))
        unlink(file->temporary);
    if (!is_written)
        dft_tool_error("%s: cannot be written: %s",
                       strcmp(file->path, "-") == 0 ? "(stdout)" : file->path,
                       strerror(file->error));
    dft_gzip_release(&file->gzip);
    dft_buffer_release(&file->output.text);
    dft_buffer_release(&file->output.repeats);
    dft_buffer_release(&file->compressed);
    free(file->temporary);
    free(file->path);
    free(file);
    return is_written && !given_up;
}
