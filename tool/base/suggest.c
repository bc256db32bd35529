/*
 * Suggestions by edit distance. Stateless.
 */
#include "tool/base/suggest.h"

#include "text/edit_distance.h"

#include <string.h>

const char *dft_suggest_nearest(const char *word, dft_suggest_candidate *candidate,
                                const void *context)
{
    size_t length = strlen(word);
    const char *nearest = NULL;
    const char *name;
    /*
     * Up to half of the word may be wrong; less of a short word, because any word would fit then.
     */
    size_t best = length / 2 + 1 < 4 ? length / 2 + 1 : 4;

    if (length == 0)
        return NULL;
    for (size_t i = 0; (name = candidate(context, i)) != NULL; i++) {
        /* A prefix of the name counts as one edit. */
        size_t found = length >= 2 && strncmp(word, name, length) == 0
                           ? 1
                           : dft_edit_distance(word, length, name, strlen(name));
        if (found < best) {
            best = found;
            nearest = name;
        }
    }
    return nearest;
}
