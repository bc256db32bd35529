/*
 * A trace, event by event, in the memory of one event.
 *
 * Reads what dftrace writes and what others call Chrome's JSON trace: an array of events or an
 * object with "traceEvents", and beyond strict JSON the forms that killed programs and DFTracer
 * leave: no commas between events, spare commas, no closing bracket, one event a line without any
 * bracket. Everything inside an event is strict JSON.
 */
#ifndef DFT_TOOL_TRACE_READER_H
#define DFT_TOOL_TRACE_READER_H

#include "tool/base/text.h"
#include "tool/trace/input.h"
#include "tool/trace/json.h"
#include "tool/trace/record.h"

/* One member of "args": decoded key, value as it stands in the file. */
struct dft_arg {
    struct dft_text key;
    struct dft_text value;
};

/* Everything it points to is valid until the next call for the same reader. */
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
    int64_t dur_ns;       /* ts_ns + dur_ns does not overflow */
    struct dft_text file; /* beside the args, where those can only be numbers */
    int64_t line;
    const struct dft_arg *args;
    size_t arg_count;
    struct dft_text raw; /* the whole event as it stands in the file */
    uint64_t beginning;  /* of the same reader's events with this number only times differ; or 0 */
};

/* How a trace ended that could be read. */
enum dft_ending {
    DFT_ENDING_COMPLETE,
    DFT_ENDING_OPEN, /* no closing bracket, the last event is whole */
    DFT_ENDING_CUT,  /* the file lost its end inside an event or a gzip member */
};

struct dft_reader;

/* "-" is stdin. NULL: `error` says why. */
struct dft_reader *dft_reader_open(const char *path, char *error, size_t error_size);

/* Takes the descriptor over, whatever comes of it. */
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
 * Pieces in which a file that was read to its end can be read again, in any order; 0 where it
 * cannot. Their borders are between events where each event has a line of its own.
 */
size_t dft_reader_pieces(const struct dft_reader *reader);

/* The most text that one of them has so far. */
uint64_t dft_reader_longest_piece(const struct dft_reader *reader);

/* The next events are those of this piece, and then comes the end. */
bool dft_reader_rewind(struct dft_reader *reader, size_t piece);

void dft_reader_close(struct dft_reader *reader);

/* --- an event's args --- */

/* The raw value, NULL where there is none. Of equal keys the last counts. */
const struct dft_text *dft_event_arg(const struct dft_event *event, const char *key);

/* False where the arg is missing or of another type; numbers must be whole. */
bool dft_event_arg_int(const struct dft_event *event, const char *key, int64_t *value);

/* A number times 10 to the `power`, rounded. */
bool dft_event_arg_decimal(const struct dft_event *event, const char *key, int power,
                           int64_t *value);
bool dft_event_arg_true(const struct dft_event *event, const char *key);

/* A string's value, decoded into memory of the reader; empty where it is missing. */
struct dft_text dft_event_arg_text(struct dft_reader *reader, const struct dft_event *event,
                                   const char *key);

#endif
