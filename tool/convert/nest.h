/*
 * The calls of all threads, in the order in which they begin, each with the calls around it:
 * whatever order they had in the trace. Memory is bounded; the rest is in a temporary file.
 */
#ifndef DFT_TOOL_CONVERT_NEST_H
#define DFT_TOOL_CONVERT_NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call, or a moment inside calls. */
struct dft_nest_record {
    uint64_t row; /* of one thread; rows come one after the other, the smallest first */
    int64_t start;
    int64_t end;
    uint64_t order;  /* set by dft_nest_add */
    uint64_t detail; /* the caller's; what it means is up to the caller */
    int64_t less;    /* to be subtracted from the self time */
    uint32_t name;   /* the caller's */
    bool is_point;
};

/* An open call. */
struct dft_nest_call {
    struct dft_nest_record record; /* `end` is not behind that of the call around it, if cut */
    int64_t inside;                /* time of the calls inside it so far */
    void *own;                     /* the caller's: NULL when the call is opened */
    uint64_t number;               /* the caller's */
};

struct dft_nest_visitor {
    void *context;
    bool cut; /* calls that end behind the call around them are cut */
    /* `calls` are the open calls of the row, the outermost first. `depth` includes the new one. */
    void (*open)(void *context, struct dft_nest_call *calls, size_t depth);
    void (*close)(void *context, struct dft_nest_call *calls, size_t depth);
    void (*point)(void *context, struct dft_nest_call *calls, size_t depth,
                  const struct dft_nest_record *point); /* NULL: there are none */
    void (*begin_row)(void *context, uint64_t row);
    void (*end_row)(void *context, uint64_t row);
};

struct dft_nest;

struct dft_nest *dft_nest_new(void);

/*
 * `from_pair`: of two calls with the same start and end, the one that comes later is the caller;
 * otherwise the one that comes first.
 */
void dft_nest_add(struct dft_nest *nest, struct dft_nest_record record, bool from_pair);

/*
 * Visits all of them, once. Returns how many calls end behind the call around them. False in
 * `*is_complete`: the temporary file failed; the message has been printed.
 */
uint64_t dft_nest_walk(struct dft_nest *nest, const struct dft_nest_visitor *visitor,
                       bool *is_complete);
void dft_nest_free(struct dft_nest *nest);

#endif
