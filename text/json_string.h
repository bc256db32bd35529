/*
 * The only JSON escaper. Inline and without state, because the writer, the plugins and the tool use
 * it, each with its own kind of output.
 */
#ifndef DFT_TEXT_JSON_STRING_H
#define DFT_TEXT_JSON_STRING_H

#include "text/utf8.h"

#include <string.h>

/* One character becomes at most this many bytes, and a text at most this many times its length. */
#define DFT_JSON_CHARACTER_MAX 6

/*
 * Takes one character off the front of `*text`, which is not empty, and writes the form that it has
 * inside a JSON string. Malformed UTF-8 becomes U+FFFD. Returns how many bytes were written;
 * `point` becomes the character's code point.
 */
static inline size_t dft_json_take_character(const char **text, size_t *length,
                                             char out[DFT_JSON_CHARACTER_MAX], uint32_t *point)
{
    static const char hex[] = "0123456789abcdef";
    static const char replacement[3] = {'\xef', '\xbf', '\xbd'}; /* U+FFFD */
    static const char escape[4] = {'\\', 'u', '0', '0'};
    const char *at = *text;
    size_t size;
    bool is_valid = dft_utf8_read(at, *length, point, &size);

    *text += size;
    *length -= size;
    if (!is_valid) {
        *point = 0xfffd;
        memcpy(out, replacement, sizeof replacement);
        return sizeof replacement;
    }
    if (*point == '"' || *point == '\\') {
        out[0] = '\\';
        out[1] = *at;
        return 2;
    }
    if (*point < 0x20 || *point == 0x7f) {
        memcpy(out, escape, sizeof escape);
        out[4] = hex[*point >> 4];
        out[5] = hex[*point & 15];
        return 6;
    }
    memcpy(out, at, size);
    return size;
}

#endif
