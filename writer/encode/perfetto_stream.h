/*
 * From calls in the order in which they ended to the order in which Perfetto wants them: for each
 * thread, begins and ends by time, properly nested.
 */
#ifndef DFT_WRITER_ENCODE_PERFETTO_STREAM_H
#define DFT_WRITER_ENCODE_PERFETTO_STREAM_H

#include "writer/encode/encoder.h"

enum dft_item_kind { DFT_ITEM_BEGIN, DFT_ITEM_END, DFT_ITEM_EVENT };

/*
 * A begin or an end of a call, or another event: its kind, whether it is cut, and the number of its
 * call, or of its struct dft_cut.
 */
typedef uint32_t dft_item;
#define DFT_ITEM_KIND(item) ((enum dft_item_kind)((item)&3u))
#define DFT_ITEM_IS_CUT(item) ((item) >> 2 & 1u)
#define DFT_ITEM_NUMBER(item) ((item) >> 3)

/* A begin or an end whose call does not nest with another one of its thread. */
struct dft_cut {
    uint64_t ns; /* the time at which it nests */
    uint32_t call;
};

/* The items of one thread. */
struct dft_stream_thread {
    int32_t tid;
    uint32_t last_run; /* number + 1 */
    uint32_t first_item, item_count;
    uint64_t last_end_ns;
    bool is_unsorted;
};

struct dft_stream {
    struct dft_buffer threads; /* struct dft_stream_thread */
    struct dft_buffer runs;    /* consecutive calls of one thread */
    struct dft_buffer items;   /* dft_item */
    struct dft_buffer cuts;    /* struct dft_cut */
    struct dft_buffer stack;   /* dft_item: ends whose begins are not placed yet */
    struct dft_buffer order;   /* uint32_t: calls of one thread, if they must be sorted */
};

/* False if memory is exhausted. */
bool dft_stream_make(struct dft_stream *stream, const struct dft_call *calls, size_t count,
                     const char *attached);
void dft_stream_release(struct dft_stream *stream);

#endif
