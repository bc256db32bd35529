/*
 * The JSON scanner, exact numbers and UTF-8 of the tool: what is accepted, what is refused and
 * where, and that text which arrives in pieces is read as if it came at once.
 */
#include "tool/trace/json.h"
#include "unit.h"

#include <stdlib.h>

static struct dft_scanner scan(const char *text)
{
    return (struct dft_scanner){.at = text, .end = text + strlen(text)};
}

static void values_are_accepted_or_refused(void)
{
    static const struct {
        const char *text; /* a space behind it, so that a number has an end */
        enum dft_scan status;
        int fault; /* offset, where it is refused */
    } rows[] = {
        {"null ", DFT_SCAN_OK, 0},
        {"true ", DFT_SCAN_OK, 0},
        {"false ", DFT_SCAN_OK, 0},
        {"-0 ", DFT_SCAN_OK, 0},
        {"12.50e+3 ", DFT_SCAN_OK, 0},
        {"[] ", DFT_SCAN_OK, 0},
        {"{} ", DFT_SCAN_OK, 0},
        {"[1,[2,{\"a\":[]}],\"\\u00e4\"] ", DFT_SCAN_OK, 0},
        {"{\"a\":{\"b\":null},\"c\":[true]} ", DFT_SCAN_OK, 0},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\" ", DFT_SCAN_OK, 0},
        {"tru", DFT_SCAN_MORE, 0},
        {"12", DFT_SCAN_MORE, 0},
        {"\"a", DFT_SCAN_MORE, 0},
        {"\"\\u12", DFT_SCAN_MORE, 0},
        {"[1,", DFT_SCAN_MORE, 0},
        {"{\"a\"", DFT_SCAN_MORE, 0},
        {"", DFT_SCAN_MORE, 0},
        {"trux", DFT_SCAN_BAD, 0},
        {"01 ", DFT_SCAN_BAD, 0},
        {"+1 ", DFT_SCAN_BAD, 0},
        {".5 ", DFT_SCAN_BAD, 0},
        {"1. ", DFT_SCAN_BAD, 2},
        {"1e ", DFT_SCAN_BAD, 2},
        {"-x ", DFT_SCAN_BAD, 1},
        {"NaN ", DFT_SCAN_BAD, 0},
        {"'a' ", DFT_SCAN_BAD, 0},
        {"\"\\x\" ", DFT_SCAN_BAD, 2},
        {"\"\\u12g4\" ", DFT_SCAN_BAD, 5},
        {"\"a\nb\" ", DFT_SCAN_BAD, 2},
        {"[1 2] ", DFT_SCAN_BAD, 3},
        {"[1,] ", DFT_SCAN_BAD, 3},
        {"[,1] ", DFT_SCAN_BAD, 1},
        {"[1} ", DFT_SCAN_BAD, 2},
        {"{\"a\":1] ", DFT_SCAN_BAD, 6},
        {"{\"a\" 1} ", DFT_SCAN_BAD, 5},
        {"{\"a\":1,} ", DFT_SCAN_BAD, 7},
        {"{a:1} ", DFT_SCAN_BAD, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct dft_scanner scanner = scan(rows[i].text);
        struct dft_text raw;

        unit_row = rows[i].text;
        enum dft_scan status = dft_scan_value(&scanner, &raw);
        if (!CHECK_INT(status, rows[i].status))
            continue;
        if (status == DFT_SCAN_OK)
            CHECK_INT(raw.length, strlen(rows[i].text) - 1);
        if (status == DFT_SCAN_MORE)
            CHECK_INT(scanner.at - rows[i].text, 0);
        if (status == DFT_SCAN_BAD)
            CHECK_INT(scanner.fault - rows[i].text, rows[i].fault);
        CHECK(status != DFT_SCAN_BAD || scanner.expected || scanner.problem);
    }
    unit_row = NULL;
}

