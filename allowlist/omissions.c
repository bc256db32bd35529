/*
 * The words `!name` at the end of a rule: parameters whose values are not recorded.
 *
 * All names of a list are numbered, so that a set of names is a bit set, and the sets of all rules
 * that match a function are combined by OR. The thread that loads the list writes; any thread
 * reads.
 */
#include "internal.h"

#include <string.h>

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static size_t trimmed(const char *text, size_t length)
{
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    return length;
}

/* Whether the text ends in the word "operator": then a following '!' is part of a name. */
static bool ends_in_operator(const char *text, size_t length)
{
    const size_t word = strlen("operator");
    return length >= word && dft_is_operator(text, length, length - word);
}

size_t dft_omissions_begin(const char *text, size_t length)
{
    size_t end = trimmed(text, length);
    for (;;) {
        size_t word = end;
        while (word > 0 && !is_blank(text[word - 1]))
            word--;
        size_t before = trimmed(text, word);
        if (before == 0 || text[word] != '!' || ends_in_operator(text, before))
            return end;
        end = before;
    }
}

size_t dft_omissions_misplaced(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '!' &&
            (i == 0 || (is_blank(text[i - 1]) && !ends_in_operator(text, trimmed(text, i)))))
            return i;
    return length;
}

bool dft_omissions_is_name(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!dft_is_word((unsigned char)name[i]))
            return false;
    return length > 0 && !(name[0] >= '0' && name[0] <= '9');
}

static size_t find_name(const struct dft_allowlist *list, const char *name, size_t length)
{
    size_t i = 0;
    while (i < list->omission_count &&
           (strncmp(list->omissions[i], name, length) != 0 || list->omissions[i][length] != '\0'))
        i++;
    return i;
}

enum dft_omission_result dft_omissions_add(struct dft_allowlist *list, const char *name,
                                           size_t length, struct dft_name_set *set)
{
    size_t number = find_name(list, name, length);
    if (number == DFT_OMISSION_MAX)
        return DFT_OMISSION_TOO_MANY;
    if (number == list->omission_count) {
        list->omissions[number] = dft_arena_copy(&list->arena, name, length);
        if (!list->omissions[number])
            return DFT_OMISSION_NO_MEMORY;
        list->omission_count++;
    }
    set->bits[number / 64] |= (uint64_t)1 << number % 64;
    return DFT_OMISSION_ADDED;
}

static bool has_number(const struct dft_name_set *set, size_t number)
{
    return set->bits[number / 64] >> number % 64 & 1;
}

const char *dft_allowlist_next_left_out(const struct dft_allowlist *list,
                                        const struct dft_name_set *set, size_t *place)
{
    while (*place < list->omission_count) {
        size_t number = (*place)++;
        if (has_number(set, number))
            return list->omissions[number];
    }
    return NULL;
}

/* Whether the set names a parameter: a parameter without a name may be the one that is meant. */
static bool names_parameter(const struct dft_allowlist *list, const struct dft_name_set *set)
{
    size_t place = 0;
    const char *name = dft_allowlist_next_left_out(list, set, &place);
    while (name && strcmp(name, "return") == 0)
        name = dft_allowlist_next_left_out(list, set, &place);
    return name != NULL;
}

bool dft_allowlist_leaves_out(const struct dft_allowlist *list, const struct dft_name_set *set,
                              const char *name)
{
    if (*name == '\0')
        return names_parameter(list, set);
    size_t number = find_name(list, name, strlen(name));
    return number < list->omission_count && has_number(set, number);
}
