/*
 * Exact decimal numbers: microseconds with decimals become nanoseconds without passing through a
 * double, which would lose the last digits of a machine's uptime.
 */
#include "tool/trace/json.h"

#include <string.h>

/* With a larger exponent, the value is 0 or out of range in any case. */
#define EXPONENT_LIMIT 100000

/* Digits before the point: as nanoseconds they fit into 63 bits. */
#define MICROSECONDS_DIGITS 15u

struct decimal {
    uint64_t digits; /* value = digits * 10^exponent */
    int64_t exponent;
    bool full;     /* `digits` has no room for another digit */
    unsigned next; /* the first digit without room */
    bool dropped;  /* whether any of those was not 0 */
};

static void add_digit(struct decimal *number, unsigned digit, bool is_fraction)
{
    if (!number->full && number->digits <= (UINT64_MAX - 9) / 10) {
        number->digits = number->digits * 10 + digit;
        number->exponent -= is_fraction;
        return;
    }
    if (!number->full)
        number->next = digit;
    number->full = true;
    number->dropped |= digit != 0;
    number->exponent += !is_fraction;
}

static int64_t read_exponent(const char *at, const char *end)
{
    bool negative = *at == '-';
    int64_t value = 0;

    if (*at == '-' || *at == '+')
        at++;
    for (; at < end; at++)
        value = value < EXPONENT_LIMIT ? value * 10 + (*at - '0') : value;
    return negative ? -value : value;
}

static struct decimal read_decimal(const char *at, const char *end)
{
    struct decimal number = {0};
    bool is_fraction = false;

    for (; at < end; at++) {
        if (*at == '.') {
            is_fraction = true;
        } else if (*at == 'e' || *at == 'E') {
            number.exponent += read_exponent(at + 1, end);
            break;
        } else {
            add_digit(&number, (unsigned)(*at - '0'), is_fraction);
        }
    }
    return number;
}

/* Divides by 10^power; half a unit counts as a whole one. */
static uint64_t divide_rounding(uint64_t digits, int64_t power, bool *rounded)
{
    unsigned last = 0;

    for (; power > 0 && (digits > 0 || last > 0); power--) {
        last = (unsigned)(digits % 10);
        *rounded |= last != 0;
        digits /= 10;
    }
    return digits + (last >= 5);
}

bool dft_number_scale(struct dft_text token, int power, int64_t *value, bool *rounded)
{
    const char *end = token.at + token.length;
    bool negative = token.length > 0 && *token.at == '-';
    struct decimal number = read_decimal(token.at + negative, end);
    int64_t exponent = number.exponent + power;
    uint64_t scaled = number.digits;

    *rounded = number.dropped;
    if (exponent < 0) {
        scaled = divide_rounding(scaled, -exponent, rounded);
    } else if (exponent == 0) {
        scaled += number.next >= 5;
    } else {
        for (; exponent > 0 && scaled > 0; exponent--) {
            if (__builtin_mul_overflow(scaled, (uint64_t)10, &scaled))
                return false;
        }
    }
    if (scaled > (uint64_t)INT64_MAX)
        return false;
    *value = negative ? -(int64_t)scaled : (int64_t)scaled;
    return true;
}

bool dft_scan_microseconds(struct dft_scanner *scanner, int64_t *nanoseconds)
{
    const char *at = scanner->at;
    size_t room = (size_t)(scanner->end - at);
    const char *most = at + (room < MICROSECONDS_DIGITS ? room : MICROSECONDS_DIGITS);
    int64_t value = 0;

    while (at < most && *at >= '0' && *at <= '9')
        value = value * 10 + (*at++ - '0');
    size_t whole = (size_t)(at - scanner->at);
    if (whole == 0 || (whole > 1 && *scanner->at == '0') || scanner->end - at < 5 || *at++ != '.')
        return false;
    for (int i = 0; i < 3; i++) {
        if (*at < '0' || *at > '9')
            return false;
        value = value * 10 + (*at++ - '0');
    }
    if (*at != ',' && *at != '}')
        return false;
    scanner->at = at;
    *nanoseconds = value;
    return true;
}