static void depth_is_limited(void)
{
    char text[2 * DFT_SCAN_DEPTH + 8];
    struct dft_text raw;

    for (int depth = DFT_SCAN_DEPTH; depth <= DFT_SCAN_DEPTH + 1; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        struct dft_scanner scanner = {.at = text, .end = text + 2 * depth};
        enum dft_scan status = dft_scan_value(&scanner, &raw);

        CHECK_INT(status, depth <= DFT_SCAN_DEPTH ? DFT_SCAN_OK : DFT_SCAN_BAD);
        if (status == DFT_SCAN_BAD)
            CHECK_CONTAINS(scanner.problem, "deep");
    }
}

/* Every prefix asks for more, and a skip that is fed byte by byte ends where it should. */
static void pieces_are_as_good_as_the_whole(void)
{
    const char *text = "{\"a\":[1.5e3,\"x\\\"\\u00e4\",{\"b\":[]},true,null],\"\":{}} ";
    size_t length = strlen(text) - 1;
    struct dft_scan_skip skip = {0};
    struct dft_scanner scanner = {.at = text};
    enum dft_scan status = DFT_SCAN_MORE;
    size_t given = 0;
    struct dft_text raw;

    for (size_t size = 0; size < length; size++) {
        struct dft_scanner part = {.at = text, .end = text + size};

        CHECK_INT(dft_scan_value(&part, &raw), DFT_SCAN_MORE);
    }
    while (status == DFT_SCAN_MORE && given < length) {
        scanner.end = text + ++given;
        status = dft_scan_skip(&scanner, &skip);
    }
    CHECK_INT(status, DFT_SCAN_OK);
    CHECK_INT(given, length);
}

static void strings_are_decoded(void)
{
    static const struct {
        const char *json;
        const char *value;
    } rows[] = {
        {"\"\"", ""},
        {"\"plain\"", "plain"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e4\\u20AC\"", "A\xC3\xA4\xE2\x82\xAC"},
        {"\"\\ud83d\\ude00!\"", "\xF0\x9F\x98\x80!"},
        {"\"\\ud83d!\"", "\xEF\xBF\xBD!"},
        {"\"\\ude00\\ud83d\"", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\"\\ud83d\\u0041\"", "\xEF\xBF\xBD"
                               "A"},
        {"\"\xC3\xA4\"", "\xC3\xA4"},
        {"\"a\xFFz\"", "a\xEF\xBF\xBDz"},
        {"\"\xC3\"", "\xEF\xBF\xBD"},
        {"\"\xE2\x82z\"", "\xEF\xBF\xBDz"},
        {"\"\xC0\x80\"", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\"\xED\xA0\x80\"", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\"\xF4\x90\x80\x80\"", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    };
    struct dft_scratch scratch = {0};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct dft_scanner scanner = scan(rows[i].json);
        struct dft_scan_string string;

        unit_row = rows[i].json;
        if (!CHECK_INT(dft_scan_string(&scanner, &string), DFT_SCAN_OK))
            continue;
        struct dft_text value = dft_scan_decode(string, &scratch);
        char *copy = strndup(value.at, value.length);
        CHECK_TEXT(copy, rows[i].value);
        free(copy);
    }
    unit_row = NULL;

    struct dft_scanner scanner = scan("\"a\\u0000b\"");
    struct dft_scan_string string;
    CHECK_INT(dft_scan_string(&scanner, &string), DFT_SCAN_OK);
    struct dft_text value = dft_scan_decode(string, &scratch);
    CHECK_INT(value.length, 3);
    CHECK(memcmp(value.at, "a\0b", 3) == 0);
    dft_scratch_free(&scratch);
}

