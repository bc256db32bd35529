/*
 * A trace of any form: finds out which form it has, passes its events on, and makes one event of
 * each pair of a begin and an end.
 */
#include "tool/trace/reader_internal.h"

#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BUFFER ((size_t)256 * 1024)

/* Bytes of an event in JSON, about. */
#define EVENT_TEXT 100

/* After an error in the text, how much more of a gzip member is read to verify its checksum. */
#define FARTHEST_CHECKSUM ((size_t)64 * 1024 * 1024)

static struct dft_reader *make_reader(struct dft_input *input)
{
    if (!input)
        return NULL;
    struct dft_reader *reader = dft_tool_zeroed(1, sizeof *reader);
    struct dft_window *window = &reader->window;
    window->input = input;
    window->room = FIRST_BUFFER;
    window->buffer = dft_tool_resize(NULL, window->room, 1);
    window->at = window->end = window->buffer;
    return reader;
}

struct dft_reader *dft_reader_open_fd(int fd, char *error, size_t error_size)
{
    return make_reader(dft_input_open_fd(fd, error, error_size));
}

struct dft_reader *dft_reader_open(const char *path, char *error, size_t error_size)
{
    return make_reader(dft_input_open(path, error, error_size));
}

static void close_form(struct dft_reader *reader)
{
    if (reader->proto)
        dft_proto_form_free(reader->proto);
    reader->proto = NULL;
    dft_pairs_free(&reader->pairs);
}

void dft_reader_close(struct dft_reader *reader)
{
    close_form(reader);
    dft_input_close(reader->window.input);
    dft_event_memory_free(&reader->memory);
    free(reader->window.buffer);
    free(reader);
}

enum dft_ending dft_reader_end(const struct dft_reader *reader)
{
    return reader->end;
}

const char *dft_reader_error(const struct dft_reader *reader)
{
    return reader->error;
}

/* --- pieces --- */

/* An event that begins in one piece may end in another, so there is only one piece then. */
static bool is_one_piece(const struct dft_reader *reader)
{
    return reader->has_pairs || reader->proto;
}

size_t dft_reader_pieces(const struct dft_reader *reader)
{
    size_t pieces = dft_input_pieces(reader->window.input);

    return pieces > 0 && is_one_piece(reader) ? 1 : pieces;
}

uint64_t dft_reader_longest_piece(const struct dft_reader *reader)
{
    return is_one_piece(reader) ? reader->events * EVENT_TEXT
                                : dft_input_longest_piece(reader->window.input);
}

static void forget_window(struct dft_reader *reader, enum dft_form_state state)
{
    struct dft_window *window = &reader->window;

    close_form(reader);
    window->at = window->end = window->buffer;
    reader->scanner.at = reader->scanner.end = window->buffer;
    window->at_end = false;
    window->discarded = reader->lines = 0;
    reader->in_object = false;
    reader->state = state;
}

bool dft_reader_rewind(struct dft_reader *reader, size_t piece)
{
    if (is_one_piece(reader))
        return dft_reader_rewind_all(reader);
    forget_window(reader, piece > 0 ? DFT_FORM_EVENTS : DFT_FORM_START);
    return dft_input_rewind(reader->window.input, piece);
}

bool dft_reader_rewind_all(struct dft_reader *reader)
{
    forget_window(reader, DFT_FORM_START);
    return dft_input_rewind_all(reader->window.input);
}

/* --- bytes --- */

bool dft_window_refill(struct dft_window *window)
{
    size_t used = (size_t)(window->at - window->buffer);
    size_t kept = (size_t)(window->end - window->at);

    if (window->at_end || kept >= DFT_LONGEST_EVENT)
        return false;
    window->discarded += used;
    memmove(window->buffer, window->at, kept);
    if (kept > window->room / 2) {
        window->room *= 2;
        window->buffer = dft_tool_resize(window->buffer, window->room, 1);
    }
    size_t got = dft_input_read(window->input, window->buffer + kept, window->room - kept);
    window->at_end = got < window->room - kept;
    window->at = window->buffer;
    window->end = window->buffer + kept + got;
    return got > 0;
}

void dft_reader_blame_compression(struct dft_reader *reader)
{
    struct dft_window *window = &reader->window;
    size_t read = 0;
    size_t got = window->room;

    if (!dft_input_is_compressed(window->input))
        return;
    for (; got == window->room && read < FARTHEST_CHECKSUM; read += got)
        got = dft_input_read(window->input, window->buffer, window->room);
    if (dft_input_error(window->input))
        snprintf(reader->error, sizeof reader->error, "%s", dft_input_error(window->input));
}

