/*
 * Numbers with a fraction as JSON. Runs in any of the writer's threads.
 *
 * The digits are libc's, whatever the program's locale puts between them; the rest is ours.
 */
#include "writer/encode/real.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DIGITS_MOST 21
#define HALF_SIZE 2u
#define ZEROS_MOST 5 /* before the first digit, or the number gets an exponent */

/* 0.DIGITS times ten to the `point`. */
struct decimal {
    char digits[DIGITS_MOST];
    int count;
    int point;
};

/* A bit pattern of 80 bits may be no number at all. */
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

/* Rounded once, where its parts are added. */
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

static bool is_same(const char *text, long double value, unsigned size)
{
    long double read = size == sizeof(float)    ? (long double)strtof(text, NULL)
                       : size == sizeof(double) ? (long double)strtod(text, NULL)
                                                : strtold(text, NULL);
    return read == value;
}

/* Takes the digits out of "d.ddde+dd", and the zeros off their end. */
static struct decimal read_digits(const char *text)
{
    struct decimal decimal = {.count = 0};

    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && decimal.count < DIGITS_MOST)
            decimal.digits[decimal.count++] = *text;
    while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0')
        decimal.count--;
    decimal.point = (*text ? (int)strtol(text + 1, NULL, 10) : 0) + 1;
    return decimal;
}

/* The shortest one that reads back as the value, which is finite and not negative. */
static struct decimal make_decimal(long double value, unsigned size)
{
    int digits = size == sizeof(float) ? 6 : size == sizeof(double) ? 15 : 18;
    char text[64];

    /* The smallest numbers have fewer digits. */
    if (value < (size == sizeof(float)    ? (long double)FLT_MIN
                 : size == sizeof(double) ? (long double)DBL_MIN
                                          : LDBL_MIN))
        digits = 1;

    for (;; digits++) {
        snprintf(text, sizeof text, "%.*Le", digits - 1, value);
        if (digits == DIGITS_MOST || is_same(text, value, size))
            return read_digits(text);
    }
}

static void put_digits(struct dft_buffer *out, const struct decimal *decimal, int from, int to)
{
    for (int i = from; i < to; i++)
        dft_put_bytes(out, i < decimal->count ? &decimal->digits[i] : "0", 1);
}

static void put_decimal(struct dft_buffer *out, const struct decimal *decimal)
{
    int point = decimal->point, count = decimal->count;

    if (point > -ZEROS_MOST && point <= 0) {
        DFT_PUT_LITERAL(out, "0.");
        for (int i = point; i < 0; i++)
            DFT_PUT_LITERAL(out, "0");
        put_digits(out, decimal, 0, count);
    } else if (point > 0 && point <= DIGITS_MOST) {
        put_digits(out, decimal, 0, point);
        DFT_PUT_LITERAL(out, ".");
        put_digits(out, decimal, point, count > point ? count : point + 1);
    } else {
        char exponent[16];
        put_digits(out, decimal, 0, 1);
        DFT_PUT_LITERAL(out, ".");
        put_digits(out, decimal, 1, count > 1 ? count : 2);
        int length = snprintf(exponent, sizeof exponent, "e%+d", point - 1);
        dft_put_bytes(out, exponent, (size_t)length);
    }
}

static bool append_real(struct dft_buffer *buffer, long double value, unsigned size)
{
    if (isnan(value))
        return dft_append_text(buffer, "\"NaN\"");
    if (isinf(value))
        return dft_append_text(buffer, value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    if (!dft_buffer_reserve(buffer, 64))
        return false;
    /* Perfetto takes numbers for doubles; at one that does not fit, it drops the rest of the args.
     */
    bool fits = fabsl(value) <= (long double)DBL_MAX;
    if (!fits)
        DFT_PUT_LITERAL(buffer, "\"");
    if (signbit(value))
        DFT_PUT_LITERAL(buffer, "-");
    struct decimal decimal = make_decimal(fabsl(value), size);
    put_decimal(buffer, &decimal);
    if (!fits)
        DFT_PUT_LITERAL(buffer, "\"");
    return true;
}

bool dft_append_json_real(struct dft_buffer *buffer, const unsigned char *bytes, unsigned size)
{
    /* Those of 2 bytes are shown as the float that they are equal to. */
    return append_real(buffer, read_real(bytes, size), size == HALF_SIZE ? sizeof(float) : size);
}

bool dft_append_json_quad(struct dft_buffer *buffer, const unsigned char *bytes)
{
    return append_real(buffer, read_quad(bytes), sizeof(long double));
}
