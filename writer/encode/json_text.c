/* Pieces of JSON text: see json_text.h. Pure; runs in any of the writer's threads. */
#include "writer/encode/json_text.h"

#include "text/json_string.h"

#include <stdio.h>

#define NUMBER_ROOM 24

bool dft_json_append_bytes(struct dft_buffer *out, const char *text, size_t size)
{
    char escaped[DFT_JSON_CHARACTER_MAX];
    uint32_t point;

    if (!dft_buffer_reserve(out, size * DFT_JSON_CHARACTER_MAX + 2))
        return false;
    DFT_PUT_LITERAL(out, "\"");
    while (size > 0) {
        size_t length = dft_json_take_character(&text, &size, escaped, &point);
        dft_put_bytes(out, escaped, length);
    }
    DFT_PUT_LITERAL(out, "\"");
    return true;
}

bool dft_json_append_string(struct dft_buffer *out, const char *text)
{
    return dft_json_append_bytes(out, text, strlen(text));
}

bool dft_json_append_text(struct dft_buffer *out, const char *before, const char *text)
{
    return dft_append_text(out, before) && dft_json_append_string(out, text);
}

bool dft_json_append_unsigned(struct dft_buffer *out, const char *before, uint64_t value)
{
    if (!dft_append_text(out, before) || !dft_buffer_reserve(out, NUMBER_ROOM))
        return false;
    dft_put_unsigned(out, value);
    return true;
}

bool dft_json_append_signed(struct dft_buffer *out, const char *before, int64_t value)
{
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;

    return dft_append_text(out, before) &&
           dft_json_append_unsigned(out, value < 0 ? "-" : "", magnitude);
}

bool dft_json_append_time(struct dft_buffer *out, const char *before, uint64_t ns)
{
    if (!dft_append_text(out, before) || !dft_buffer_reserve(out, NUMBER_ROOM))
        return false;
    dft_put_microseconds(out, ns);
    return true;
}

bool dft_json_append_tenths(struct dft_buffer *out, const char *before, uint64_t tenths)
{
    return dft_json_append_unsigned(out, before, tenths / 10) &&
           dft_json_append_unsigned(out, ".", tenths % 10);
}

/* Not gmtime_r: it takes a lock that the traced program may hold. Days are counted from March. */
bool dft_json_append_date(struct dft_buffer *out, const char *before, uint64_t realtime_ns)
{
    char date[40];
    uint64_t seconds = realtime_ns / 1000000000u;
    unsigned clock = (unsigned)(seconds % 86400);
    uint64_t days = seconds / 86400 + 719468;
    unsigned era_day = (unsigned)(days % 146097);
    unsigned era_year = (era_day - era_day / 1460 + era_day / 36524 - era_day / 146096) / 365;
    unsigned year_day = era_day - (365 * era_year + era_year / 4 - era_year / 100);
    unsigned month = (5 * year_day + 2) / 153;

    snprintf(date, sizeof date, "%04u-%02u-%02uT%02u:%02u:%02uZ",
             (unsigned)(days / 146097) * 400 + era_year + (month >= 10),
             month < 10 ? month + 3 : month - 9, year_day - (153 * month + 2) / 5 + 1, clock / 3600,
             clock / 60 % 60, clock % 60);
    return dft_json_append_text(out, before, date);
}

bool dft_json_append_thousandths(struct dft_buffer *out, const char *before, uint32_t thousandths)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%u.%03u", thousandths / 1000, thousandths % 1000);

    while (length > 0 && text[length - 1] == '0')
        length--;
    text[length > 0 && text[length - 1] == '.' ? length - 1 : length] = '\0';
    return dft_append_text(out, before) && dft_append_text(out, text);
}

bool dft_json_append_any_unsigned(struct dft_buffer *out, uint64_t value)
{
    bool is_large = value > INT64_MAX;

    return dft_json_append_unsigned(out, is_large ? "\"" : "", value) &&
           (!is_large || dft_append_text(out, "\""));
}

bool dft_json_append_hex(struct dft_buffer *out, uint64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "\"0x%llx\"", (unsigned long long)number);
    return dft_append_text(out, text);
}

size_t dft_whole_characters(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t begin = length;

    while (begin > 0 && length - begin < 3 && (bytes[begin - 1] & 0xc0) == 0x80)
        begin--;
    if (begin == 0 || bytes[begin - 1] < 0xc2)
        return length;
    size_t wanted = bytes[begin - 1] < 0xe0 ? 2 : bytes[begin - 1] < 0xf0 ? 3 : 4;
    return length - begin + 1 < wanted ? begin - 1 : length;
}

bool dft_json_append_cut(struct dft_buffer *out, const char *text, size_t length)
{
    if (!dft_json_append_bytes(out, text, dft_whole_characters(text, length)))
        return false;
    out->used--; /* the closing quote comes after the mark */
    return dft_append_text(out, DFT_CUT_MARK "\"");
}
