/*
 * Reads a trace event by event, with the memory of one event.
 *
 * Reads dftrace's traces and Chrome's JSON traces: an array of events, or an object with
 * "traceEvents". Also accepts what killed programs and DFTracer write: no commas between events,
 * additional commas, no closing bracket, one event per line without brackets. Inside an event, JSON
 * is strict. Reads Perfetto's binary traces as well, as if their events were written in JSON.
 *
 * A begin and an end event become one call when the call ends.
 */
#ifndef DFT_TOOL_TRACE_READER_H
#define DFT_TOOL_TRACE_READER_H

#include "tool/base/text.h"
#include "tool/trace/input.h"
#include "tool/trace/json.h"
#include "tool/trace/record.h"

/* One member of "args": the decoded key, and the value as it is in the file. */
struct dft_arg {
    struct dft_text key;
    struct dft_text value;
};

/* What it points to is valid until the next event is read. */
struct dft_event {
    enum dft_trace_kind kind;
    char ph;
    bool has_ts;
    bool has_dur;
    struct dft_text name; /* valid UTF-8; may hold any character, NUL included */
    struct dft_text cat;
    int64_t pid; /* 0 where the event names none */
    int64_t tid;
    int64_t ts_ns;
    int64_t dur_ns; /* ts_ns + dur_ns does not overflow */
    bool has_tts;   /* the thread's CPU time at the start, and during the event */
    int64_t tts_ns;
    int64_t tdur_ns;
    struct dft_text id;   /* of flows and asynchronous events, decoded; a number as it is written */
    struct dft_text file; /* of counters, whose args can only be numbers */
    int64_t line;
    const struct dft_arg *args;
    size_t arg_count;
    struct dft_text raw; /* the whole event as it is in the file; empty if that is not JSON */
    uint64_t prefix_id;  /* events with the same number differ in their times only; 0: none */
};

/* How a readable trace ends. */
enum dft_ending {
    DFT_ENDING_COMPLETE,
    DFT_ENDING_OPEN, /* no closing bracket; the last event is complete */
    DFT_ENDING_CUT,  /* truncated inside an event or a gzip member */
};

struct dft_reader;

/* "-" is stdin. NULL: `error` says why. */
struct dft_reader *dft_reader_open(const char *path, char *error, size_t error_size);

/* Takes ownership of the descriptor, even on failure. */
struct dft_reader *dft_reader_open_fd(int fd, char *error, size_t error_size);

enum dft_read {
    DFT_READ_EVENT,
    DFT_READ_END,   /* ask dft_reader_end how */
    DFT_READ_ERROR, /* ask dft_reader_error why */
};

/* After an end or an error every further call returns the same. */
enum dft_read dft_reader_next(struct dft_reader *reader, struct dft_event *event);

enum dft_ending dft_reader_end(const struct dft_reader *reader);
const char *dft_reader_error(const struct dft_reader *reader);

/*
 * The number of pieces in which a file that was read to its end can be read again, in any order; 0:
 * it cannot. If each event is on a line of its own, a piece contains whole events.
 */
size_t dft_reader_pieces(const struct dft_reader *reader);

/* The size of the longest piece so far, decompressed. */
uint64_t dft_reader_longest_piece(const struct dft_reader *reader);

/* Continues with the events of this piece; the trace then ends after it. */
bool dft_reader_rewind(struct dft_reader *reader, size_t piece);

/* Continues with the first event of the file, and reads all of them again. */
bool dft_reader_rewind_all(struct dft_reader *reader);

void dft_reader_close(struct dft_reader *reader);

/* --- an event's args --- */

/* The raw value; NULL if there is none. If a key occurs twice, the last one counts. */
const struct dft_text *dft_event_arg(const struct dft_event *event, const char *key);

/* False if the arg is missing or of another type. Numbers must be whole. */
bool dft_event_arg_int(const struct dft_event *event, const char *key, int64_t *value);

/* A number times 10 to the `power`, rounded. */
bool dft_event_arg_decimal(const struct dft_event *event, const char *key, int power,
                           int64_t *value);
bool dft_event_arg_true(const struct dft_event *event, const char *key);

/*
 * The place in the source. That of a function is in the args of its calls, that of a region is next to
 * them, because the program names the args of a region. False if the place is unknown.
 */
bool dft_event_place(struct dft_reader *reader, const struct dft_event *event,
                     struct dft_text *file, int64_t *line);

/*
 * Whether an arg with this key is part of the place in the source. An arg "file" without an arg "line"
 * is not.
 */
bool dft_event_is_place_arg(const struct dft_event *event, struct dft_text key);

/* The value of a string, decoded; empty if it is missing. Valid as long as the event. */
struct dft_text dft_event_arg_text(struct dft_reader *reader, const struct dft_event *event,
                                   const char *key);

/* The value of a raw string, decoded; empty if it is something else. Valid as long as the event. */
struct dft_text dft_reader_decode(struct dft_reader *reader, struct dft_text raw);

#endif
