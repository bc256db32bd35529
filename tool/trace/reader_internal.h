/*
 * Shared by reader.c (a trace of any form), json_form.c and proto_form.c (the events of one form)
 * only.
 */
#ifndef DFT_TOOL_TRACE_READER_INTERNAL_H
#define DFT_TOOL_TRACE_READER_INTERNAL_H

#include "tool/trace/event.h"
#include "tool/trace/pairs.h"
#include "tool/trace/reader.h"

/* What is read of the input and not needed yet. */
struct dft_window {
    struct dft_input *input;
    char *buffer;
    size_t room;
    const char *at; /* the next byte to use */
    const char *end;
    bool at_end;        /* of the input: the window gets no more */
    uint64_t discarded; /* bytes that have left the buffer */
};

/* A longer event or packet is an error, because it would use up all memory. */
#define DFT_LONGEST_EVENT ((size_t)64 * 1024 * 1024)

/*
 * Reads more bytes after those from `at` on. False at the end of the input, on error, and if there
 * are DFT_LONGEST_EVENT bytes already.
 */
bool dft_window_refill(struct dft_window *window);

enum dft_form_state {
    DFT_FORM_START,
    DFT_FORM_EVENTS, /* inside an array */
    DFT_FORM_LINES,  /* events without any bracket */
    DFT_FORM_BEFORE, /* in the outer object, before "traceEvents" */
    DFT_FORM_AFTER,  /* in the outer object, after it */
    DFT_FORM_TAIL,   /* after everything: only space may follow */
    DFT_FORM_PACKETS,
    DFT_FORM_END,
    DFT_FORM_ERROR,
};

struct dft_proto;

struct dft_reader {
    struct dft_window window;
    struct dft_scanner scanner; /* over the window */
    uint64_t lines;             /* line ends that have left the window */
    enum dft_form_state state;
    bool in_object;    /* the array is the value of "traceEvents" */
    bool first_member; /* of the outer object */
    bool has_pairs;    /* there was an event that begins or ends a call */
    enum dft_ending end;
    struct dft_event_memory memory;
    struct dft_proto *proto; /* NULL: JSON */
    struct dft_pairs pairs;
    uint64_t events; /* that were passed on */
    char error[320];
};

/* Sets the end of a trace that could be read. */
void dft_reader_finish(struct dft_reader *reader, enum dft_ending end);

/* The input ended early because of an error of its own. */
void dft_reader_fail_input(struct dft_reader *reader);

/*
 * Damaged gzip data can decompress to garbage before the checksum reveals it. If the member turns
 * out to be damaged, the message says so instead. The window is not needed any more.
 */
void dft_reader_blame_compression(struct dft_reader *reader);

/* --- json_form.c --- */

/* Chooses the state; the window has its first bytes. */
void dft_json_form_begin(struct dft_reader *reader);

/* Takes a step: true if there is an event. Otherwise the state may have changed. */
bool dft_json_form_step(struct dft_reader *reader, struct dft_event *event);

/* --- proto_form.c --- */

/* Whether the window begins with a Perfetto trace. */
bool dft_proto_form_matches(const char *at, const char *end);
void dft_proto_form_begin(struct dft_reader *reader);
bool dft_proto_form_step(struct dft_reader *reader, struct dft_event *event);

/* Whether there are events that were read and not passed on, even after the end of the file. */
bool dft_proto_form_has_events(const struct dft_proto *proto);
void dft_proto_form_free(struct dft_proto *proto);

#endif
