/*
 * The parts of a call's JSON event besides its time. All functions return false if memory is
 * exhausted.
 */
#ifndef DFT_WRITER_ENCODE_JSON_ARGS_H
#define DFT_WRITER_ENCODE_JSON_ARGS_H

#include "writer/encode/encoder.h"

/* Appends fields of the event's args, each after a comma. */
bool dft_json_append_attached_args(const struct dft_call *call, const struct dft_attached *attached,
                                   struct dft_buffer *out);

/* Finds the sample of a call. The CPU time is at most the duration. */
bool dft_attached_sample(const struct dft_call *call, const struct dft_attached *attached,
                         struct dft_sample *sample);

/* Appends fields of the event itself, each after a comma. */
bool dft_json_append_attached_fields(const struct dft_call *call,
                                     const struct dft_attached *attached, struct dft_buffer *out);

/* Appends a comma and the field "values" of the event's args; nothing if the call has no values. */
bool dft_json_append_values(const struct dft_trace_start *start, const struct dft_call *call,
                            const struct dft_attached *attached, struct dft_buffer *out);

#endif
