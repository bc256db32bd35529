/*
 * Debug annotations: the args of an event in Perfetto's format. All functions return false if
 * memory is exhausted.
 */
#ifndef DFT_WRITER_ENCODE_ANNOTATIONS_H
#define DFT_WRITER_ENCODE_ANNOTATIONS_H

#include "writer/encode/encoder.h"
#include "writer/encode/interned.h"

struct dft_annotations {
    struct dft_buffer *out;        /* a message TrackEvent */
    struct dft_interned *interned; /* NULL: nothing is interned */
    struct dft_buffer *scratch;    /* for text without escapes */
};

/* Appends args that are JSON made by this writer: `"key":value`, separated by commas. */
bool dft_annotate_json(const struct dft_annotations *to, const char *json, size_t length);

/* Appends the fields of an event. */
bool dft_annotate_fields(const struct dft_annotations *to, const struct dft_trace_start *start,
                         const struct dft_attached *attached);

bool dft_annotate_number(const struct dft_annotations *to, const char *key, uint64_t value);
bool dft_annotate_text(const struct dft_annotations *to, const char *key, const char *text);

#endif
