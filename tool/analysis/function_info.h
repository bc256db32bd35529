/*
 * Descriptions of the functions in traces: parameters, source, module, rule.
 */
#ifndef DFT_TOOL_ANALYSIS_FUNCTION_INFO_H
#define DFT_TOOL_ANALYSIS_FUNCTION_INFO_H

#include "tool/trace/walk.h"

struct dft_function_info;

/* Uses about `most_bytes` of memory and skips further functions; 0: no limit. */
struct dft_function_info *dft_function_info_new(size_t most_bytes);

/* Takes the events that describe functions, and ignores the others. */
struct dft_visitor dft_function_info_visitor(struct dft_function_info *info);

/*
 * Prints each function once, sorted by name: the first `top`, or all if it is 0. Returns how many
 * there are.
 */
size_t dft_function_info_print_text(FILE *out, struct dft_function_info *info, size_t top);
size_t dft_function_info_print_json(FILE *out, struct dft_function_info *info);

/* How many descriptions were skipped for lack of memory. */
size_t dft_function_info_left_out(const struct dft_function_info *info);

void dft_function_info_free(struct dft_function_info *info);

#endif
