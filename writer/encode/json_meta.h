/* Every event of the JSON format that is no call. */
#ifndef DFT_WRITER_ENCODE_JSON_META_H
#define DFT_WRITER_ENCODE_JSON_META_H

#include "writer/encode/encoder.h"

/* Stands before every event but the first. */
#define DFT_JSON_SEPARATOR ",\n"

/* The `event` function of struct dft_encoder. */
bool dft_json_append_event(const struct dft_trace_start *start, void *state,
                           const struct dft_event *event, struct dft_output *out);

#endif
