/*
 * Text with a length, as it comes from untrusted files: it may be malformed UTF-8 and may contain
 * NUL.
 *
 * Every name is printed through these functions, so that no control character in a name reaches a
 * terminal, and columns line up in every script.
 */
#ifndef DFT_TOOL_BASE_TEXT_H
#define DFT_TOOL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct dft_text {
    const char *at;
    size_t length;
};

/* Inline, so that the length of a literal costs nothing. */
static inline struct dft_text dft_text(const char *string)
{
    return (struct dft_text){string, strlen(string)};
}

static inline bool dft_text_equal(struct dft_text a, struct dft_text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

static inline bool dft_text_is(struct dft_text text, const char *string)
{
    return dft_text_equal(text, dft_text(string));
}

static inline bool dft_text_ends_with(struct dft_text text, const char *string)
{
    struct dft_text end = dft_text(string);

    return text.length >= end.length &&
           memcmp(text.at + text.length - end.length, end.at, end.length) == 0;
}

/* Makes a copy, followed by a NUL; frees it. */
struct dft_text dft_text_copy(struct dft_text text);
void dft_text_free(struct dft_text text);

/*
 * Takes one code point off the front. A byte sequence that is not UTF-8 gives U+FFFD, one for each
 * maximal piece of a sequence, as the Unicode standard recommends. `text` must not be empty.
 */
uint32_t dft_text_next(struct dft_text *text);

/* Writes 1 to 4 bytes, returns how many. */
size_t dft_text_encode(uint32_t code_point, char out[4]);

/* Columns that the visible form takes. */
size_t dft_text_width(struct dft_text text);

/* Control and bidirectional characters as \n, \x1b, \u202e; everything else as it is. */
void dft_text_print_visible(FILE *out, struct dft_text text);

enum dft_cut {
    DFT_CUT_MIDDLE, /* begin…end: names */
    DFT_CUT_FRONT,  /* …end: paths */
    DFT_CUT_END,    /* begin…: prose */
};

/* Visible form, cut to `width` columns where it is wider. Returns the columns that it took. */
size_t dft_text_print_cut(FILE *out, struct dft_text text, size_t width, enum dft_cut cut);

/* As it is, with U+FFFD for what is not UTF-8. */
void dft_text_print_utf8(FILE *out, struct dft_text text);

/* A JSON string with its quotes, always valid UTF-8. */
void dft_text_print_json(FILE *out, struct dft_text text);

/* As it is where a POSIX shell reads it as one plain word, otherwise in quotes. */
void dft_text_print_shell(FILE *out, struct dft_text text);

#endif
