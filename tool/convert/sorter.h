/*
 * Sorts any number of records of the same size with bounded memory: what does not fit is sorted in
 * parts, which are kept in a temporary file and merged.
 */
#ifndef DFT_TOOL_CONVERT_SORTER_H
#define DFT_TOOL_CONVERT_SORTER_H

#include <stdbool.h>
#include <stddef.h>

struct dft_sorter;

/* As for qsort. No two records may be equal. */
typedef int dft_sorter_compare(const void *left, const void *right);

/* `memory`: bytes for records. */
struct dft_sorter *dft_sorter_new(size_t size, size_t memory, dft_sorter_compare *compare);

/* False if the temporary file cannot be written: errno says why. */
bool dft_sorter_add(struct dft_sorter *sorter, const void *record);

/* All records have been added: sorts them. False as above. */
bool dft_sorter_finish(struct dft_sorter *sorter);

/* The next record, valid until the next call; NULL after the last one, and on error. */
const void *dft_sorter_next(struct dft_sorter *sorter);

/* Whether the temporary file could not be read: errno says why. */
bool dft_sorter_has_failed(const struct dft_sorter *sorter);
void dft_sorter_free(struct dft_sorter *sorter);

#endif
