/* Calls that are added up, as JSON events. */
#ifndef DFT_WRITER_ENCODE_JSON_AGGREGATE_H
#define DFT_WRITER_ENCODE_JSON_AGGREGATE_H

#include "writer/encode/encoder.h"

bool dft_json_append_aggregate(const struct dft_trace_info *info,
                               const struct dft_aggregate *aggregate, struct dft_buffer *out);
bool dft_json_append_switch(const struct dft_trace_info *info, const struct dft_switch *switched,
                            struct dft_buffer *out);

#endif
