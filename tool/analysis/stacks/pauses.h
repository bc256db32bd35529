/*
 * Pauses: time in which dftrace made a thread wait or worked in it. A pause is inside calls, but is
 * not part of their times.
 */
#ifndef DFT_TOOL_ANALYSIS_STACKS_PAUSES_H
#define DFT_TOOL_ANALYSIS_STACKS_PAUSES_H

#include <stddef.h>
#include <stdint.h>

struct dft_pause {
    int64_t start;
    int64_t until; /* sum of all up to here, this one included */
};

/* Sorted by start, none inside another. All zero is empty. */
struct dft_pauses {
    struct dft_pause *list;
    size_t count;
    size_t room;
};

/*
 * Pauses come in the order in which they end. Returns the part of this one that is not in earlier
 * ones inside it.
 */
int64_t dft_pauses_add(struct dft_pauses *pauses, int64_t start, int64_t end);

/* The time of all pauses that begin in this range. */
int64_t dft_pauses_inside(const struct dft_pauses *pauses, int64_t start, int64_t end);

void dft_pauses_free(struct dft_pauses *pauses);

#endif
