/*
 * The names of a function that a user spells out: as the linker knows it or as the source does.
 */
#ifndef DFT_TOOL_BUILD_SPELLING_H
#define DFT_TOOL_BUILD_SPELLING_H

#include "allowlist/allowlist.h"

/*
 * `word` may be a linkage name, "ns::f", "ns::f<int>" or "ns::f<int>(int) const". Free with
 * dft_names_free; `word` must live as long. False when memory is out.
 */
bool dft_spelling_make(const char *word, enum dft_language language, struct dft_names *names);

#endif
