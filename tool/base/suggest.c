/*
 * Edit distance with swaps of neighbours (Damerau-Levenshtein, restricted), over short words.
 */
#include "tool/base/suggest.h"

#include <string.h>

#define LONGEST 100

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST + 1];

    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        size_t *row = rows[i % 3];

        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *dft_suggest_nearest(const char *word, dft_suggest_candidate *candidate,
                                const void *context)
{
    size_t length = strlen(word);
    const char *nearest = NULL;
    const char *name;
    /* Half of the word may be wrong, but not so much of a short one that anything fits. */
    size_t best = length / 2 + 1 < 4 ? length / 2 + 1 : 4;

    if (length == 0 || length > LONGEST)
        return NULL;
    for (size_t i = 0; (name = candidate(context, i)) != NULL; i++) {
        size_t name_length = strlen(name);

        if (name_length > LONGEST)
            continue;
        /* A beginning of the name is as good as one wrong letter. */
        size_t found = length >= 2 && strncmp(word, name, length) == 0
                           ? 1
                           : distance(word, length, name, name_length);
        if (found < best) {
            best = found;
            nearest = name;
        }
    }
    return nearest;
}