static void numbers_are_exact(void)
{
    static const struct {
        const char *text;
        int power;
        bool fits;
        int64_t value;
        bool rounded;
    } rows[] = {
        {"0", 3, true, 0, false},
        {"-0", 3, true, 0, false},
        {"1", 3, true, 1000, false},
        {"123456.789", 3, true, 123456789, false},
        {"0.001", 3, true, 1, false},
        {"-0.001", 3, true, -1, false},
        {"1.5e3", 3, true, 1500000, false},
        {"15E-1", 3, true, 1500, false},
        {"0.0004", 3, true, 0, true},
        {"0.0005", 3, true, 1, true},
        {"0.00049999999999999999999999", 3, true, 0, true},
        {"-0.0005", 3, true, -1, true},
        {"1.9996", 3, true, 2000, true},
        /* More digits than a double holds. */
        {"9007199254740.993", 3, true, 9007199254740993, false},
        {"1732000000000000.001", 3, true, 1732000000000000001, false},
        {"9223372036854775.807", 3, true, INT64_MAX, false},
        {"-9223372036854775.807", 3, true, -INT64_MAX, false},
        {"9223372036854775.808", 3, false, 0, false},
        {"9223372036854775.8074", 3, true, INT64_MAX, true},
        {"9223372036854775.8075", 3, false, 0, true},
        {"1e400", 3, false, 0, false},
        {"1e-400", 3, true, 0, true},
        {"0e999999999999999999999", 3, true, 0, false},
        {"1e-999999999999999999999", 3, true, 0, true},
        {"1e999999999999999999999", 3, false, 0, false},
        {"100000000000000000000000e-20", 3, true, 1000000, false},
        {"0.00000000000000000000000000001e29", 3, true, 1000, false},
        {"42", 0, true, 42, false},
        {"4.2e1", 0, true, 42, false},
        {"42.5", 0, true, 43, true},
        {"99999999999999999999", 0, false, 0, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t value = 0;
        bool rounded = false;
        bool fits = dft_number_scale(dft_text(rows[i].text), rows[i].power, &value, &rounded);

        unit_row = rows[i].text;
        CHECK_INT(fits, rows[i].fits);
        if (fits) {
            CHECK_INT(value, rows[i].value);
            CHECK_INT(rounded, rows[i].rounded);
        }
    }
    unit_row = NULL;
}

static void widths_follow_the_characters(void)
{
    CHECK_INT(dft_text_width(dft_text("plain")), 5);
    CHECK_INT(dft_text_width(dft_text("gr\xC3\xB6\xC3\x9F")), 4);
    CHECK_INT(dft_text_width(dft_text("\xE8\xA8\x88\xE7\xAE\x97")), 4); /* two wide characters */
    CHECK_INT(dft_text_width(dft_text("e\xCC\x81")), 1);                /* a combining accent */
    CHECK_INT(dft_text_width(dft_text("a\x1B[0m")), 8);                 /* as \x1b */
    CHECK_INT(dft_text_width(dft_text("\xFF")), 1);
}

static char *print_to_text(size_t width, enum dft_cut cut, const char *text)
{
    char *made = NULL;
    size_t length;
    FILE *out = open_memstream(&made, &length);

    CHECK_INT(dft_text_print_cut(out, dft_text(text), width, cut) <= width, true);
    fclose(out);
    return made;
}

static void cuts_keep_to_the_width(void)
{
    static const struct {
        const char *text;
        size_t width;
        enum dft_cut cut;
        const char *shown;
    } rows[] = {
        {"solver::step", 12, DFT_CUT_MIDDLE, "solver::step"},
        {"solver::step", 9, DFT_CUT_MIDDLE, "solv…step"},
        {"src/solver/a.c:3", 8, DFT_CUT_FRONT, "…r/a.c:3"},
        {"./app 1 2 3", 6, DFT_CUT_END, "./app…"},
        {"abc", 1, DFT_CUT_MIDDLE, "…"},
        {"abc", 0, DFT_CUT_MIDDLE, ""},
        {"\xE8\xA8\x88\xE7\xAE\x97\xE8\xA8\x88", 4, DFT_CUT_END, "\xE8\xA8\x88…"},
        {"a\nb", 4, DFT_CUT_END, "a\\nb"},
        {"\x1B[31mred", 4, DFT_CUT_FRONT, "…red"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unit_row = rows[i].shown;
        char *shown = print_to_text(rows[i].width, rows[i].cut, rows[i].text);
        CHECK_TEXT(shown, rows[i].shown);
        free(shown);
    }
    unit_row = NULL;
}

int main(void)
{
    values_are_accepted_or_refused();
    depth_is_limited();
    pieces_are_as_good_as_the_whole();
    strings_are_decoded();
    numbers_are_exact();
    widths_follow_the_characters();
    cuts_keep_to_the_width();
    return unit_result();
}
