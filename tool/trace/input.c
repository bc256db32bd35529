/*
 * Reads and decompresses member by member. The libraries' convenience functions would hide bytes
 * after the last member, and the difference between a truncated and a damaged file.
 */
#include "tool/trace/input.h"

#include "tool/base/tool.h"
#include "tool/trace/gunzip.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((size_t)128 * 1024)

/* Pieces of a file are no shorter than this. */
#define SHORTEST_PIECE ((uint64_t)1024 * 1024)

enum member_state {
    MEMBER_NONE,    /* plain input */
    MEMBER_BETWEEN, /* after a member: another one, padding or the end */
    MEMBER_INSIDE,
};

/* Where an event probably begins, or the comma before it, judged by the first byte of a line. */
struct place {
    uint64_t at;   /* in the file */
    uint64_t text; /* bytes of text before it */
};

struct dft_input {
    int fd;
    bool at_end; /* of the file */
    bool is_cut;
    enum member_state member;
    uint64_t read; /* bytes taken from the file so far */
    uint64_t most; /* the size at the beginning: a file may grow while it is read */
    off_t begin;   /* the offset at which reading began; -1: not a regular file */
    uint64_t size; /* of the file from there on */
    uint64_t text; /* bytes that were handed out */
    char last;     /* of them */
    struct place *places;
    size_t place_count;
    size_t place_room;
    bool place_is_new; /* the byte after the last one is not known yet */
    bool is_rewound;
    uint64_t longest;          /* complete piece */
    struct dft_gunzip *gunzip; /* NULL for plain input */
    struct dft_gunzip_io io;   /* from the chunk */
    char error[160];
    unsigned char chunk[CHUNK];
};

/* Reads more bytes after those that are left in the chunk. False at the end or on error. */
static bool fill_chunk(struct dft_input *input)
{
    if (input->at_end || input->error[0])
        return false;
    if (input->io.left > 0 && input->io.next != input->chunk)
        memmove(input->chunk, input->io.next, input->io.left);
    input->io.next = input->chunk;
    for (;;) {
        uint64_t left = input->most - input->read;
        size_t room = CHUNK - input->io.left;
        ssize_t got =
            read(input->fd, input->chunk + input->io.left, room < left ? room : (size_t)left);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            snprintf(input->error, sizeof input->error, "cannot be read: %s", strerror(errno));
        if (got == 0)
            input->at_end = true;
        if (got <= 0)
            return false;
        input->io.left += (size_t)got;
        input->read += (uint64_t)got;
        return true;
    }
}

/* At least two bytes in the chunk, unless the file ends before. */
static size_t look_ahead(struct dft_input *input)
{
    while (input->io.left < 2 && fill_chunk(input))
        continue;
    return input->io.left;
}

static uint64_t position(const struct dft_input *input)
{
    return input->read - input->io.left;
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

    while (input->io.left < 4 && fill_chunk(input))
        continue;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (input->io.left >= 4 && memcmp(input->io.next, formats[i].magic, 4) == 0)
            snprintf(input->error, sizeof input->error,
                     "is %s-compressed, expected gzip or plain text; decompress it first",
                     formats[i].name);
    }
}

