/*
 * UTF-8, display width, and the ways in which text from outside is printed.
 */
#include "tool/base/text.h"

#include "text/json_string.h"
#include "text/utf8.h"

#include "tool/base/tool.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define REPLACEMENT 0xFFFDu

struct dft_text dft_text_copy(struct dft_text text)
{
    return (struct dft_text){dft_tool_copy(text.at, text.length), text.length};
}

void dft_text_free(struct dft_text text)
{
    free((char *)text.at);
}

uint32_t dft_text_next(struct dft_text *text)
{
    uint32_t code_point;
    size_t size;

    if (!dft_utf8_read(text->at, text->length, &code_point, &size))
        code_point = REPLACEMENT;
    text->at += size;
    text->length -= size;
    return code_point;
}

size_t dft_text_encode(uint32_t code_point, char out[4])
{
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = (char)(0xC0 | code_point >> 6);
        out[1] = (char)(0x80 | (code_point & 0x3F));
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = (char)(0xE0 | code_point >> 12);
        out[1] = (char)(0x80 | (code_point >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code_point & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code_point >> 18);
    out[1] = (char)(0x80 | (code_point >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code_point >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code_point & 0x3F));
    return 4;
}

/* Control characters, and characters that change the direction of the text after them. */
static bool is_control(uint32_t code_point)
{
    return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) || code_point == 0x61C ||
           code_point == 0x200E || code_point == 0x200F ||
           (code_point >= 0x2028 && code_point <= 0x202E) ||
           (code_point >= 0x2066 && code_point <= 0x2069);
}

/* The visible form of one code point; returns its columns. */
static size_t show_code_point(uint32_t code_point, char out[16], size_t *length)
{
    static bool located;

    if (is_control(code_point)) {
        const char *format = code_point < 0x100 ? "\\x%02x" : "\\u%04x";

        if (code_point == '\n' || code_point == '\t' || code_point == '\r')
            *length = (size_t)snprintf(out, 16, "\\%c",
                                       code_point == '\n'   ? 'n'
                                       : code_point == '\t' ? 't'
                                                            : 'r');
        else
            *length = (size_t)snprintf(out, 16, format, (unsigned)code_point);
        return *length;
    }
    *length = dft_text_encode(code_point, out);
    if (code_point < 0x80)
        return 1;
    if (!located) {
        /* wcwidth needs a locale with UTF-8. */
        setlocale(LC_CTYPE, "C.UTF-8");
        located = true;
    }
    int width = wcwidth((wchar_t)code_point);
    return width < 0 ? 1 : (size_t)width;
}

size_t dft_text_width(struct dft_text text)
{
    size_t width = 0;
    char shown[16];
    size_t length;

    while (text.length > 0)
        width += show_code_point(dft_text_next(&text), shown, &length);
    return width;
}

void dft_text_print_visible(FILE *out, struct dft_text text)
{
    char shown[16];
    size_t length;

    while (text.length > 0) {
        show_code_point(dft_text_next(&text), shown, &length);
        fwrite(shown, 1, length, out);
    }
}

/* Prints from the front while it fits into `room` columns. */
static size_t print_front(FILE *out, struct dft_text text, size_t room)
{
    size_t taken = 0;
    char shown[16];
    size_t length;

    while (text.length > 0) {
        size_t width = show_code_point(dft_text_next(&text), shown, &length);

        if (taken + width > room)
            break;
        fwrite(shown, 1, length, out);
        taken += width;
    }
    return taken;
}

/* Prints the longest end that fits into `room` columns. */
static size_t print_back(FILE *out, struct dft_text text, size_t room)
{
    size_t width = dft_text_width(text);

    while (width > room && text.length > 0) {
        char shown[16];
        size_t length;

        width -= show_code_point(dft_text_next(&text), shown, &length);
    }
    dft_text_print_visible(out, text);
    return width;
}

size_t dft_text_print_cut(FILE *out, struct dft_text text, size_t width, enum dft_cut cut)
{
    size_t full = dft_text_width(text);
    size_t taken = 1; /* of the ellipsis */

    if (full <= width) {
        dft_text_print_visible(out, text);
        return full;
    }
    if (width == 0)
        return 0;
    size_t room = width - 1;
    size_t front = cut == DFT_CUT_END ? room : cut == DFT_CUT_MIDDLE ? room / 2 : 0;

    taken += print_front(out, text, front);
    fputs("…", out);
    if (cut != DFT_CUT_END)
        taken += print_back(out, text, room - front);
    return taken;
}

void dft_text_print_utf8(FILE *out, struct dft_text text)
{
    char bytes[4];

    while (text.length > 0)
        fwrite(bytes, 1, dft_text_encode(dft_text_next(&text), bytes), out);
}

void dft_text_print_json(FILE *out, struct dft_text text)
{
    fputc('"', out);
    while (text.length > 0) {
        char escaped[DFT_JSON_CHARACTER_MAX];
        uint32_t code_point;
        size_t size = dft_json_take_character(&text.at, &text.length, escaped, &code_point);

        if (size < DFT_JSON_CHARACTER_MAX && is_control(code_point))
            fprintf(out, "\\u%04x", (unsigned)code_point);
        else
            fwrite(escaped, 1, size, out);
    }
    fputc('"', out);
}

void dft_text_print_shell(FILE *out, struct dft_text text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-./=+:,@%";
    size_t safe = 0;

    while (safe < text.length && text.at[safe] != '\0' && strchr(plain, text.at[safe]))
        safe++;
    if (safe == text.length && text.length > 0) {
        fwrite(text.at, 1, text.length, out);
        return;
    }
    fputc('\'', out);
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] == '\'')
            fputs("'\\''", out);
        else
            fputc(text.at[i], out);
    }
    fputc('\'', out);
}
