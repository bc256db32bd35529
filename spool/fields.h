/*
 * Fields: the values of a program's own events, as one attachment (DFT_ATTACHMENT_FIELDS). Runtime
 * and writer share this encoding. Like format.h, it is part of the spool's format. Pure functions;
 * any thread, signal handlers included.
 *
 * Fields follow each other. Each begins with a head of four bytes: its type in the lowest byte, and
 * above it the number of its key's entry in the site table, or one of the two constants below.
 *
 *   INT, UINT, DOUBLE, POINTER   eight bytes
 *   TEXT                         the length in four bytes, then the bytes, padded to a multiple of
 *                                4; the highest bit of the length is set if the text was cut
 *   SHORT                        four bytes: an INT, which is what readers see
 *   NAME                         a text that is a name in the site table: its number in four bytes
 *   NULL, FALSE, TRUE            nothing
 *   LIST, MAP                    nothing; the fields up to the matching END are inside, or all that
 *                                follow
 *   END                          nothing
 */
#ifndef DFT_SPOOL_FIELDS_H
#define DFT_SPOOL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dft_field_type {
    DFT_FIELD_NULL = 1,
    DFT_FIELD_FALSE,
    DFT_FIELD_TRUE,
    DFT_FIELD_INT,
    DFT_FIELD_UINT,
    DFT_FIELD_DOUBLE,
    DFT_FIELD_POINTER,
    DFT_FIELD_TEXT,
    DFT_FIELD_LIST,
    DFT_FIELD_MAP,
    DFT_FIELD_END,
    DFT_FIELD_NAME,
    DFT_FIELD_SHORT,
};

#define DFT_FIELD_NO_KEY 0u /* inside a list, and END */
#define DFT_FIELD_INLINE_KEY                                                                       \
    0xffffffu                  /* behind the head: its length in four bytes, then the key, padded */
#define DFT_FIELD_DEPTH_MAX 16 /* of nested lists and maps */

/* A place to write fields to. `room` is set to 0 by the first field that does not fit. */
struct dft_fields {
    unsigned char *at;
    size_t room;
};

/* The key of a field: its number, or its text if the number is DFT_FIELD_INLINE_KEY. */
struct dft_field_key {
    uint32_t number;
    uint32_t length;
    const char *text;
};

/* Each appends one field. False if the field does not fit. */
bool dft_fields_put(struct dft_fields *fields, struct dft_field_key key, enum dft_field_type type,
                    uint64_t bits);
bool dft_fields_put_name(struct dft_fields *fields, struct dft_field_key key, uint32_t number);
/* A text that is too long for the room is cut, if at least a few bytes of it fit. */
bool dft_fields_put_text(struct dft_fields *fields, struct dft_field_key key, const char *text,
                         size_t length);

/* One field as a reader sees it. */
struct dft_field_view {
    enum dft_field_type type;
    struct dft_field_key key;
    uint64_t bits; /* INT, UINT, DOUBLE, POINTER; NAME: the number */
    const char *text;
    uint32_t length;
    bool is_cut;
};

/* Reads the field at `*at` and advances `*at`. False at the end, or if the data is damaged. */
bool dft_fields_next(const unsigned char **at, const unsigned char *end,
                     struct dft_field_view *view);

#endif
