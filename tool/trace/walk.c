/*
 * Walking traces. The only loop over the events of a trace in the tool.
 */
#include "tool/trace/walk.h"

#include "tool/base/progress.h"
#include "tool/base/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

const char *dft_walk_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "(stdin)" : path;
}

static void report_ending(const char *path, enum dft_ending ending)
{
    if (ending == DFT_ENDING_CUT)
        dft_tool_warn("%s: the file is cut: its end is missing; everything before it is used",
                      dft_walk_name(path));
    else if (ending == DFT_ENDING_OPEN)
        dft_tool_note("%s: has no closing ']': the program was killed or is still running",
                      dft_walk_name(path));
}

/* --- opening --- */

static bool copy_all(int from, int to)
{
    static char block[1 << 16];
    ssize_t got;

    while ((got = read(from, block, sizeof block)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        for (ssize_t done = 0; done < got;) {
            ssize_t written = write(to, block + done, (size_t)(got - done));
            if (written < 0 && errno != EINTR)
                return false;
            done += written > 0 ? written : 0;
        }
    }
    return lseek(to, 0, SEEK_SET) == 0;
}

/* Takes `fd` over. The copy has no name, so nothing is left of it when the tool ends. */
static int copy_pipe(int fd, char *error, size_t error_size)
{
    FILE *file = tmpfile();
    int copy = file ? dup(fileno(file)) : -1;

    if (copy < 0 || !copy_all(fd, copy)) {
        snprintf(error, error_size, "cannot be copied to a temporary file: %s", strerror(errno));
        if (copy >= 0)
            close(copy);
        copy = -1;
    }
    if (file)
        fclose(file);
    close(fd);
    return copy;
}

static struct dft_reader *open_trace(const char *path, bool reads_again, char *error,
                                     size_t error_size)
{
    struct stat status;

    if (!reads_again)
        return dft_reader_open(path, error, error_size);
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(error, error_size, "cannot be opened: %s", strerror(errno));
        return NULL;
    }
    if (fstat(fd, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        fd = copy_pipe(fd, error, error_size);
    return fd < 0 ? NULL : dft_reader_open_fd(fd, error, error_size);
}

/* --- passes --- */

static uint64_t read_piece(struct dft_reader *reader, const struct dft_visitor *visitor)
{
    struct dft_event event;
    uint64_t count = 0;

    while (dft_reader_next(reader, &event) == DFT_READ_EVENT) {
        visitor->event_again(visitor->context, reader, &event);
        dft_progress_count();
        count++;
    }
    if (visitor->end_piece)
        visitor->end_piece(visitor->context);
    return count;
}

/* A file that has changed since the first pass may no longer be a trace: the visitor checks. */
static void read_again(struct dft_reader *reader, const struct dft_visitor *visitor,
                       enum dft_pass pass)
{
    size_t pieces = dft_reader_pieces(reader);

    if (pass == DFT_PASS_FORWARD) {
        if (dft_reader_rewind_all(reader))
            read_piece(reader, visitor);
        return;
    }
    for (size_t i = 0; i < pieces; i++) {
        if (!dft_reader_rewind(reader, pieces - 1 - i))
            return;
        read_piece(reader, visitor);
    }
}

static bool read_all(struct dft_reader *reader, const struct dft_visitor *visitor, const char *path,
                     bool *incomplete)
{
    struct dft_event event;
    enum dft_read result;
    enum dft_pass pass;
    uint64_t before = dft_progress_done;

    while ((result = dft_reader_next(reader, &event)) == DFT_READ_EVENT) {
        visitor->event(visitor->context, reader, &event);
        dft_progress_count();
    }
    if (result == DFT_READ_ERROR) {
        dft_tool_error("%s: %s", dft_walk_name(path), dft_reader_error(reader));
        return false;
    }
    uint64_t count = dft_progress_done - before;
    enum dft_ending ending = dft_reader_end(reader);
    *incomplete = *incomplete || ending != DFT_ENDING_COMPLETE;
    report_ending(path, ending);
    while (visitor->next_pass &&
           (pass = visitor->next_pass(visitor->context, reader)) != DFT_PASS_NONE) {
        if (pass == DFT_PASS_IMPOSSIBLE) {
            dft_tool_error("%s: is too large for a call tree, because it cannot be read in parts: "
                           "its events are not one per line, or it is one gzip member; "
                           "--max-memory SIZE allows more",
                           dft_walk_name(path));
            return false;
        }
        dft_progress_read_again(count);
        read_again(reader, visitor, pass);
    }
    return true;
}

static bool walk_trace(const char *path, const struct dft_visitor *visitor, bool *incomplete)
{
    char error[256];
    struct dft_reader *reader = open_trace(path, visitor->reads_again, error, sizeof error);

    if (!reader) {
        dft_tool_error("%s: %s", dft_walk_name(path), error);
        return false;
    }
    if (visitor->open)
        visitor->open(visitor->context, path);
    bool is_read = read_all(reader, visitor, path, incomplete);
    if (visitor->close && !visitor->close(visitor->context) && is_read)
        dft_tool_warn("%s: changed while it was read: TOTAL and SELF lack some calls",
                      dft_walk_name(path));
    dft_reader_close(reader);
    return is_read;
}

bool dft_walk_traces(const char *const *paths, size_t count, const struct dft_visitor *visitor,
                     bool *incomplete)
{
    bool is_read = true;

    for (size_t i = 0; i < count && is_read; i++)
        is_read = walk_trace(paths[i], visitor, incomplete);
    dft_progress_hide();
    return is_read;
}

/* --- companions --- */

void dft_companion_open(void *companion, const char *path)
{
    const struct dft_visitor *inner = &((struct dft_companion *)companion)->inner;

    if (inner->open)
        inner->open(inner->context, path);
}

void dft_companion_event(void *companion, struct dft_reader *reader, const struct dft_event *event)
{
    const struct dft_visitor *inner = &((struct dft_companion *)companion)->inner;

    inner->event(inner->context, reader, event);
}

bool dft_companion_close(void *companion)
{
    const struct dft_visitor *inner = &((struct dft_companion *)companion)->inner;

    return !inner->close || inner->close(inner->context);
}

static enum dft_pass next_pass(void *companion, const struct dft_reader *reader)
{
    const struct dft_visitor *inner = &((struct dft_companion *)companion)->inner;

    return inner->next_pass(inner->context, reader);
}

static void see_again(void *companion, struct dft_reader *reader, const struct dft_event *event)
{
    const struct dft_visitor *inner = &((struct dft_companion *)companion)->inner;

    inner->event_again(inner->context, reader, event);
}

static void end_piece(void *companion)
{
    const struct dft_visitor *inner = &((struct dft_companion *)companion)->inner;

    inner->end_piece(inner->context);
}

struct dft_visitor dft_companion_visitor(struct dft_companion *companion,
                                         const struct dft_visitor *inner)
{
    companion->inner = *inner;
    return (struct dft_visitor){
        .context = companion,
        .open = dft_companion_open,
        .event = dft_companion_event,
        .reads_again = inner->reads_again,
        .next_pass = inner->next_pass ? next_pass : NULL,
        .event_again = inner->event_again ? see_again : NULL,
        .end_piece = inner->end_piece ? end_piece : NULL,
        .close = dft_companion_close,
    };
}