void dft_reader_fail_input(struct dft_reader *reader)
{
    snprintf(reader->error, sizeof reader->error, "%s", dft_input_error(reader->window.input));
    reader->state = DFT_FORM_ERROR;
}

void dft_reader_finish(struct dft_reader *reader, enum dft_ending end)
{
    reader->end = end;
    reader->state = DFT_FORM_END;
}

/* --- events --- */

static void choose_form(struct dft_reader *reader)
{
    struct dft_window *window = &reader->window;

    dft_window_refill(window);
    if (dft_proto_form_matches(window->at, window->end))
        dft_proto_form_begin(reader);
    else
        dft_json_form_begin(reader);
}

/*
 * In Perfetto's format, calls that overlap are cut; dftrace writes their true times as args. Always
 * true.
 */
static bool restore_times(struct dft_event *event)
{
    int64_t start, duration, end;

    if (dft_event_arg_int(event, "exact_ts_ns", &start) &&
        dft_event_arg_int(event, "exact_dur_ns", &duration) && duration >= 0 &&
        !__builtin_add_overflow(start, duration, &end)) {
        event->ts_ns = start;
        event->dur_ns = duration;
    }
    return true;
}

/* A begin or end becomes a call where that is possible. True if `event` is to be passed on. */
static bool pair(struct dft_reader *reader, struct dft_event *event)
{
    if (event->kind == DFT_TRACE_FLOW_MARK)
        return false;
    if (event->kind != DFT_TRACE_PAIR) {
        if (event->has_ts)
            dft_pairs_note_time(&reader->pairs, event->ts_ns + event->dur_ns);
        return true;
    }
    reader->has_pairs = true;
    if (event->ph == 'E')
        return dft_pairs_end(&reader->pairs, event) && restore_times(event);
    if (dft_pairs_begin(&reader->pairs, event))
        return false;
    snprintf(reader->error, sizeof reader->error,
             "more calls are open at the same time than a trace can have");
    reader->state = DFT_FORM_ERROR;
    return false;
}

static bool next_event(struct dft_reader *reader, struct dft_event *event)
{
    if (reader->state == DFT_FORM_START)
        choose_form(reader);
    else if (reader->proto ? dft_proto_form_step(reader, event) : dft_json_form_step(reader, event))
        return pair(reader, event);
    return false;
}

enum dft_read dft_reader_next(struct dft_reader *reader, struct dft_event *event)
{
    for (;;) {
        bool is_over = !reader->proto || !dft_proto_form_has_events(reader->proto);

        if (reader->state == DFT_FORM_ERROR && is_over)
            return DFT_READ_ERROR;
        if (reader->state == DFT_FORM_END && is_over)
            return dft_pairs_take_open(&reader->pairs, event) ? DFT_READ_EVENT : DFT_READ_END;
        if (next_event(reader, event)) {
            reader->events++;
            return DFT_READ_EVENT;
        }
    }
}

struct dft_text dft_event_arg_text(struct dft_reader *reader, const struct dft_event *event,
                                   const char *key)
{
    const struct dft_text *raw = dft_event_arg(event, key);

    return raw ? dft_reader_decode(reader, *raw) : (struct dft_text){"", 0};
}

bool dft_event_is_place_arg(const struct dft_event *event, struct dft_text key)
{
    return event->file.length == 0 && (dft_text_is(key, "file") || dft_text_is(key, "line")) &&
           dft_event_arg(event, "line");
}

bool dft_event_place(struct dft_reader *reader, const struct dft_event *event,
                     struct dft_text *file, int64_t *line)
{
    *file = event->file;
    *line = event->line;
    if (event->file.length > 0)
        return true;
    *line = 0;
    if (!dft_event_is_place_arg(event, dft_text("line")))
        return false;
    *file = dft_event_arg_text(reader, event, "file");
    if (!dft_event_arg_int(event, "line", line))
        *line = 0;
    return true;
}

struct dft_text dft_reader_decode(struct dft_reader *reader, struct dft_text raw)
{
    struct dft_scan_string string;

    if (raw.length == 0 || *raw.at != '"')
        return (struct dft_text){"", 0};
    struct dft_scanner scanner = {.at = raw.at, .end = raw.at + raw.length};
    if (dft_scan_string(&scanner, &string) != DFT_SCAN_OK)
        return (struct dft_text){"", 0};
    return dft_scan_decode(string, &reader->memory.scratch);
}
