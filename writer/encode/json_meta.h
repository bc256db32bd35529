/* What is known of a function, as a JSON event. */
#ifndef DFT_WRITER_ENCODE_JSON_META_H
#define DFT_WRITER_ENCODE_JSON_META_H

#include "writer/encode/encoder.h"

/* The event for site `id`; nothing where there is none. False when memory is out. */
bool dft_json_append_function(const struct dft_trace_info *info, uint32_t id,
                              struct dft_buffer *out);

#endif
