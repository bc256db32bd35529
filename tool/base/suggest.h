/*
 * The nearest name to a mistyped one.
 */
#ifndef DFT_TOOL_BASE_SUGGEST_H
#define DFT_TOOL_BASE_SUGGEST_H

#include <stddef.h>

/* The name of candidate `index`; NULL after the last one. */
typedef const char *dft_suggest_candidate(const void *context, size_t index);

/* NULL if no candidate is near enough. */
const char *dft_suggest_nearest(const char *word, dft_suggest_candidate *candidate,
                                const void *context);

#endif
