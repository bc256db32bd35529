/*
 * The only UTF-8 decoder. Inline and without state, because the runtime, the writer, the plugins
 * and the tool use it.
 */
#ifndef DFT_TEXT_UTF8_H
#define DFT_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the character at the beginning of `text`, which is not empty. Returns whether the
 * character is well formed: no overlong form, surrogate or value above U+10FFFF. `size` becomes the
 * number of its bytes. If the character is malformed, `size` becomes the length of the longest
 * prefix that could begin a well-formed character, but at least 1.
 */
static inline bool dft_utf8_read(const char *text, size_t length, uint32_t *point, size_t *size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned char first = bytes[0];
    /* The second byte's range excludes overlong forms, surrogates and what is above U+10FFFF. */
    unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    size_t whole = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    *size = 1;
    *point = first;
    if (first < 0x80)
        return true;
    if (first < 0xc2 || first > 0xf4)
        return false;
    *point = first & (0x7fu >> whole);
    for (; *size < whole; ++*size) {
        if (*size == length || bytes[*size] < low || bytes[*size] > high)
            return false;
        *point = *point << 6 | (bytes[*size] & 0x3fu);
        low = 0x80;
        high = 0xbf;
    }
    return true;
}

#endif
