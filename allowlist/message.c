/*
 * Error messages for rejected allowlists, and the UTF-8 decoder that positions and quotations need.
 *
 * Stateless. Prints nothing: the caller has the error and knows the file name.
 */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void dft_message_set(struct dft_allowlist_error *error, unsigned line, unsigned column,
                     const char *format, ...)
{
    if (!error)
        return;
    error->line = line;
    error->column = column;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
}

size_t dft_utf8_decode(const char *text, size_t length, uint32_t *point)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    if (length == 0)
        return 0;
    if (bytes[0] < 0x80) {
        *point = bytes[0];
        return 1;
    }
    size_t size = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || size > length)
        return 0;
    uint32_t value = bytes[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (value < smallest[size] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *point = value;
    return size;
}

struct dft_quoted dft_message_quote(const char *text, size_t length)
{
    struct dft_quoted quoted;
    const size_t room = sizeof quoted.text - sizeof "...";
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        uint32_t point = 0;
        size_t size = dft_utf8_decode(text + i, length - i, &point);
        bool is_shown = size > 0 && point >= 0x20 && !(point >= 0x7f && point < 0xa0);
        size_t needed = is_shown ? size : strlen("\\xff");
        if (used + needed > room) {
            memcpy(quoted.text + used, "...", 3);
            used += 3;
            break;
        }
        if (is_shown) {
            memcpy(quoted.text + used, text + i, size);
            i += size;
        } else {
            char escape[8];
            snprintf(escape, sizeof escape, "\\x%02x", (unsigned char)text[i]);
            memcpy(quoted.text + used, escape, needed);
            i++;
        }
        used += needed;
    }
    quoted.text[used] = '\0';
    return quoted;
}

enum { WORD_MAX = 15 };

/* The number of edits between two words; swapping two neighbours is one edit. */
static unsigned edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned d[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= a_length; i++)
        d[i][0] = (unsigned)i;
    for (size_t j = 0; j <= b_length; j++)
        d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        for (size_t j = 1; j <= b_length; j++) {
            unsigned best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (is_swap && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[a_length][b_length];
}

const char *dft_message_nearest(const char *word, size_t length, const char *const *words,
                                size_t count)
{
    const char *nearest = NULL;
    unsigned least = 3; /* a word three edits away is not suggested */
    if (length > WORD_MAX)
        return NULL;
    char lower[WORD_MAX];
    for (size_t i = 0; i < length; i++)
        lower[i] = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] - 'A' + 'a') : word[i];
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(words[i]);
        unsigned distance = edit_distance(lower, length, words[i], size);
        if (distance < least && distance < size) {
            least = distance;
            nearest = words[i];
        }
    }
    return nearest;
}
