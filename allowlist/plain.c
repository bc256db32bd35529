/*
 * Shortens a demangled name to what people write: std::vector<int, std::allocator<int> >::push_back
 * becomes std::vector::push_back.
 *
 * Removes template arguments, ABI tags and the parameter lists of enclosing functions; keeps what
 * only looks like them (operator<, operator(), {lambda(int)#1}, (anonymous namespace)). Stateless.
 * From an unbalanced bracket on, a name is copied unchanged.
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

/* The end of the operator that begins at `at`: "operator<", or only the word in "operator bool". */
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

/* The end of the bracket group that opens at `at`, or 0 if it does not close. */
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

/* Skips " const", " volatile", " &" and " &&" of an enclosing member function. */
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

/* Copies or skips the element that begins at `at`; returns where the next one begins. */
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

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t size = strlen(end);
    return length >= size && memcmp(text + length - size, end, size) == 0;
}

/* The length without "const", "volatile", "noexcept" and "&" after the parameter list. */
static size_t without_qualifiers(const char *text, size_t length)
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

/* The length of a name without its parameter list; the whole length if it has none. */
static size_t without_parameters(const char *text)
{
    size_t whole = strlen(text);
    size_t length = without_qualifiers(text, whole);
    size_t depth = 0;
    if (!ends_with(text, length, ")"))
        return whole;
    for (size_t i = length; i > 0; i--) {
        depth += text[i - 1] == ')';
        depth -= text[i - 1] == '(';
        if (depth > 0)
            continue;
        /* "operator()" is a name; so is "(anonymous namespace)" in front of one. */
        bool is_name = i == 1 || ends_with(text, i - 1, "operator") || ends_with(text, i - 1, "::");
        return is_name ? whole : i - 1;
    }
    return whole;
}

bool dft_names_make_written(const char *word, enum dft_language language, struct dft_names *names)
{
    if (!dft_names_make(word, language, names))
        return false;
    /* If demangling has changed it, it was a linkage name. */
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
