/*
 * See io_call.h. Names and values are those of docs/IO.md.
 */
#include "tool/analysis/io/io_call.h"

#include <stdlib.h>

/* How many bytes a read or write has moved. */
enum count { COUNT_NONE, COUNT_RET, COUNT_SIZE, COUNT_ONE, COUNT_WORD };

static const struct name {
    const char *name;
    enum dft_io_kind kind;
    enum count count;
} names[] = {
    {"read", DFT_IO_READ, COUNT_RET},
    {"write", DFT_IO_WRITE, COUNT_RET},
    {"pread", DFT_IO_READ, COUNT_RET},
    {"pwrite", DFT_IO_WRITE, COUNT_RET},
    {"fread", DFT_IO_READ, COUNT_RET},
    {"fwrite", DFT_IO_WRITE, COUNT_RET},
    {"readv", DFT_IO_READ, COUNT_RET},
    {"writev", DFT_IO_WRITE, COUNT_RET},
    {"preadv", DFT_IO_READ, COUNT_RET},
    {"pwritev", DFT_IO_WRITE, COUNT_RET},
    {"fgets", DFT_IO_READ, COUNT_RET},
    {"getline", DFT_IO_READ, COUNT_RET},
    {"getdelim", DFT_IO_READ, COUNT_RET},
    {"recv", DFT_IO_READ, COUNT_RET},
    {"recvfrom", DFT_IO_READ, COUNT_RET},
    {"recvmsg", DFT_IO_READ, COUNT_RET},
    {"send", DFT_IO_WRITE, COUNT_RET},
    {"sendto", DFT_IO_WRITE, COUNT_RET},
    {"sendmsg", DFT_IO_WRITE, COUNT_RET},
    {"sendfile", DFT_IO_WRITE, COUNT_RET}, /* its file is the one that is written */
    {"copy_file_range", DFT_IO_READ, COUNT_RET},
    {"splice", DFT_IO_READ, COUNT_RET},
    {"tee", DFT_IO_READ, COUNT_RET},
    {"printf", DFT_IO_WRITE, COUNT_RET},
    {"fprintf", DFT_IO_WRITE, COUNT_RET},
    {"vprintf", DFT_IO_WRITE, COUNT_RET},
    {"vfprintf", DFT_IO_WRITE, COUNT_RET},
    {"fputs", DFT_IO_WRITE, COUNT_SIZE},
    {"puts", DFT_IO_WRITE, COUNT_SIZE},
    {"fgetc", DFT_IO_READ, COUNT_ONE},
    {"getc", DFT_IO_READ, COUNT_ONE},
    {"getchar", DFT_IO_READ, COUNT_ONE},
    {"fputc", DFT_IO_WRITE, COUNT_ONE},
    {"putc", DFT_IO_WRITE, COUNT_ONE},
    {"putchar", DFT_IO_WRITE, COUNT_ONE},
    {"getw", DFT_IO_READ, COUNT_WORD},
    {"putw", DFT_IO_WRITE, COUNT_WORD},
    {"scanf", DFT_IO_READ, COUNT_NONE},
    {"fscanf", DFT_IO_READ, COUNT_NONE},
    {"vfscanf", DFT_IO_READ, COUNT_NONE},
    {"open", DFT_IO_OPEN, COUNT_NONE},
    {"openat", DFT_IO_OPEN, COUNT_NONE},
    {"creat", DFT_IO_OPEN, COUNT_NONE},
    {"fopen", DFT_IO_OPEN, COUNT_NONE},
    {"freopen", DFT_IO_OPEN, COUNT_NONE},
    {"fsync", DFT_IO_SYNC, COUNT_NONE},
    {"fdatasync", DFT_IO_SYNC, COUNT_NONE},
    {"sync_file_range", DFT_IO_SYNC, COUNT_NONE},
    {"syncfs", DFT_IO_SYNC, COUNT_NONE},
    {"sync", DFT_IO_SYNC, COUNT_NONE},
    {"msync", DFT_IO_SYNC, COUNT_NONE},
    {"lseek", DFT_IO_SEEK, COUNT_NONE},
    {"fseek", DFT_IO_SEEK, COUNT_NONE},
    {"rewind", DFT_IO_SEEK, COUNT_NONE},
    {"fork", DFT_IO_OTHER, COUNT_NONE},
    {"execve", DFT_IO_OTHER, COUNT_NONE},
    {"posix_spawn", DFT_IO_OTHER, COUNT_NONE},
    {"posix_spawnp", DFT_IO_OTHER, COUNT_NONE},
    {"system", DFT_IO_OTHER, COUNT_NONE},
    {"wait", DFT_IO_OTHER, COUNT_NONE},
    {"waitpid", DFT_IO_OTHER, COUNT_NONE},
    {"wait3", DFT_IO_OTHER, COUNT_NONE},
    {"wait4", DFT_IO_OTHER, COUNT_NONE},
    {"waitid", DFT_IO_OTHER, COUNT_NONE},
    {"pclose", DFT_IO_OTHER, COUNT_NONE},
    {"sysconf", DFT_IO_OTHER, COUNT_NONE},
    {"vfork", DFT_IO_OTHER, COUNT_NONE},
    {"munmap", DFT_IO_OTHER, COUNT_NONE},
    {"madvise", DFT_IO_OTHER, COUNT_NONE},
    {"mprotect", DFT_IO_OTHER, COUNT_NONE},
    {"mlock", DFT_IO_OTHER, COUNT_NONE},
    {"munlock", DFT_IO_OTHER, COUNT_NONE},
    {"mlockall", DFT_IO_OTHER, COUNT_NONE},
    {"munlockall", DFT_IO_OTHER, COUNT_NONE},
};

