/*
 * Reads what is around the events: which form a file has, where an event begins, how the file ends.
 * One event at a time is completely in the buffer; everything else passes through it in parts.
 */
#include "tool/trace/reader.h"

#include "tool/base/tool.h"
#include "tool/trace/event.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BUFFER ((size_t)256 * 1024)

/* A longer event is an error, because it would use up all memory. */
#define LONGEST_EVENT ((size_t)64 * 1024 * 1024)

/* After an error in the text, how much more of a gzip member is read to verify its checksum. */
#define FARTHEST_CHECKSUM ((size_t)64 * 1024 * 1024)

enum reader_state {
    STATE_START,
    STATE_EVENTS, /* inside an array */
    STATE_LINES,  /* events without any bracket */
    STATE_BEFORE, /* in the outer object, before "traceEvents" */
    STATE_AFTER,  /* in the outer object, after it */
    STATE_TAIL,   /* after everything: only space may follow */
    STATE_END,
    STATE_ERROR,
};

struct dft_reader {
    struct dft_input *input;
    char *buffer;
    size_t room;
    struct dft_scanner scanner; /* over the part of the buffer that is filled */
    bool at_end;                /* of the input: the buffer gets no more */
    uint64_t discarded;         /* bytes that have left the buffer */
    uint64_t lines;             /* line ends among them */
    enum reader_state state;
    bool in_object;    /* the array is the value of "traceEvents" */
    bool first_member; /* of the outer object */
    enum dft_ending end;
    struct dft_event_memory memory;
    char error[320];
};

typedef unsigned char byte_vector __attribute__((vector_size(16)));

/* Only error messages need line numbers, so counting must cost next to nothing. */
static uint64_t count_lines(const char *begin, const char *end)
{
    uint64_t lines = 0;

    while ((size_t)(end - begin) >= sizeof(byte_vector)) {
        size_t vectors = (size_t)(end - begin) / sizeof(byte_vector);
        byte_vector counts = {0}; /* of each position; 255 at most */

        for (size_t left = vectors < UINT8_MAX ? vectors : UINT8_MAX; left > 0; left--) {
            byte_vector bytes;

            memcpy(&bytes, begin, sizeof bytes);
            counts -= (byte_vector)(bytes == '\n'); /* true is -1 */
            begin += sizeof bytes;
        }
        for (size_t i = 0; i < sizeof counts; i++)
            lines += counts[i];
    }
    for (; begin < end; begin++)
        lines += *begin == '\n';
    return lines;
}

