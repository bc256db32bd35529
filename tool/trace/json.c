/*
 * The JSON scanner. Loops over bytes only, never calls itself, and every step consumes at least one
 * byte or returns.
 */
#include "tool/trace/json.h"

#include <string.h>

void dft_scan_space(struct dft_scanner *scanner)
{
    const char *at = scanner->at;

    while (at < scanner->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    scanner->at = at;
}

enum dft_scan dft_scan_expected(struct dft_scanner *scanner, const char *at, const char *expected)
{
    scanner->fault = at;
    scanner->expected = expected;
    scanner->problem = NULL;
    return DFT_SCAN_BAD;
}

enum dft_scan dft_scan_problem(struct dft_scanner *scanner, const char *at, const char *problem)
{
    scanner->fault = at;
    scanner->expected = NULL;
    scanner->problem = problem;
    return DFT_SCAN_BAD;
}

enum dft_scan dft_scan_peek(struct dft_scanner *scanner, char *byte)
{
    dft_scan_space(scanner);
    if (scanner->at == scanner->end)
        return DFT_SCAN_MORE;
    *byte = *scanner->at;
    return DFT_SCAN_OK;
}

enum dft_scan dft_scan_byte(struct dft_scanner *scanner, char byte, const char *expected)
{
    char found;

    if (dft_scan_peek(scanner, &found) != DFT_SCAN_OK)
        return DFT_SCAN_MORE;
    if (found != byte)
        return dft_scan_expected(scanner, scanner->at, expected);
    scanner->at++;
    return DFT_SCAN_OK;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* `*at` is after the backslash, and in the end after the escape. */
static enum dft_scan check_escape(struct dft_scanner *scanner, const char **at)
{
    static const char expected[] = "one of \" \\ / b f n r t u behind a backslash";

    if (*at == scanner->end)
        return DFT_SCAN_MORE;
    char kind = *(*at)++;
    if (kind != 'u')
        return kind != '\0' && strchr("\"\\/bfnrt", kind)
                   ? DFT_SCAN_OK
                   : dft_scan_expected(scanner, *at - 1, expected);
    for (int i = 0; i < 4; i++, (*at)++) {
        if (*at == scanner->end)
            return DFT_SCAN_MORE;
        if (!is_hex(**at))
            return dft_scan_expected(scanner, *at, "four hexadecimal digits behind \\u");
    }
    return DFT_SCAN_OK;
}

/* A byte that needs no checks: ASCII, but no control character, quote or backslash. */
static inline bool is_plain(char c)
{
    unsigned char byte = (unsigned char)c;

    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

enum dft_scan dft_scan_string(struct dft_scanner *scanner, struct dft_scan_string *string)
{
    enum dft_scan status = dft_scan_byte(scanner, '"', "a string");

    if (status != DFT_SCAN_OK)
        return status;
    const char *begin = scanner->at;
    const char *at = begin;

    scanner->at--; /* where the step began, in case it fails */
    string->plain = true;
    for (;;) {
        while (at < scanner->end && is_plain(*at))
            at++;
        if (at == scanner->end)
            return DFT_SCAN_MORE;
        unsigned char byte = (unsigned char)*at;
        if (byte == '"')
            break;
        if (byte < 0x20)
            return dft_scan_problem(scanner, at, "a control character stands raw in a string");
        at++;
        string->plain = false; /* an escape, or a byte that UTF-8 has to be checked for */
        if (byte == '\\') {
            status = check_escape(scanner, &at);
            if (status != DFT_SCAN_OK)
                return status;
        }
    }
    string->raw = (struct dft_text){begin, (size_t)(at - begin)};
    scanner->at = at + 1;
    return DFT_SCAN_OK;
}

static uint32_t read_hex(const char *digits)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++) {
        char c = digits[i];
        unsigned digit = c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;

        value = value << 4 | digit;
    }
    return value;
}

/* `text` begins with \u and four digits; takes a surrogate pair as one. */
static uint32_t take_unicode_escape(struct dft_text *text)
{
    uint32_t unit = read_hex(text->at + 2);

    text->at += 6;
    text->length -= 6;
    if (unit < 0xD800 || unit > 0xDFFF)
        return unit;
    if (unit < 0xDC00 && text->length >= 6 && text->at[0] == '\\' && text->at[1] == 'u') {
        uint32_t low = read_hex(text->at + 2);

        if (low >= 0xDC00 && low <= 0xDFFF) {
            text->at += 6;
            text->length -= 6;
            return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return 0xFFFD; /* half a pair is not a character */
}

static uint32_t take_escape(struct dft_text *text)
{
    static const char kinds[] = "bfnrt";
    static const char values[] = "\b\f\n\r\t";
    char kind = text->at[1];

    if (kind == 'u')
        return take_unicode_escape(text);
    const char *known = strchr(kinds, kind);
    text->at += 2;
    text->length -= 2;
    return (unsigned char)(known ? values[known - kinds] : kind);
}

struct dft_text dft_scan_decode(struct dft_scan_string string, struct dft_scratch *scratch)
{
    struct dft_text rest = string.raw;

    if (string.plain)
        return rest;
    /* The worst case is a broken byte that becomes the three bytes of U+FFFD. */
    char *decoded = dft_scratch_take(scratch, rest.length * 3 + 4);
    size_t length = 0;
    while (rest.length > 0) {
        uint32_t code_point = *rest.at == '\\' ? take_escape(&rest) : dft_text_next(&rest);

        length += dft_text_encode(code_point, decoded + length);
    }
    return (struct dft_text){decoded, length};
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* Skips digits at `*at`, at least one. */
static enum dft_scan take_digits(struct dft_scanner *scanner, const char **at)
{
    const char *begin = *at;

    *at = skip_digits(begin, scanner->end);
    if (*at == scanner->end)
        return DFT_SCAN_MORE;
    return *at > begin ? DFT_SCAN_OK : dft_scan_expected(scanner, begin, "a digit");
}

enum dft_scan dft_scan_number(struct dft_scanner *scanner, struct dft_text *token)
{
    char first;

    if (dft_scan_peek(scanner, &first) != DFT_SCAN_OK)
        return DFT_SCAN_MORE;
    const char *begin = scanner->at;
    const char *at = begin + (first == '-');
    const char *digits = at;

    if (first != '-' && (first < '0' || first > '9'))
        return dft_scan_expected(scanner, begin, "a number");
    enum dft_scan status = take_digits(scanner, &at);
    if (status == DFT_SCAN_OK && *digits == '0' && at - digits > 1)
        return dft_scan_problem(scanner, digits, "a number begins with a superfluous zero");
    if (status == DFT_SCAN_OK && *at == '.') {
        at++;
        status = take_digits(scanner, &at);
    }
    if (status == DFT_SCAN_OK && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < scanner->end && (*at == '+' || *at == '-'))
            at++;
        status = take_digits(scanner, &at);
    }
    if (status != DFT_SCAN_OK)
        return status;
    *token = (struct dft_text){begin, (size_t)(at - begin)};
    scanner->at = at;
    return DFT_SCAN_OK;
}

static enum dft_scan take_word(struct dft_scanner *scanner, const char *word)
{
    size_t length = strlen(word);
    size_t there = (size_t)(scanner->end - scanner->at);

    if (memcmp(scanner->at, word, there < length ? there : length) != 0)
        return dft_scan_expected(scanner, scanner->at, "a value");
    if (there < length)
        return DFT_SCAN_MORE;
    scanner->at += length;
    return DFT_SCAN_OK;
}

/* What comes next inside a value that is being skipped. */
enum skip_state {
    SKIP_VALUE,       /* a value must come */
    SKIP_FIRST_VALUE, /* behind '[': a value or ']' */
    SKIP_FIRST_KEY,   /* behind '{': a key or '}' */
    SKIP_KEY,         /* behind ',' in an object */
    SKIP_COLON,
    SKIP_AFTER, /* behind a value inside a container: ',' or its end */
};

static enum dft_scan open_container(struct dft_scanner *scanner, struct dft_scan_skip *skip)
{
    if (skip->depth == DFT_SCAN_DEPTH)
        return dft_scan_problem(scanner, scanner->at, "values are nested too deeply");
    skip->stack[skip->depth++] = *scanner->at;
    skip->state = *scanner->at++ == '[' ? SKIP_FIRST_VALUE : SKIP_FIRST_KEY;
    return DFT_SCAN_OK;
}

static enum dft_scan skip_one_value(struct dft_scanner *scanner, struct dft_scan_skip *skip,
                                    char byte)
{
    struct dft_scan_string string;
    struct dft_text number;
    enum dft_scan status;

    if (byte == '[' || byte == '{')
        return open_container(scanner, skip);
    if (byte == '"')
        status = dft_scan_string(scanner, &string);
    else if (byte == 't')
        status = take_word(scanner, "true");
    else if (byte == 'f')
        status = take_word(scanner, "false");
    else if (byte == 'n')
        status = take_word(scanner, "null");
    else if (byte == '-' || (byte >= '0' && byte <= '9'))
        status = dft_scan_number(scanner, &number);
    else
        return dft_scan_expected(scanner, scanner->at, "a value");
    if (status == DFT_SCAN_OK)
        skip->state = SKIP_AFTER;
    return status;
}

static enum dft_scan skip_after_value(struct dft_scanner *scanner, struct dft_scan_skip *skip,
                                      char byte)
{
    bool in_array = skip->stack[skip->depth - 1] == '[';

    if (byte == ',') {
        skip->state = in_array ? SKIP_VALUE : SKIP_KEY;
    } else if (byte == (in_array ? ']' : '}')) {
        skip->depth--;
    } else {
        return dft_scan_expected(scanner, scanner->at, in_array ? "',' or ']'" : "',' or '}'");
    }
    scanner->at++;
    return DFT_SCAN_OK;
}

static enum dft_scan skip_one_step(struct dft_scanner *scanner, struct dft_scan_skip *skip)
{
    struct dft_scan_string key;
    char byte;
    enum dft_scan status = dft_scan_peek(scanner, &byte);

    if (status != DFT_SCAN_OK)
        return status;
    switch ((enum skip_state)skip->state) {
    case SKIP_FIRST_KEY:
        if (byte == '}') {
            skip->state = SKIP_AFTER;
            return skip_after_value(scanner, skip, byte);
        }
        /* fallthrough */
    case SKIP_KEY:
        if (byte != '"')
            return dft_scan_expected(scanner, scanner->at, "a member's name in quotes");
        status = dft_scan_string(scanner, &key);
        if (status == DFT_SCAN_OK)
            skip->state = SKIP_COLON;
        return status;
    case SKIP_COLON:
        skip->state = SKIP_VALUE;
        return dft_scan_byte(scanner, ':', "':'");
    case SKIP_AFTER:
        return skip_after_value(scanner, skip, byte);
    case SKIP_FIRST_VALUE:
        if (byte == ']') {
            skip->state = SKIP_AFTER;
            return skip_after_value(scanner, skip, byte);
        }
        break;
    case SKIP_VALUE:
        break;
    }
    return skip_one_value(scanner, skip, byte);
}

enum dft_scan dft_scan_skip(struct dft_scanner *scanner, struct dft_scan_skip *skip)
{
    enum dft_scan status;

    do {
        status = skip_one_step(scanner, skip);
    } while (status == DFT_SCAN_OK && !(skip->depth == 0 && skip->state == SKIP_AFTER));
    return status;
}

enum dft_scan dft_scan_value(struct dft_scanner *scanner, struct dft_text *raw)
{
    struct dft_scan_skip skip;
    char byte;

    if (dft_scan_peek(scanner, &byte) != DFT_SCAN_OK)
        return DFT_SCAN_MORE;
    const char *begin = scanner->at;
    skip.depth = 0;
    skip.state = SKIP_VALUE;
    enum dft_scan status = dft_scan_skip(scanner, &skip);
    *raw = (struct dft_text){begin, (size_t)(scanner->at - begin)};
    if (status == DFT_SCAN_MORE)
        scanner->at = begin;
    return status;
}

enum dft_scan dft_scan_member(struct dft_scanner *scanner, bool *first, bool *done,
                              struct dft_scan_string *key)
{
    char byte;
    const char *begin = scanner->at;
    enum dft_scan status = dft_scan_peek(scanner, &byte);

    if (status == DFT_SCAN_OK && byte == '}') {
        scanner->at++;
        *done = true;
        return DFT_SCAN_OK;
    }
    if (status == DFT_SCAN_OK && !*first)
        status = dft_scan_byte(scanner, ',', "',' or '}'");
    if (status == DFT_SCAN_OK)
        status = dft_scan_peek(scanner, &byte);
    if (status == DFT_SCAN_OK && byte != '"')
        status = dft_scan_expected(scanner, scanner->at, "a member's name in quotes");
    if (status == DFT_SCAN_OK)
        status = dft_scan_string(scanner, key);
    if (status == DFT_SCAN_OK)
        status = dft_scan_byte(scanner, ':', "':'");
    if (status == DFT_SCAN_MORE)
        scanner->at = begin;
    if (status == DFT_SCAN_OK)
        *first = false;
    return status;
}
