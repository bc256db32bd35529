/*
 * Reading and decompressing. zlib's inflate is driven by hand, member by member, because its
 * convenience layer hides what must not pass silently: bytes behind the last member, and the
 * difference between a file that was cut and one that was damaged.
 */
#include "tool/input.h"

#include "tool/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define CHUNK ((size_t)128 * 1024)

/* zlib's way to ask for a gzip header with the largest window. */
#define GZIP_WINDOW (15 + 16)

enum member_state {
    MEMBER_NONE,    /* plain input */
    MEMBER_BETWEEN, /* behind a member: another one, padding or the end */
    MEMBER_INSIDE,
};

struct dft_input {
    int fd;
    bool at_end; /* of the file */
    bool is_cut;
    enum member_state member;
    uint64_t read; /* bytes taken from the file so far */
    uint64_t most; /* as many as it had at first: one that grows would have no end */
    z_stream stream;
    char error[160];
    unsigned char chunk[CHUNK];
};

/* More compressed or plain bytes behind what is left in the chunk. False at the end or on error. */
static bool fill_chunk(struct dft_input *input)
{
    if (input->at_end || input->error[0])
        return false;
    if (input->stream.avail_in > 0 && input->stream.next_in != input->chunk)
        memmove(input->chunk, input->stream.next_in, input->stream.avail_in);
    input->stream.next_in = input->chunk;
    for (;;) {
        uint64_t left = input->most - input->read;
        size_t room = CHUNK - input->stream.avail_in;
        ssize_t got = read(input->fd, input->chunk + input->stream.avail_in,
                           room < left ? room : (size_t)left);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            snprintf(input->error, sizeof input->error, "cannot be read: %s", strerror(errno));
        if (got == 0)
            input->at_end = true;
        if (got <= 0)
            return false;
        input->stream.avail_in += (uInt)got;
        input->read += (uint64_t)got;
        return true;
    }
}

/* At least two bytes in the chunk, unless the file ends before. */
static size_t look_ahead(struct dft_input *input)
{
    while (input->stream.avail_in < 2 && fill_chunk(input))
        continue;
    return input->stream.avail_in;
}

static uint64_t position(const struct dft_input *input)
{
    return input->read - input->stream.avail_in;
}

static void name_foreign_format(struct dft_input *input)
{
    static const struct {
        unsigned char magic[4];
        const char *name;
    } formats[] = {
        {{0x28, 0xB5, 0x2F, 0xFD}, "zstd"},
        {{0xFD, '7', 'z', 'X'}, "xz"},
        {{'P', 'K', 3, 4}, "zip"},
        {{'B', 'Z', 'h', '9'}, "bzip2"},
    };

    while (input->stream.avail_in < 4 && fill_chunk(input))
        continue;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (input->stream.avail_in >= 4 && memcmp(input->stream.next_in, formats[i].magic, 4) == 0)
            snprintf(input->error, sizeof input->error,
                     "is %s-compressed, expected gzip or plain text; decompress it first",
                     formats[i].name);
    }
}

/* How much there is to read, where that can be told. */
static uint64_t bytes_now(int fd, const struct stat *status)
{
    off_t at = S_ISREG(status->st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;

    return at >= 0 && status->st_size > at ? (uint64_t)(status->st_size - at) : UINT64_MAX;
}

struct dft_input *dft_input_open_fd(int fd, char *error, size_t error_size)
{
    struct stat status = {0};

    if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        snprintf(error, error_size, "is a directory, expected a trace file");
        close(fd);
        return NULL;
    }
    struct dft_input *input = dft_tool_resize(NULL, 1, sizeof *input);
    memset(input, 0, offsetof(struct dft_input, chunk));
    input->fd = fd;
    input->most = bytes_now(fd, &status);
    input->stream.next_in = input->chunk;
    if (look_ahead(input) >= 2 && input->chunk[0] == 0x1F && input->chunk[1] == 0x8B) {
        if (inflateInit2(&input->stream, GZIP_WINDOW) != Z_OK) {
            snprintf(error, error_size, "cannot be decompressed: out of memory");
            dft_input_close(input);
            return NULL;
        }
        input->member = MEMBER_INSIDE;
    } else {
        name_foreign_format(input);
    }
    if (input->error[0]) {
        snprintf(error, error_size, "%s", input->error);
        dft_input_close(input);
        return NULL;
    }
    return input;
}