static struct dft_reader *make_reader(struct dft_input *input)
{
    if (!input)
        return NULL;
    struct dft_reader *reader = dft_tool_zeroed(1, sizeof *reader);
    reader->input = input;
    reader->room = FIRST_BUFFER;
    reader->buffer = dft_tool_resize(NULL, reader->room, 1);
    reader->scanner.at = reader->scanner.end = reader->buffer;
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

void dft_reader_close(struct dft_reader *reader)
{
    dft_input_close(reader->input);
    dft_event_memory_free(&reader->memory);
    free(reader->buffer);
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

size_t dft_reader_pieces(const struct dft_reader *reader)
{
    return dft_input_pieces(reader->input);
}

uint64_t dft_reader_longest_piece(const struct dft_reader *reader)
{
    return dft_input_longest_piece(reader->input);
}

bool dft_reader_rewind(struct dft_reader *reader, size_t piece)
{
    reader->scanner.at = reader->scanner.end = reader->buffer;
    reader->at_end = false;
    reader->discarded = reader->lines = 0;
    reader->state = piece > 0 ? STATE_EVENTS : STATE_START;
    return dft_input_rewind(reader->input, piece);
}

/* --- errors --- */

static void describe_byte(const struct dft_reader *reader, const char *at, char *out, size_t size)
{
    unsigned char byte = at < reader->scanner.end ? (unsigned char)*at : 0;

    if (at >= reader->scanner.end)
        snprintf(out, size, "the end of the file");
    else if (byte == '\n')
        snprintf(out, size, "the end of the line");
    else if (byte > 0x20 && byte < 0x7F)
        snprintf(out, size, "'%c'", byte);
    else
        snprintf(out, size, "byte 0x%02x", byte);
}

/*
 * Damaged gzip data can decompress to garbage before the checksum reveals it. If the member turns
 * out to be damaged, the message says so instead. `reader->buffer` is not needed any more.
 */
static void blame_compression(struct dft_reader *reader)
{
    size_t read = 0;
    size_t got = reader->room;

    if (!dft_input_is_compressed(reader->input))
        return;
    for (; got == reader->room && read < FARTHEST_CHECKSUM; read += got)
        got = dft_input_read(reader->input, reader->buffer, reader->room);
    if (dft_input_error(reader->input))
        snprintf(reader->error, sizeof reader->error, "%s", dft_input_error(reader->input));
}

static void fail_at(struct dft_reader *reader, const char *at, const char *expected,
                    const char *problem)
{
    uint64_t offset = reader->discarded + (uint64_t)(at - reader->buffer);
    uint64_t line = reader->lines + count_lines(reader->buffer, at) + 1;
    const char *whose = dft_input_is_compressed(reader->input) ? " of the uncompressed text" : "";
    char found[32];

    describe_byte(reader, at, found, sizeof found);
    if (expected)
        snprintf(reader->error, sizeof reader->error,
                 "byte %" PRIu64 " (line %" PRIu64 ")%s: found %s, expected %s", offset, line,
                 whose, found, expected);
    else
        snprintf(reader->error, sizeof reader->error, "byte %" PRIu64 " (line %" PRIu64 ")%s: %s",
                 offset, line, whose, problem);
    reader->state = STATE_ERROR;
    blame_compression(reader);
}

static void fail_scan(struct dft_reader *reader, const struct dft_scanner *scanner)
{
    fail_at(reader, scanner->fault, scanner->expected, scanner->problem);
}

static void fail_input(struct dft_reader *reader)
{
    snprintf(reader->error, sizeof reader->error, "%s", dft_input_error(reader->input));
    reader->state = STATE_ERROR;
}

/* --- bytes --- */

/*
 * Reads more bytes after those that are still needed. False at the end of the input, on error, and
 * if an event is too long.
 */
static bool refill(struct dft_reader *reader)
{
    size_t used = (size_t)(reader->scanner.at - reader->buffer);
    size_t kept = (size_t)(reader->scanner.end - reader->scanner.at);

    if (reader->at_end || kept >= LONGEST_EVENT)
        return false;
    reader->lines += count_lines(reader->buffer, reader->scanner.at);
    reader->discarded += used;
    memmove(reader->buffer, reader->scanner.at, kept);
    if (kept > reader->room / 2) {
        reader->room *= 2;
        reader->buffer = dft_tool_resize(reader->buffer, reader->room, 1);
    }
    size_t got = dft_input_read(reader->input, reader->buffer + kept, reader->room - kept);
    reader->at_end = got < reader->room - kept;
    reader->scanner.at = reader->buffer;
    reader->scanner.end = reader->buffer + kept + got;
    return got > 0;
}

/* The next byte that is not space. False at the end of the input. */
static bool peek_byte(struct dft_reader *reader, char *byte)
{
    while (dft_scan_peek(&reader->scanner, byte) != DFT_SCAN_OK) {
        if (!refill(reader))
            return false;
    }
    return true;
}

/* --- the end --- */

static void finish(struct dft_reader *reader, enum dft_ending end)
{
    reader->end = end;
    reader->state = STATE_END;
}

/* The input ends where the trace is not complete. */
static void end_early(struct dft_reader *reader, bool inside_value)
{
    if (dft_input_error(reader->input))
        fail_input(reader);
    else if (!reader->at_end)
        fail_at(reader, reader->scanner.at, NULL,
                "an event is longer than 64 MiB: this is no trace");
    else if (inside_value || dft_input_is_cut(reader->input))
        finish(reader, DFT_ENDING_CUT);
    else
        finish(reader, DFT_ENDING_OPEN);
}

/* --- the forms; each function sets the next state --- */

static void read_tail(struct dft_reader *reader)
{
    char byte;

    if (peek_byte(reader, &byte))
        fail_at(reader, reader->scanner.at, "nothing behind the end of the trace", NULL);
    else if (dft_input_error(reader->input))
        fail_input(reader);
    else
        finish(reader, dft_input_is_cut(reader->input) ? DFT_ENDING_CUT : DFT_ENDING_COMPLETE);
}

static bool read_event(struct dft_reader *reader, struct dft_event *event)
{
    enum dft_scan status;

    while ((status = dft_event_parse(&reader->scanner, &reader->memory, event)) == DFT_SCAN_MORE) {
        if (!refill(reader)) {
            end_early(reader, true);
            return false;
        }
    }
    if (status == DFT_SCAN_BAD)
        fail_scan(reader, &reader->scanner);
    return status == DFT_SCAN_OK;
}

/* True if there is an event. Accepts additional and missing commas. */
static bool read_element(struct dft_reader *reader, struct dft_event *event)
{
    bool in_array = reader->state == STATE_EVENTS;
    char byte;

    while (peek_byte(reader, &byte)) {
        if (byte == '{')
            return read_event(reader, event);
        if (byte == ']' && in_array) {
            reader->state = reader->in_object ? STATE_AFTER : STATE_TAIL;
        } else if (byte != ',') {
            fail_at(reader, reader->scanner.at, in_array ? "an event, ',' or ']'" : "an event",
                    NULL);
            return false;
        }
        reader->scanner.at++;
        if (byte == ']')
            return false;
    }
    if (in_array)
        end_early(reader, false);
    else
        read_tail(reader); /* without brackets, only the file has an end */
    return false;
}

/* Skips another value of the outer object, in parts if necessary. */
static void skip_value(struct dft_reader *reader)
{
    struct dft_scan_skip skip = {0};
    enum dft_scan status;

    while ((status = dft_scan_skip(&reader->scanner, &skip)) == DFT_SCAN_MORE) {
        if (!refill(reader)) {
            end_early(reader, true);
            return;
        }
    }
    if (status == DFT_SCAN_BAD)
        fail_scan(reader, &reader->scanner);
}

static void enter_events(struct dft_reader *reader)
{
    char byte;

    if (!peek_byte(reader, &byte)) {
        end_early(reader, false);
    } else if (byte != '[') {
        fail_at(reader, reader->scanner.at, "an array as the value of \"traceEvents\"", NULL);
    } else {
        reader->scanner.at++;
        reader->in_object = true;
        reader->state = STATE_EVENTS;
    }
}

/* One member of the outer object, or its end. */
static void read_outer(struct dft_reader *reader)
{
    struct dft_scan_string key;
    bool done = false;
    enum dft_scan status;

    while ((status = dft_scan_member(&reader->scanner, &reader->first_member, &done, &key)) ==
           DFT_SCAN_MORE) {
        if (!refill(reader)) {
            end_early(reader, false);
            return;
        }
    }
    if (status == DFT_SCAN_BAD) {
        fail_scan(reader, &reader->scanner);
    } else if (done && reader->state == STATE_BEFORE) {
        fail_at(reader, reader->scanner.at - 1, "\"traceEvents\" in this object", NULL);
    } else if (done) {
        reader->state = STATE_TAIL;
    } else {
        dft_scratch_reset(&reader->memory.scratch);
        if (reader->state == STATE_BEFORE &&
            dft_text_is(dft_scan_decode(key, &reader->memory.scratch), "traceEvents"))
            enter_events(reader);
        else
            skip_value(reader);
    }
}

/* Decides by the first key whether the brace opens an event or the object around all events. */
static void choose_object_form(struct dft_reader *reader)
{
    struct dft_scan_string key;
    struct dft_scanner ahead;
    enum dft_scan status;
    bool done = false;

    for (;;) {
        bool first = true;

        ahead = reader->scanner;
        ahead.at++;
        status = dft_scan_member(&ahead, &first, &done, &key);
        if (status != DFT_SCAN_MORE)
            break;
        if (!refill(reader)) {
            end_early(reader, true);
            return;
        }
    }
    dft_scratch_reset(&reader->memory.scratch);
    if (status == DFT_SCAN_BAD) {
        fail_scan(reader, &ahead);
    } else if (!done && dft_event_has_key(dft_scan_decode(key, &reader->memory.scratch))) {
        reader->state = STATE_LINES;
    } else {
        reader->scanner.at++;
        reader->first_member = true;
        reader->state = STATE_BEFORE;
    }
}

static void choose_form(struct dft_reader *reader)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* the byte order mark, which some editors write */
    static const char expected[] = "a trace: '[', or an object with \"traceEvents\"";
    char byte;

    refill(reader);
    if (reader->scanner.end - reader->scanner.at >= 3 && memcmp(reader->scanner.at, mark, 3) == 0)
        reader->scanner.at += 3;
    if (!peek_byte(reader, &byte)) {
        end_early(reader, false);
        if (reader->state == STATE_END && reader->end == DFT_ENDING_OPEN) {
            snprintf(reader->error, sizeof reader->error, "is empty, expected %s", expected);
            reader->state = STATE_ERROR;
        }
    } else if (byte == '{') {
        choose_object_form(reader);
    } else if (byte == '[') {
        reader->scanner.at++;
        reader->state = STATE_EVENTS;
    } else {
        fail_at(reader, reader->scanner.at, expected, NULL);
    }
}

enum dft_read dft_reader_next(struct dft_reader *reader, struct dft_event *event)
{
    for (;;) {
        switch (reader->state) {
        case STATE_START:
            choose_form(reader);
            break;
        case STATE_EVENTS:
        case STATE_LINES:
            if (read_element(reader, event))
                return DFT_READ_EVENT;
            break;
        case STATE_BEFORE:
        case STATE_AFTER:
            read_outer(reader);
            break;
        case STATE_TAIL:
            read_tail(reader);
            break;
        case STATE_END:
            return DFT_READ_END;
        case STATE_ERROR:
            return DFT_READ_ERROR;
        }
    }
}

struct dft_text dft_event_arg_text(struct dft_reader *reader, const struct dft_event *event,
                                   const char *key)
{
    const struct dft_text *raw = dft_event_arg(event, key);
    struct dft_scan_string string;

    if (!raw || *raw->at != '"')
        return (struct dft_text){"", 0};
    struct dft_scanner scanner = {.at = raw->at, .end = raw->at + raw->length};
    if (dft_scan_string(&scanner, &string) != DFT_SCAN_OK)
        return (struct dft_text){"", 0};
    return dft_scan_decode(string, &reader->memory.scratch);
}
