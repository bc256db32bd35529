/*
 * Removes differences of spelling before function names are compared, and knows the names of C++
 * operators.
 *
 * Patterns and names go through the same dft_fold, so that both get the same spelling. Stateless.
 */
#include "internal.h"

#include <string.h>

/*
 * '?' and a class count as letters, because that is what they mostly match. A star does not, so
 * that the space in "char const *" is ignored, as the compiler does.
 */
bool dft_is_word(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '$' || byte >= 0x80 ||
           byte == DFT_CODE_ANY || byte == DFT_CODE_CLASS;
}

size_t dft_abi_tag_length(const char *text, size_t length)
{
    static const char opening[] = "[abi:";
    const size_t size = sizeof opening - 1;
    if (length <= size || memcmp(text, opening, size) != 0)
        return 0;
    size_t i = size;
    while (i < length && dft_is_word((unsigned char)text[i]))
        i++;
    return i > size && i < length && text[i] == ']' ? i + 1 : 0;
}

/* "operator< <int>" is not "operator<<int>". */
static bool is_space_kept(char before, char after)
{
    return (dft_is_word((unsigned char)before) && dft_is_word((unsigned char)after)) ||
           (before == '<' && after == '<');
}

size_t dft_fold(const char *text, size_t length, char *folded)
{
    size_t used = 0;
    bool space = false;
    for (size_t i = 0; i < length; i++) {
        char byte = text[i];
        if (byte == ' ' || byte == '\t') {
            space = used > 0;
            continue;
        }
        if (byte == '[') {
            size_t tag = dft_abi_tag_length(text + i, length - i);
            if (tag) {
                i += tag - 1;
                continue;
            }
        }
        if (space && is_space_kept(folded[used - 1], byte))
            folded[used++] = ' ';
        space = false;
        folded[used++] = byte;
    }
    return used;
}

bool dft_is_operator(const char *text, size_t length, size_t at)
{
    static const char word[] = "operator";
    const size_t size = sizeof word - 1;
    return length - at >= size && text[at] == 'o' && memcmp(text + at, word, size) == 0 &&
           (at == 0 || !dft_is_word((unsigned char)text[at - 1])) &&
           (length - at == size || !dft_is_word((unsigned char)text[at + size]));
}

size_t dft_operator_length(const char *text, size_t length)
{
    /* Longer symbols come before their prefixes. */
    static const char *const symbols[] = {
        "<=>", "->*", "<<=", ">>=", "()", "[]", "\"\"", "->", "<<", ">>", "<=", ">=", "==", "!=",
        "&&",  "||",  "++",  "--",  "+=", "-=", "*=",   "/=", "%=", "^=", "&=", "|=", ",",  "+",
        "-",   "*",   "/",   "%",   "^",  "&",  "|",    "~",  "!",  "=",  "<",  ">",
    };
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        size_t size = strlen(symbols[i]);
        if (size <= length && memcmp(text, symbols[i], size) == 0)
            return size;
    }
    return 0;
}
