/*
 * Time in which one thread did nothing of its own because dftrace made it wait or worked in it, as
 * its trace tells. It lies inside calls that are not to blame for it.
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
 * Pauses come in the order in which they end. Returns how much of this one is new: it may hold
 * others that have come before.
 */
int64_t dft_pauses_add(struct dft_pauses *pauses, int64_t start, int64_t end);

/* The sum of those that begin in a stretch of time. */
int64_t dft_pauses_inside(const struct dft_pauses *pauses, int64_t start, int64_t end);

void dft_pauses_free(struct dft_pauses *pauses);

#endif
