/*
 * Events in JSON: what is around them, where an event begins, how the file ends. One event at a
 * time is completely in the window; everything else passes through it in parts.
 */
#include "tool/trace/reader_internal.h"

#include <inttypes.h>
#include <string.h>

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

static void fail_at(struct dft_reader *reader, const char *at, const char *expected,
                    const char *problem)
{
    uint64_t offset = reader->window.discarded + (uint64_t)(at - reader->window.buffer);
    uint64_t line = reader->lines + count_lines(reader->window.buffer, at) + 1;
    const char *whose =
        dft_input_is_compressed(reader->window.input) ? " of the uncompressed text" : "";
    char found[32];

    describe_byte(reader, at, found, sizeof found);
    if (expected)
        snprintf(reader->error, sizeof reader->error,
                 "byte %" PRIu64 " (line %" PRIu64 ")%s: found %s, expected %s", offset, line,
                 whose, found, expected);
    else
        snprintf(reader->error, sizeof reader->error, "byte %" PRIu64 " (line %" PRIu64 ")%s: %s",
                 offset, line, whose, problem);
    reader->state = DFT_FORM_ERROR;
    dft_reader_blame_compression(reader);
}

static void fail_scan(struct dft_reader *reader, const struct dft_scanner *scanner)
{
    fail_at(reader, scanner->fault, scanner->expected, scanner->problem);
}

/* --- bytes --- */

/* Reads more bytes after those that are still needed. False as for dft_window_refill. */
static bool refill(struct dft_reader *reader)
{
    struct dft_window *window = &reader->window;
    uint64_t discarded = window->discarded;

    uint64_t lines = count_lines(window->buffer, reader->scanner.at);
    window->at = reader->scanner.at;
    bool got = dft_window_refill(window);
    if (window->discarded > discarded)
        reader->lines += lines;
    reader->scanner.at = window->at;
    reader->scanner.end = window->end;
    return got;
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

/* The input ends where the trace is not complete. */
static void end_early(struct dft_reader *reader, bool inside_value)
{
    if (dft_input_error(reader->window.input))
        dft_reader_fail_input(reader);
    else if (!reader->window.at_end)
        fail_at(reader, reader->scanner.at, NULL,
                "an event is longer than 64 MiB: this is no trace");
    else if (inside_value || dft_input_is_cut(reader->window.input))
        dft_reader_finish(reader, DFT_ENDING_CUT);
    else
        dft_reader_finish(reader, DFT_ENDING_OPEN);
}

/* --- the forms; each function sets the next state --- */

static void read_tail(struct dft_reader *reader)
{
    char byte;

    if (peek_byte(reader, &byte))
        fail_at(reader, reader->scanner.at, "nothing behind the end of the trace", NULL);
    else if (dft_input_error(reader->window.input))
        dft_reader_fail_input(reader);
    else
        dft_reader_finish(reader, dft_input_is_cut(reader->window.input) ? DFT_ENDING_CUT
                                                                         : DFT_ENDING_COMPLETE);
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
    bool in_array = reader->state == DFT_FORM_EVENTS;
    char byte;

    while (peek_byte(reader, &byte)) {
        if (byte == '{')
            return read_event(reader, event);
        if (byte == ']' && in_array) {
            reader->state = reader->in_object ? DFT_FORM_AFTER : DFT_FORM_TAIL;
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
        reader->state = DFT_FORM_EVENTS;
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
    } else if (done && reader->state == DFT_FORM_BEFORE) {
        fail_at(reader, reader->scanner.at - 1, "\"traceEvents\" in this object", NULL);
    } else if (done) {
        reader->state = DFT_FORM_TAIL;
    } else {
        dft_scratch_reset(&reader->memory.scratch);
        if (reader->state == DFT_FORM_BEFORE &&
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
        reader->state = DFT_FORM_LINES;
    } else {
        reader->scanner.at++;
        reader->first_member = true;
        reader->state = DFT_FORM_BEFORE;
    }
}

void dft_json_form_begin(struct dft_reader *reader)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* the byte order mark, which some editors write */
    static const char expected[] = "a trace: '[', or an object with \"traceEvents\"";
    char byte;

    reader->scanner.at = reader->window.at;
    reader->scanner.end = reader->window.end;
    if (reader->scanner.end - reader->scanner.at >= 3 && memcmp(reader->scanner.at, mark, 3) == 0)
        reader->scanner.at += 3;
    if (!peek_byte(reader, &byte)) {
        end_early(reader, false);
        if (reader->state == DFT_FORM_END && reader->end == DFT_ENDING_OPEN) {
            snprintf(reader->error, sizeof reader->error, "is empty, expected %s", expected);
            reader->state = DFT_FORM_ERROR;
        }
    } else if (byte == '{') {
        choose_object_form(reader);
    } else if (byte == '[') {
        reader->scanner.at++;
        reader->state = DFT_FORM_EVENTS;
    } else {
        fail_at(reader, reader->scanner.at, expected, NULL);
    }
}

bool dft_json_form_step(struct dft_reader *reader, struct dft_event *event)
{
    switch (reader->state) {
    case DFT_FORM_EVENTS:
    case DFT_FORM_LINES:
        return read_element(reader, event);
    case DFT_FORM_BEFORE:
    case DFT_FORM_AFTER:
        read_outer(reader);
        break;
    case DFT_FORM_TAIL:
        read_tail(reader);
        break;
    case DFT_FORM_START:
    case DFT_FORM_PACKETS:
    case DFT_FORM_END:
    case DFT_FORM_ERROR:
        break;
    }
    return false;
}