/* Finds out how much there is to read, if it is a regular file. */
static void measure(struct dft_input *input, const struct stat *status)
{
    off_t at = S_ISREG(status->st_mode) ? lseek(input->fd, 0, SEEK_CUR) : -1;
    bool known = at >= 0 && status->st_size > at;

    input->begin = known ? at : -1;
    input->most = input->size = known ? (uint64_t)(status->st_size - at) : UINT64_MAX;
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
    measure(input, &status);
    input->io.next = input->chunk;
    if (look_ahead(input) >= 2 && input->chunk[0] == 0x1F && input->chunk[1] == 0x8B) {
        input->gunzip = dft_gunzip_new(DFT_GUNZIP_GZIP);
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

/* --- pieces --- */

static const struct place *last_place(const struct dft_input *input)
{
    static const struct place beginning;

    return input->place_count > 0 ? &input->places[input->place_count - 1] : &beginning;
}

static void add_place(struct dft_input *input, uint64_t at, uint64_t text)
{
    if (input->begin < 0 || input->is_rewound || input->place_is_new ||
        text - last_place(input)->text < SHORTEST_PIECE)
        return;
    input->places =
        dft_tool_grow(input->places, input->place_count, &input->place_room, sizeof *input->places);
    input->places[input->place_count++] = (struct place){at, text};
    input->place_is_new = true;
}

/* `buffer` holds the last `size` bytes of the text. */
static void check_place(struct dft_input *input, const char *buffer, size_t size)
{
    uint64_t text = last_place(input)->text;

    if (!input->place_is_new || text >= input->text)
        return;
    char byte = buffer[size - (size_t)(input->text - text)];
    input->place_is_new = false;
    if (byte != '{' && byte != ',') {
        input->place_count--;
        return;
    }
    uint64_t before = input->place_count > 1 ? input->places[input->place_count - 2].text : 0;
    if (text - before > input->longest)
        input->longest = text - before;
}

size_t dft_input_pieces(const struct dft_input *input)
{
    return input->begin < 0 ? 0 : input->place_count + 1;
}

uint64_t dft_input_longest_piece(const struct dft_input *input)
{
    uint64_t open = input->text - last_place(input)->text;

    return open > input->longest ? open : input->longest;
}

static bool rewind_to(struct dft_input *input, uint64_t from, uint64_t to)
{
    input->is_rewound = true;
    input->at_end = input->is_cut = false;
    input->error[0] = '\0';
    input->read = 0;
    input->most = to - from;
    input->io.next = input->chunk;
    input->io.left = 0;
    if (input->member != MEMBER_NONE) {
        dft_gunzip_reset(input->gunzip);
        input->member = MEMBER_INSIDE;
    }
    return lseek(input->fd, input->begin + (off_t)from, SEEK_SET) >= 0;
}

bool dft_input_rewind(struct dft_input *input, size_t piece)
{
    uint64_t from = piece > 0 ? input->places[piece - 1].at : 0;
    uint64_t to = piece < input->place_count ? input->places[piece].at : input->size;

    return rewind_to(input, from, to);
}

bool dft_input_rewind_all(struct dft_input *input)
{
    return input->begin >= 0 && rewind_to(input, 0, input->size);
}

/* --- reading --- */

static size_t read_plain(struct dft_input *input, char *buffer, size_t size)
{
    size_t filled = 0;

    while (filled < size && (input->io.left > 0 || fill_chunk(input))) {
        size_t part = input->io.left < size - filled ? input->io.left : size - filled;

        memcpy(buffer + filled, input->io.next, part);
        input->io.next += part;
        input->io.left -= part;
        filled += part;
    }
    const char *line = filled > 0 ? memrchr(buffer, '\n', filled) : NULL;
    if (line) {
        uint64_t text = input->text + (uint64_t)(line + 1 - buffer);
        add_place(input, text, text);
    }
    return filled;
}

/* Zero bytes up to the end of the file are padding of a block device or tape. */
static void skip_padding(struct dft_input *input)
{
    for (;;) {
        while (input->io.left > 0 && *input->io.next == 0) {
            input->io.next++;
            input->io.left--;
        }
        if (input->io.left > 0 || !fill_chunk(input))
            return;
    }
}

/* Returns false if there is no further member. */
static bool begin_member(struct dft_input *input)
{
    size_t there = look_ahead(input);
    const unsigned char *next = input->io.next;

    if (there >= 2 && next[0] == 0x1F && next[1] == 0x8B) {
        dft_gunzip_reset(input->gunzip);
        input->member = MEMBER_INSIDE;
        return true;
    }
    if (there == 1 && next[0] == 0x1F) {
        input->is_cut = true;
        return false;
    }
    skip_padding(input);
    if (input->io.left > 0)
        snprintf(input->error, sizeof input->error,
                 "byte %" PRIu64 " of the compressed file: found 0x%02x, expected another gzip "
                 "member or the end",
                 position(input), *input->io.next);
    return false;
}

static size_t read_gzip(struct dft_input *input, char *buffer, size_t size)
{
    struct dft_gunzip_io *io = &input->io;
    const char *problem;

    io->out = (unsigned char *)buffer;
    io->room = size;
    while (io->room > 0 && !input->error[0] && !input->is_cut) {
        size_t got = size - io->room;

        if (input->member == MEMBER_BETWEEN) {
            look_ahead(input);
            if ((got > 0 ? buffer[got - 1] : input->last) == '\n')
                add_place(input, position(input), input->text + got);
            if (!begin_member(input))
                break;
        }
        bool is_empty = io->left == 0 && !fill_chunk(input);
        enum dft_gunzip_step step = dft_gunzip_step(input->gunzip, io, &problem);
        if (step == DFT_GUNZIP_END)
            input->member = MEMBER_BETWEEN;
        else if (step == DFT_GUNZIP_BAD)
            snprintf(input->error, sizeof input->error,
                     "byte %" PRIu64 " of the compressed file: gzip data is damaged (%s)",
                     position(input), problem);
        else if (is_empty &&
                 size - io->room == got) /* and nothing was left inside the decompressor */
            input->is_cut = !input->error[0];
    }
    return size - io->room;
}

size_t dft_input_read(struct dft_input *input, char *buffer, size_t size)
{
    size_t got = input->member == MEMBER_NONE ? read_plain(input, buffer, size)
                                              : read_gzip(input, buffer, size);

    input->text += got;
    check_place(input, buffer, got);
    if (got > 0)
        input->last = buffer[got - 1];
    return got;
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
    if (input->gunzip)
        dft_gunzip_free(input->gunzip);
    close(input->fd);
    free(input->places);
    free(input);
}
