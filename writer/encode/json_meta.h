/* Every event of the JSON format that is not a call. */
#ifndef DFT_WRITER_ENCODE_JSON_META_H
#define DFT_WRITER_ENCODE_JSON_META_H

#include "writer/encode/encoder.h"

/* Precedes every event except the first. */
#define DFT_JSON_SEPARATOR ",\n"

/* Parts that other formats use as well. There is no comma before their first arg. */
bool dft_json_append_function_args(const struct dft_trace_start *start, uint32_t id,
                                   struct dft_buffer *out);
bool dft_json_append_counter_value(const struct dft_counter *counter, unsigned i,
                                   struct dft_buffer *out);
bool dft_json_append_totals(const struct dft_trace_end *end, struct dft_buffer *out);

/* Appends a comma and the parent of a track, if it has one. */
bool dft_json_append_parent(const struct dft_trace_start *start, int32_t tid,
                            struct dft_buffer *out);

/*
 * Appends the args of an event of the whole process, and nothing for names of threads and for
 * counters.
 */
bool dft_json_append_event_args(const struct dft_trace_start *start, const struct dft_event *event,
                                struct dft_buffer *out);

/* The `event` function of struct dft_encoder. */
bool dft_json_append_event(const struct dft_trace_start *start, void *state,
                           const struct dft_event *event, struct dft_output *out);

#endif
