/*
 * Taking a spelled-out name apart. What a compiler knows of a function comes from its linkage name;
 * here the parameters and template arguments stand in the name itself and are cut off.
 */
#include "tool/spelling.h"

#include "tool/text.h"

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

/* Takes template arguments out, in place: "A<int>::f<B<2>>" becomes "A::f". */
static void drop_template_arguments(char *text)
{
    size_t kept = 0;
    size_t depth = 0;

    for (size_t i = 0; text[i]; i++) {
        bool is_operator =
            depth == 0 &&
            (ends_with(text, kept, "operator") || ends_with(text, kept, "operator<") ||
             ends_with(text, kept, "operator>") || ends_with(text, kept, "operator-"));

        if (text[i] == '<' && !is_operator)
            depth++;
        else if (text[i] == '>' && depth > 0)
            depth--;
        else if (depth == 0)
            text[kept++] = text[i];
    }
    text[kept] = '\0';
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
    char *plain = strdup(names->qualified);
    if (!plain) {
        dft_names_free(names);
        return false;
    }
    drop_template_arguments(plain);
    free(names->plain);
    names->plain = plain;
    return true;
}
