/*
 * Numbers with a fraction as JSON. Runs in any of the writer's threads. libc prints the digits; the
 * decimal point of the program's locale is replaced.
 */
#include "writer/encode/real.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HALF_SIZE 2u
#define ROOM 40 /* for the longest double, with quotes */

/* Some bit patterns of the x87's 80 bits are not numbers. */
static bool is_number(const unsigned char *bytes)
{
    uint64_t fraction;
    uint16_t exponent;

    memcpy(&fraction, bytes, sizeof fraction);
    memcpy(&exponent, bytes + sizeof fraction, sizeof exponent);
    return (exponent & 0x7fff) == 0 || fraction >> 63;
}

static double read_half(const unsigned char *bytes)
{
    uint16_t bits;

    memcpy(&bits, bytes, sizeof bits);
    int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double value = exponent == 0x1f && fraction ? (double)NAN
                   : exponent == 0x1f           ? (double)INFINITY
                   : exponent == 0              ? ldexp(fraction, -24)
                                                : ldexp(0x400 + fraction, exponent - 25);
    return bits >> 15 ? -value : value;
}

/* Rounds to long double once: when the two parts are added. */
static long double read_quad(const unsigned char *bytes)
{
    unsigned __int128 bits;

    memcpy(&bits, bytes, sizeof bits);
    int exponent = (int)(bits >> 112) & 0x7fff;
    unsigned __int128 fraction = bits << 16 >> 16;
    long double value;
    if (exponent == 0x7fff) {
        value = fraction ? (long double)NAN : (long double)INFINITY;
    } else {
        if (exponent > 0)
            fraction |= (unsigned __int128)1 << 112;
        int last = (exponent > 0 ? exponent : 1) - 16383 - 112;
        value = ldexpl((long double)(uint64_t)(fraction >> 64), last + 64) +
                ldexpl((long double)(uint64_t)fraction, last);
    }
    return bits >> 127 ? -value : value;
}

static long double read_real(const unsigned char *bytes, unsigned size)
{
    float single;
    double twice;
    long double extended = 0;
    unsigned char whole[sizeof extended] = {0};

    if (size == HALF_SIZE)
        return read_half(bytes);
    if (size == sizeof single) {
        memcpy(&single, bytes, sizeof single);
        return single;
    }
    if (size == sizeof twice) {
        memcpy(&twice, bytes, sizeof twice);
        return twice;
    }
    /* A damaged description may name any size. */
    memcpy(whole, bytes, size < sizeof whole ? size : sizeof whole);
    if (!is_number(whole))
        return (long double)NAN;
    memcpy(&extended, whole, sizeof extended);
    return extended;
}

/*
 * Prints the shortest text that reads back as the value. For subnormal numbers, fewer digits than
 * the usual minimum may be enough.
 */
static void print_shortest(char text[ROOM], double value, bool is_float)
{
    int digits = is_float ? 6 : 15, most = is_float ? 9 : 17;

    if (fabs(value) < (is_float ? (double)FLT_MIN : DBL_MIN))
        digits = 1;
    for (;; digits++) {
        snprintf(text, ROOM, "%.*g", digits, value);
        if (digits == most || (is_float ? (double)strtof(text, NULL) : strtod(text, NULL)) == value)
            return;
    }
}

static bool is_part_of_number(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e';
}

/* Replaces the locale's decimal point, and adds `.0` if there is neither point nor exponent. */
static void put_number(struct dft_buffer *out, const char *text)
{
    bool has_point = false, has_exponent = false;

    for (; *text; text++) {
        has_exponent |= *text == 'e';
        if (is_part_of_number(*text)) {
            dft_put_bytes(out, text, 1);
        } else if (!has_point) {
            DFT_PUT_LITERAL(out, ".");
            has_point = true;
        }
    }
    if (!has_point && !has_exponent)
        DFT_PUT_LITERAL(out, ".0");
}

static bool append_real(struct dft_buffer *buffer, double value, bool is_float)
{
    char text[ROOM];

    if (isnan(value))
        return dft_append_text(buffer, "\"NaN\"");
    if (isinf(value))
        return dft_append_text(buffer, value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    if (!dft_buffer_reserve(buffer, ROOM))
        return false;
    print_shortest(text, value, is_float);
    put_number(buffer, text);
    return true;
}

bool dft_append_json_real(struct dft_buffer *buffer, const unsigned char *bytes, unsigned size)
{
    /* A value of 2 bytes is shown as the float that it is equal to. */
    return append_real(buffer, (double)read_real(bytes, size), size <= sizeof(float));
}

bool dft_append_json_quad(struct dft_buffer *buffer, const unsigned char *bytes)
{
    return append_real(buffer, (double)read_quad(bytes), false);
}
