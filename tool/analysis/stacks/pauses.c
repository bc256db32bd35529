/* Pauses of one thread, with running sums: two searches find the time of those inside a call. */
#include "tool/analysis/stacks/pauses.h"

#include "tool/base/tool.h"

#include <stdlib.h>

static int64_t sum_of_first(const struct dft_pauses *pauses, size_t count)
{
    return count > 0 ? pauses->list[count - 1].until : 0;
}

int64_t dft_pauses_add(struct dft_pauses *pauses, int64_t start, int64_t end)
{
    int64_t before = sum_of_first(pauses, pauses->count), until;

    while (pauses->count > 0 && pauses->list[pauses->count - 1].start >= start)
        pauses->count--;
    /* The times are from untrusted files. */
    if (__builtin_add_overflow(sum_of_first(pauses, pauses->count), end - start, &until))
        until = INT64_MAX;
    pauses->list = dft_tool_grow(pauses->list, pauses->count, &pauses->room, sizeof *pauses->list);
    pauses->list[pauses->count++] = (struct dft_pause){start, until};
    return until > before ? until - before : 0;
}

/* The number of pauses that begin before this moment. */
static size_t count_before(const struct dft_pauses *pauses, int64_t moment)
{
    size_t low = 0, high = pauses->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (pauses->list[middle].start < moment)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t dft_pauses_inside(const struct dft_pauses *pauses, int64_t start, int64_t end)
{
    /* Nearly all calls end before the first pause or begin after the last one. */
    if (pauses->count == 0 || pauses->list[pauses->count - 1].start < start ||
        pauses->list[0].start >= end)
        return 0;
    size_t first = count_before(pauses, start), last = count_before(pauses, end);
    int64_t sum = sum_of_first(pauses, last) - sum_of_first(pauses, first);

    return sum < end - start ? sum : end - start;
}

void dft_pauses_free(struct dft_pauses *pauses)
{
    free(pauses->list);
    *pauses = (struct dft_pauses){0};
}
