/*
 * The command lines that traces name, and how many processes ran each.
 */
#ifndef DFT_TOOL_ANALYSIS_COMMAND_LINES_H
#define DFT_TOOL_ANALYSIS_COMMAND_LINES_H

#include "tool/analysis/profile.h"
#include "tool/base/index.h"

/* All zero initially. */
struct dft_command_lines {
    struct dft_profile_command *list;
    size_t count;
    size_t room;
    struct dft_index index;
};

/* Counts a process with this command line, unless it is empty. */
void dft_command_lines_add(struct dft_command_lines *lines, struct dft_text text);

void dft_command_lines_free(struct dft_command_lines *lines);

#endif
