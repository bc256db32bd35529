/*
 * Pieces of JSON text. Each function reserves its own room and returns false if memory is
 * exhausted.
 */
#ifndef DFT_WRITER_ENCODE_JSON_TEXT_H
#define DFT_WRITER_ENCODE_JSON_TEXT_H

#include "writer/buffer.h"

/* Appends a string with its quotes. Bytes that are not valid UTF-8 become U+FFFD. */
bool dft_json_append_string(struct dft_buffer *out, const char *text);
bool dft_json_append_bytes(struct dft_buffer *out, const char *text, size_t length);

/* Each appends `before` as it is (usually a comma and a key), then the value. */
bool dft_json_append_text(struct dft_buffer *out, const char *before, const char *text);
bool dft_json_append_unsigned(struct dft_buffer *out, const char *before, uint64_t value);
bool dft_json_append_signed(struct dft_buffer *out, const char *before, int64_t value);

/* A number that does not fit into 64 bits with a sign becomes a string: readers would round it. */
bool dft_json_append_any_unsigned(struct dft_buffer *out, uint64_t value);

/* As a string with hexadecimal digits. */
bool dft_json_append_hex(struct dft_buffer *out, uint64_t number);

/* A string of which only the beginning is known: it ends with DFT_CUT_MARK. */
#define DFT_CUT_MARK "\xe2\x80\xa6"
bool dft_json_append_cut(struct dft_buffer *out, const char *text, size_t length);

/* The length of cut text without an incomplete character at its end. */
size_t dft_whole_characters(const char *text, size_t length);

/* Nanoseconds as microseconds with three decimals. */
bool dft_json_append_time(struct dft_buffer *out, const char *before, uint64_t ns);

/* Tenths as a number with one decimal. */
bool dft_json_append_tenths(struct dft_buffer *out, const char *before, uint64_t tenths);

/* The wall clock as "2026-01-31T23:59:59Z". */
bool dft_json_append_date(struct dft_buffer *out, const char *before, uint64_t realtime_ns);

/* Thousandths as a number without zeros at its end. */
bool dft_json_append_thousandths(struct dft_buffer *out, const char *before, uint32_t thousandths);

#endif
