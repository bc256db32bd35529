/* What a call has besides its time, in its JSON event. All return false when memory is out. */
#ifndef DFT_WRITER_ENCODE_JSON_ARGS_H
#define DFT_WRITER_ENCODE_JSON_ARGS_H

#include "writer/encode/encoder.h"

/* Members of the event's args, each behind a comma. */
bool dft_json_append_attached_args(const struct dft_call *call, const struct dft_attached *attached,
                                   struct dft_buffer *out);

/* Members of the event itself, each behind a comma. */
bool dft_json_append_attached_fields(const struct dft_call *call,
                                     const struct dft_attached *attached, struct dft_buffer *out);

/* Behind a comma, the member "values" of the event's args; nothing where the call has none. */
bool dft_json_append_values(const struct dft_trace_start *start, const struct dft_call *call,
                            const struct dft_attached *attached, struct dft_buffer *out);

#endif