static const struct name metadata = {"", DFT_IO_METADATA, COUNT_NONE};

bool dft_io_is_call(const struct dft_event *event)
{
    return event->kind == DFT_TRACE_CALL &&
           (dft_text_is(event->cat, "POSIX") || dft_text_is(event->cat, "STDIO"));
}

/* NULL: no I/O call. */
static const struct name *find_name(const struct dft_event *event)
{
    if (!dft_io_is_call(event))
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (dft_text_is(event->name, names[i].name))
            return &names[i];
    return &metadata;
}

enum dft_io_kind dft_io_kind_of(const struct dft_event *event)
{
    const struct name *name = find_name(event);

    return name ? name->kind : DFT_IO_OTHER;
}

struct dft_text dft_io_file_of(struct dft_reader *reader, const struct dft_event *event)
{
    struct dft_text file = dft_event_arg_text(reader, event, "file");

    return file.length > 0 ? file : dft_event_arg_text(reader, event, "fhash");
}

/* A whole number, which other tools also write as a text. */
static bool read_number(struct dft_reader *reader, const struct dft_event *event, const char *key,
                        int64_t *value)
{
    char digits[24], *end;

    if (dft_event_arg_int(event, key, value))
        return true;
    struct dft_text text = dft_event_arg_text(reader, event, key);
    if (text.length == 0 || text.length >= sizeof digits)
        return false;
    memcpy(digits, text.at, text.length);
    digits[text.length] = '\0';
    *value = strtoll(digits, &end, 10);
    return *end == '\0';
}

static int64_t count_bytes(struct dft_reader *reader, const struct dft_event *event,
                           enum count count, int64_t ret)
{
    int64_t size = 0;

    switch (count) {
    case COUNT_RET:
        return ret;
    case COUNT_SIZE:
        return read_number(reader, event, "size", &size) && size > 0 ? size : 0;
    case COUNT_ONE:
        return 1;
    case COUNT_WORD:
        return (int64_t)sizeof(int);
    case COUNT_NONE:
        break;
    }
    return 0;
}

/* lseek returns the new position; fseek says where it was asked to go. */
static void read_seek(struct dft_reader *reader, const struct dft_event *event, int64_t ret,
                      struct dft_io_call *call)
{
    int64_t whence = 0;

    call->has_offset = true;
    if (dft_text_is(event->name, "lseek"))
        call->offset = ret;
    else if (dft_text_is(event->name, "fseek"))
        call->has_offset = read_number(reader, event, "offset", &call->offset) &&
                           read_number(reader, event, "whence", &whence) &&
                           whence <= 1; /* the end may be anywhere */
    call->is_relative = whence == 1;
}

struct dft_io_call dft_io_call_read(struct dft_reader *reader, const struct dft_event *event)
{
    const struct name *name = find_name(event);
    struct dft_io_call call = {.kind = name ? name->kind : DFT_IO_OTHER};
    int64_t ret = 0;

    if (call.kind == DFT_IO_OTHER)
        return call;
    call.is_posix = dft_text_is(event->cat, "POSIX");
    call.file = dft_io_file_of(reader, event);
    bool has_ret = read_number(reader, event, "ret", &ret);
    call.has_failed = (has_ret && ret < 0) || dft_event_arg(event, "errno") ||
                      dft_event_arg_true(event, "unfinished") || !event->has_dur;
    /* A stream that ends in the middle has still read something. */
    if (has_ret && ret >= 0 && (call.kind == DFT_IO_READ || call.kind == DFT_IO_WRITE)) {
        call.bytes = count_bytes(reader, event, name->count, ret);
        call.has_offset = read_number(reader, event, "offset", &call.offset) && call.offset >= 0;
    } else if (call.kind == DFT_IO_SEEK && !call.has_failed) {
        read_seek(reader, event, ret, &call);
    }
    return call;
}
