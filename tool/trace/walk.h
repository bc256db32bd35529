/*
 * Reads traces and shows a visitor every event: opens each file, reports errors and missing ends,
 * and reads a file again, forwards or backwards, where the visitor asks for it.
 */
#ifndef DFT_TOOL_TRACE_WALK_H
#define DFT_TOOL_TRACE_WALK_H

#include "tool/trace/reader.h"

enum dft_pass {
    DFT_PASS_NONE,       /* the visitor has all that it needs */
    DFT_PASS_FORWARD,    /* all events once more */
    DFT_PASS_BACKWARD,   /* the same in pieces, the last piece of the file first */
    DFT_PASS_IMPOSSIBLE, /* a backward pass would need too much memory */
};

/* A function that is NULL is not called. */
struct dft_visitor {
    void *context;
    void (*open)(void *context, const char *path);
    void (*event)(void *context, struct dft_reader *reader, const struct dft_event *event);

    /* Whether next_pass may ask for a pass: then a pipe is copied to a temporary file first. */
    bool reads_again;
    /* Called after each pass over a file that was read to its end. */
    enum dft_pass (*next_pass)(void *context, const struct dft_reader *reader);
    /* Events of a further pass. Inside a piece they come in the order of the file. */
    void (*event_again)(void *context, struct dft_reader *reader, const struct dft_event *event);
    void (*end_piece)(void *context);

    /* False: the file had other events in a further pass. */
    bool (*close)(void *context);
};

/* A visitor that sees what another one sees, and does everything else that this one does. */
struct dft_companion {
    struct dft_visitor inner;
};

/*
 * The context is a struct that begins with `companion`. `open`, `event` and `close` may be replaced by
 * functions that call the inner one's through dft_companion_open, _event and _close.
 */
struct dft_visitor dft_companion_visitor(struct dft_companion *companion,
                                         const struct dft_visitor *inner);
void dft_companion_open(void *companion, const char *path);
void dft_companion_event(void *companion, struct dft_reader *reader, const struct dft_event *event);
bool dft_companion_close(void *companion);

/*
 * Visits one trace after the other. False: one could not be read; its error is printed, and the
 * traces behind it are not read. `incomplete` becomes true where the end of a trace is missing.
 */
bool dft_walk_traces(const char *const *paths, size_t count, const struct dft_visitor *visitor,
                     bool *incomplete);

/* A path as messages show it: "-" is stdin. */
const char *dft_walk_name(const char *path);

#endif
