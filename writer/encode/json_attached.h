/* What the attachments of a call become in its JSON event. */
#ifndef DFT_WRITER_ENCODE_JSON_ATTACHED_H
#define DFT_WRITER_ENCODE_JSON_ATTACHED_H

#include "writer/encode/encoder.h"

/* Members of the event's args, each behind a comma. False when memory is out. */
bool dft_json_append_attached_args(const struct dft_call *call, const struct dft_attached *attached,
                                   struct dft_buffer *out);

/* Members of the event itself, each behind a comma. */
bool dft_json_append_attached_fields(const struct dft_call *call,
                                     const struct dft_attached *attached, struct dft_buffer *out);

#endif
