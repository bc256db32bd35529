/*
 * Splits a name that a user has written out. The names that a compiler matches against come from
 * the linkage name; here the parameter list is cut off the name itself. The plain form is made by
 * the function that the compilers use, so that both have the same one.
 */
#include "tool/build/spelling.h"

#include "allowlist/plain.h"
#include "tool/base/text.h"

#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, size_t length, const char *end)
{
    return dft_text_ends_with((struct dft_text){text, length}, end);
}

/* Behind the parameter list: "const", "volatile", "noexcept", "&". */
static size_t drop_qualifiers(const char *text, size_t length)
{
    static const char *const qualifiers[] = {" ", "&", "const", "volatile", "noexcept"};

    for (size_t i = 0; i < sizeof qualifiers / sizeof qualifiers[0];) {
        if (ends_with(text, length, qualifiers[i])) {
            length -= strlen(qualifiers[i]);
            i = 0;
        } else {
            i++;
        }
    }
    return length;
}

/* The length of the name without its parameter list; all of it where there is none. */
static size_t without_parameters(const char *text)
{
    size_t whole = strlen(text);
    size_t length = drop_qualifiers(text, whole);
    size_t depth = 0;

    if (!ends_with(text, length, ")"))
        return whole;
    for (size_t i = length; i > 0; i--) {
        depth += text[i - 1] == ')';
        depth -= text[i - 1] == '(';
        if (depth > 0)
            continue;
        /* "operator()" alone is a name; so is "(anonymous namespace)" in front of one. */
        return i == 1 || ends_with(text, i - 1, "operator") || ends_with(text, i - 1, "::") ? whole
                                                                                            : i - 1;
    }
    return whole;
}

bool dft_spelling_make(const char *word, enum dft_language language, struct dft_names *names)
{
    if (!dft_names_make(word, language, names))
        return false;
    /* A linkage name that was understood is something else than it was; a spelled-out one is not.
     */
    if (strcmp(names->qualified, word) != 0)
        return true;
    names->qualified[without_parameters(word)] = '\0';
    char *plain = dft_plain_make(names->qualified);
    if (!plain) {
        dft_names_free(names);
        return false;
    }
    free(names->plain);
    names->plain = plain;
    return true;
}
