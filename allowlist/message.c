/*
 * Error messages for rejected allowlists, and the UTF-8 decoder that positions and quotations need.
 *
 * Stateless. Prints nothing: the caller has the error and knows the file name.
 */
#include "internal.h"
#include "text/edit_distance.h"
#include "text/utf8.h"

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
    size_t size;
    return length > 0 && dft_utf8_read(text, length, point, &size) ? size : 0;
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

enum { WORD_MAX = 40 };

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
        unsigned distance = dft_edit_distance(lower, length, words[i], size);
        if (distance < least && distance < size) {
            least = distance;
            nearest = words[i];
        }
    }
    return nearest;
}
