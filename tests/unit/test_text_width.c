/*
 * How many columns of a terminal a text takes, and what is left of it when it is cut. Also the
 * forms of text that the tool prints: visible, JSON, shell.
 */
#include "text/edit_distance.h"
#include "tool/base/text.h"
#include "unit.h"

static void widths_are_columns(void)
{
    static const struct {
        const char *text;
        size_t width;
    } rows[] = {
        {"", 0},
        {"main", 4},
        {"größe", 5},
        {"関数", 4},             /* two columns each */
        {"e\xcc\x81", 1},        /* a combining accent */
        {"\xff\xfe", 2},         /* not UTF-8: two replacement characters */
        {"\xe2\x82", 1},         /* the beginning of a character: one */
        {"a\tb", 4},             /* shown as \t */
        {"\x1b[2J", 7},          /* shown as \x1b[2J */
        {"\xe2\x80\xae", 6},     /* shown as \u202e */
        {"\xf0\x9f\x98\x80", 2}, /* an emoji */
        {"\xed\xa0\x80", 3},     /* a surrogate is three malformed bytes */
        {"\xc0\xaf", 2},         /* an overlong form */
        {"\xf4\x90\x80\x80", 4}, /* above U+10FFFF */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unit_row = rows[i].text;
        CHECK_INT((intmax_t)dft_text_width(dft_text(rows[i].text)), (intmax_t)rows[i].width);
    }
    unit_row = NULL;
}

static void texts_are_cut_to_a_width(void)
{
    static const struct {
        const char *text;
        size_t width;
        enum dft_cut cut;
        const char *printed;
    } rows[] = {
        {"abcdef", 6, DFT_CUT_MIDDLE, "abcdef"}, {"abcdef", 5, DFT_CUT_MIDDLE, "ab…ef"},
        {"abcdef", 4, DFT_CUT_MIDDLE, "a…ef"},   {"abcdef", 3, DFT_CUT_FRONT, "…ef"},
        {"abcdef", 3, DFT_CUT_END, "ab…"},       {"abcdef", 1, DFT_CUT_END, "…"},
        {"abcdef", 0, DFT_CUT_END, ""},          {"関数関数", 6, DFT_CUT_END, "関数…"},
        {"a\nbcdef", 5, DFT_CUT_FRONT, "…cdef"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *printed = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&printed, &size);
        size_t taken = dft_text_print_cut(out, dft_text(rows[i].text), rows[i].width, rows[i].cut);

        fclose(out);
        unit_row = rows[i].text;
        CHECK_TEXT(printed, rows[i].printed);
        CHECK_INT((intmax_t)taken, (intmax_t)dft_text_width(dft_text(printed)));
        CHECK(taken <= rows[i].width);
        free(printed);
    }
    unit_row = NULL;
}

static void forms_are_safe(void)
{
    static const struct {
        const char *text;
        const char *visible;
        const char *json;
        const char *shell;
    } rows[] = {
        {"a/b.c", "a/b.c", "\"a/b.c\"", "a/b.c"},
        {"", "", "\"\"", "''"},
        {"it's \"x\"", "it's \"x\"", "\"it's \\\"x\\\"\"", "'it'\\''s \"x\"'"},
        {"\\\n", "\\\\n", "\"\\\\\\u000a\"", "'\\\n'"},
        {"\x7f\xc2\x85", "\\x7f\\x85", "\"\\u007f\\u0085\"", "'\x7f\xc2\x85'"},
        {"\xe2\x80\xae", "\\u202e", "\"\\u202e\"", "'\xe2\x80\xae'"},
        {"\xffz", "\xef\xbf\xbdz", "\"\xef\xbf\xbdz\"", "'\xffz'"},
    };
    static void (*const print[])(FILE *, struct dft_text) = {
        dft_text_print_visible, dft_text_print_json, dft_text_print_shell};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *const wanted[] = {rows[i].visible, rows[i].json, rows[i].shell};

        unit_row = rows[i].text;
        for (size_t form = 0; form < 3; form++) {
            char *printed = NULL;
            size_t size = 0;
            FILE *out = open_memstream(&printed, &size);

            print[form](out, dft_text(rows[i].text));
            fclose(out);
            CHECK_TEXT(printed, wanted[form]);
            free(printed);
        }
    }
    unit_row = NULL;
}

static unsigned distance(const char *a, const char *b)
{
    return dft_edit_distance(a, strlen(a), b, strlen(b));
}

static void distances_count_edits(void)
{
    char word[DFT_EDIT_DISTANCE_MAX_LENGTH + 2];

    CHECK_INT(distance("sort", "sort"), 0);
    CHECK_INT(distance("sort", "sotr"), 1); /* a swap is one edit */
    CHECK_INT(distance("sort", "sor"), 1);
    CHECK_INT(distance("", "abc"), 3);
    CHECK_INT(distance("kitten", "sitting"), 3);
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    CHECK(distance(word, "a") == UINT_MAX);
}

int main(void)
{
    widths_are_columns();
    texts_are_cut_to_a_width();
    forms_are_safe();
    distances_count_edits();
    return unit_result();
}
