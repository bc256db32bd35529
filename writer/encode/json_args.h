/* The arguments and the result of a call in its JSON event. */
#ifndef DFT_WRITER_ENCODE_JSON_ARGS_H
#define DFT_WRITER_ENCODE_JSON_ARGS_H

#include "writer/encode/encoder.h"

/*
 * Behind a comma, the member "values" of the event's args; nothing where the call has none. False
 * when memory is out.
 */
bool dft_json_append_values(const struct dft_trace_info *info, const struct dft_call *call,
                            const struct dft_attached *attached, struct dft_buffer *out);

#endif
