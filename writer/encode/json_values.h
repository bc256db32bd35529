/* Values that the program has given its events, as JSON. */
#ifndef DFT_WRITER_ENCODE_JSON_VALUES_H
#define DFT_WRITER_ENCODE_JSON_VALUES_H

#include "writer/encode/encoder.h"

/* Appends the fields of an event, each after a comma. */
bool dft_json_append_fields(const struct dft_trace_start *start,
                            const struct dft_attached *attached, struct dft_buffer *out);

/* The same, but names of files are appended by this function, each after a comma. */
typedef bool dft_json_append_file(const struct dft_encoder_field *field, struct dft_buffer *out);
bool dft_json_append_fields_with(const struct dft_trace_start *start,
                                 const struct dft_attached *attached,
                                 dft_json_append_file *append_file, struct dft_buffer *out);

/* Appends the first field, after a comma, as `"name":KEY,"value":VALUE`. */
bool dft_json_append_first_field(const struct dft_trace_start *start,
                                 const struct dft_attached *attached, struct dft_buffer *out);

/* Appends the value of a counter, after its key: the unit, or "value". */
bool dft_json_append_program_counter(const struct dft_event_name *name,
                                     const struct dft_attached *attached, struct dft_buffer *out);

/* Appends an event of the program that is not a call. */
bool dft_json_append_program_event(const struct dft_trace_start *start,
                                   const struct dft_call *event,
                                   const struct dft_attached *attached, struct dft_buffer *out);

#endif
