/*
 * What traces say of the functions in them: parameters, source, module, rule.
 */
#ifndef DFT_TOOL_ANALYSIS_FUNCTION_INFO_H
#define DFT_TOOL_ANALYSIS_FUNCTION_INFO_H

#include "tool/trace/reader.h"

struct dft_described;

/* About so many bytes are used; functions that come when there is no room are left out. 0: no
 * limit. */
struct dft_described *dft_described_new(size_t most_bytes);

/* Takes the events that describe functions, and lets the others go by. */
void dft_described_add(struct dft_described *described, struct dft_reader *reader,
                       const struct dft_event *event);

/* Each function once, by name: the first `top`, or all where it is 0. Returns how many there are.
 */
size_t dft_described_print_text(FILE *out, struct dft_described *described, size_t top);
size_t dft_described_print_json(FILE *out, struct dft_described *described);

/* How many descriptions were left out. */
size_t dft_described_left_out(const struct dft_described *described);

void dft_described_free(struct dft_described *described);

#endif