struct dft_input *dft_input_open(const char *path, char *error, size_t error_size)
{
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        snprintf(error, error_size, "cannot be opened: %s", strerror(errno));
        return NULL;
    }
    return dft_input_open_fd(fd, error, error_size);
}

static size_t read_plain(struct dft_input *input, char *buffer, size_t size)
{
    size_t filled = 0;

    while (filled < size && (input->stream.avail_in > 0 || fill_chunk(input))) {
        size_t part =
            input->stream.avail_in < size - filled ? input->stream.avail_in : size - filled;

        memcpy(buffer + filled, input->stream.next_in, part);
        input->stream.next_in += part;
        input->stream.avail_in -= (uInt)part;
        filled += part;
    }
    return filled;
}

/* Zero bytes up to the end of the file are padding of a block device or tape. */
static void skip_padding(struct dft_input *input)
{
    for (;;) {
        while (input->stream.avail_in > 0 && *input->stream.next_in == 0) {
            input->stream.next_in++;
            input->stream.avail_in--;
        }
        if (input->stream.avail_in > 0 || !fill_chunk(input))
            return;
    }
}

/* Returns false where no further member begins. */
static bool begin_member(struct dft_input *input)
{
    size_t there = look_ahead(input);
    const unsigned char *next = input->stream.next_in;

    if (there >= 2 && next[0] == 0x1F && next[1] == 0x8B) {
        inflateReset(&input->stream);
        input->member = MEMBER_INSIDE;
        return true;
    }
    if (there == 1 && next[0] == 0x1F) {
        input->is_cut = true;
        return false;
    }
    skip_padding(input);
    if (input->stream.avail_in > 0)
        snprintf(input->error, sizeof input->error,
                 "byte %" PRIu64 " of the compressed file: found 0x%02x, expected another gzip "
                 "member or the end",
                 position(input), *input->stream.next_in);
    return false;
}

static size_t read_gzip(struct dft_input *input, char *buffer, size_t size)
{
    z_stream *stream = &input->stream;

    stream->next_out = (unsigned char *)buffer;
    stream->avail_out = (uInt)size;
    while (stream->avail_out > 0 && !input->error[0] && !input->is_cut) {
        if (input->member == MEMBER_BETWEEN && !begin_member(input))
            break;
        if (stream->avail_in == 0 && !fill_chunk(input)) {
            input->is_cut = !input->error[0];
            break;
        }
        int status = inflate(stream, Z_NO_FLUSH);
        if (status == Z_STREAM_END)
            input->member = MEMBER_BETWEEN;
        else if (status == Z_MEM_ERROR)
            snprintf(input->error, sizeof input->error, "cannot be decompressed: out of memory");
        else if (status != Z_OK && status != Z_BUF_ERROR)
            snprintf(input->error, sizeof input->error,
                     "byte %" PRIu64 " of the compressed file: gzip data is damaged (%s)",
                     position(input), stream->msg ? stream->msg : "unknown method");
    }
    return size - stream->avail_out;
}

size_t dft_input_read(struct dft_input *input, char *buffer, size_t size)
{
    /* zlib counts in unsigned int. */
    size_t filled = 0;

    if (input->member == MEMBER_NONE)
        return read_plain(input, buffer, size);
    while (filled < size) {
        size_t part = size - filled < (1u << 30) ? size - filled : (1u << 30);
        size_t got = read_gzip(input, buffer + filled, part);

        filled += got;
        if (got < part)
            break;
    }
    return filled;
}

const char *dft_input_error(const struct dft_input *input)
{
    return input->error[0] ? input->error : NULL;
}

bool dft_input_is_cut(const struct dft_input *input)
{
    return input->is_cut;
}

bool dft_input_is_compressed(const struct dft_input *input)
{
    return input->member != MEMBER_NONE;
}

void dft_input_close(struct dft_input *input)
{
    if (input->member != MEMBER_NONE)
        inflateEnd(&input->stream);
    close(input->fd);
    free(input);
}
