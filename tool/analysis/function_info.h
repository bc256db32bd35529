/*
 * What traces say of the functions in them: parameters, source, module, rule.
 */
#ifndef DFT_TOOL_ANALYSIS_FUNCTION_INFO_H
#define DFT_TOOL_ANALYSIS_FUNCTION_INFO_H

#include "tool/trace/walk.h"

struct dft_function_info;

/* About so many bytes are used; functions that come when there is no room are left out. 0: no
 * limit. */
struct dft_function_info *dft_function_info_new(size_t most_bytes);

/* Takes the events that describe functions, and ignores the others. */
struct dft_visitor dft_function_info_visitor(struct dft_function_info *info);

/* Each function once, by name: the first `top`, or all where it is 0. Returns how many there are.
 */
size_t dft_function_info_print_text(FILE *out, struct dft_function_info *info, size_t top);
size_t dft_function_info_print_json(FILE *out, struct dft_function_info *info);

/* How many descriptions were left out. */
size_t dft_function_info_left_out(const struct dft_function_info *info);

void dft_function_info_free(struct dft_function_info *info);

#endif
