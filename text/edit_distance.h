/*
 * The only implementation of an edit distance, for "did you mean". Inline and without state,
 * because the runtime, the plugins and the tool use it.
 */
#ifndef DFT_TEXT_EDIT_DISTANCE_H
#define DFT_TEXT_EDIT_DISTANCE_H

#include <limits.h>
#include <stddef.h>

/* Longer words are never similar to another one. */
#define DFT_EDIT_DISTANCE_MAX_LENGTH 100

static inline unsigned dft_edit_least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/*
 * How many letters must be added, removed, replaced or swapped with their neighbour to turn one word
 * into the other (restricted Damerau-Levenshtein distance).
 */
static inline unsigned dft_edit_distance(const char *a, size_t a_length, const char *b,
                                         size_t b_length)
{
    unsigned rows[3][DFT_EDIT_DISTANCE_MAX_LENGTH + 1];

    if (a_length > DFT_EDIT_DISTANCE_MAX_LENGTH || b_length > DFT_EDIT_DISTANCE_MAX_LENGTH)
        return UINT_MAX;
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        const unsigned *above = rows[(i + 2) % 3];
        const unsigned *two_above = rows[(i + 1) % 3];
        unsigned *row = rows[i % 3];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned replaced = above[j - 1] + (a[i - 1] != b[j - 1]);

            row[j] = dft_edit_least(dft_edit_least(above[j], row[j - 1]) + 1, replaced);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = dft_edit_least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

#endif
