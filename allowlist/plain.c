/*
 * A demangled name as people write it: std::vector<int, std::allocator<int> >::push_back becomes
 * std::vector::push_back.
 *
 * Template arguments, ABI tags and the parameter lists of enclosing functions go; everything that
 * only looks like them (operator<, operator(), {lambda(int)#1}, (anonymous namespace)) stays.
 * Stateless. A name whose brackets do not close is left alone from there on.
 */
#include "plain.h"
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct plain {
    const char *text;
    size_t length;
    char *stack; /* open brackets while a group is skipped; as long as the text */
    char *out;
    size_t used;
};

static bool has_word_at(const struct plain *plain, size_t at, const char *word)
{
    size_t size = strlen(word);
    return plain->length - at >= size && memcmp(plain->text + at, word, size) == 0;
}

/* Behind the operator that begins at `at`: "operator<", or the word alone in "operator bool". */
static size_t operator_end(const struct plain *plain, size_t at)
{
    at += strlen("operator");
    return at + dft_operator_length(plain->text + at, plain->length - at);
}

/* Comparisons and shifts, as in "(x)<(3)": libiberty puts their operands into parentheses. */
static size_t comparison_length(const struct plain *plain, size_t at)
{
    const char *text = plain->text;
    if (at == 0 || text[at - 1] != ')')
        return 0;
    size_t size = strspn(text + at, "<>=-");
    return text[at + size] == '(' ? size : 0;
}

static char closing_of(char opening)
{
    return opening == '(' ? ')' : opening == '[' ? ']' : opening == '{' ? '}' : '>';
}

/* Behind the group of brackets that opens at `at`, or 0 if it does not close. */
static size_t group_end(const struct plain *plain, size_t at)
{
    const char *text = plain->text;
    size_t depth = 1;
    plain->stack[0] = text[at];
    for (size_t i = at + 1; i < plain->length; i++) {
        char byte = text[i];
        if (byte == 'o' && dft_is_operator(text, plain->length, i)) {
            i = operator_end(plain, i) - 1;
            if (text[i + 1] == '<')
                plain->stack[depth++] = text[++i];
        } else if (byte == '<' || byte == '>') {
            size_t comparison = comparison_length(plain, i);
            if (comparison)
                i += comparison - 1;
            else if (byte == '<')
                plain->stack[depth++] = byte;
            else if (text[i - 1] != '-' && plain->stack[depth - 1] == '<')
                depth--;
        } else if (byte == '(' || byte == '[' || byte == '{') {
            plain->stack[depth++] = byte;
        } else if (byte == ')' || byte == ']' || byte == '}') {
            while (depth > 0 && closing_of(plain->stack[depth - 1]) != byte)
                depth--;
            if (depth == 0)
                return 0;
            depth--;
        }
        if (depth == 0)
            return i + 1;
    }
    return 0;
}

/* Behind " const", " volatile", " &" and " &&" of an enclosing member function. */
static size_t skip_qualifiers(const struct plain *plain, size_t at)
{
    static const char *const qualifiers[] = {" const", " volatile", " &&", " &"};
    for (size_t i = 0; i < sizeof qualifiers / sizeof qualifiers[0];) {
        if (has_word_at(plain, at, qualifiers[i])) {
            at += strlen(qualifiers[i]);
            i = 0;
        } else {
            i++;
        }
    }
    return at;
}

static size_t copy_until(struct plain *plain, size_t at, size_t end)
{
    memcpy(plain->out + plain->used, plain->text + at, end - at);
    plain->used += end - at;
    return end;
}

/* Takes what begins at `at` over, or leaves it out; returns where to go on. */
static size_t take_next(struct plain *plain, size_t at)
{
    const char *text = plain->text;
    bool is_component_start = at == 0 || text[at - 1] == ':';
    if (text[at] == 'o' && dft_is_operator(text, plain->length, at)) {
        at = copy_until(plain, at, operator_end(plain, at));
        /* "operator< <int>": the space belongs to the arguments */
        return at + has_word_at(plain, at, " <");
    }
    size_t tag = text[at] == '[' ? dft_abi_tag_length(text + at, plain->length - at) : 0;
    if (tag)
        return at + tag;
    if (text[at] != '<' && text[at] != '(' && text[at] != '{')
        return copy_until(plain, at, at + 1);
    size_t end = group_end(plain, at);
    if (!end)
        return copy_until(plain, at, plain->length);
    if (text[at] == '{' || is_component_start)
        return copy_until(plain, at, end);
    if (text[at] == '<')
        return end;
    size_t after = skip_qualifiers(plain, end);
    return has_word_at(plain, after, "::") ? after : copy_until(plain, at, end);
}

char *dft_plain_make(const char *qualified)
{
    size_t length = strlen(qualified);
    struct plain plain = {.text = qualified, .length = length};
    plain.out = malloc(length + 1);
    plain.stack = malloc(length + 1);
    if (!plain.out || !plain.stack) {
        free(plain.out);
        free(plain.stack);
        return NULL;
    }
    for (size_t at = 0; at < length;)
        at = take_next(&plain, at);
    plain.out[plain.used] = '\0';
    free(plain.stack);
    return plain.out;
}
