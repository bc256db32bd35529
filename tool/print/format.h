/*
 * Times and shares as people read them.
 */
#ifndef DFT_TOOL_PRINT_FORMAT_H
#define DFT_TOOL_PRINT_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct dft_cell {
    char text[24];
};

struct dft_cell dft_format_count(uint64_t count);

/* Three significant digits with their unit: "1.23ms". */
struct dft_cell dft_format_time(int64_t ns);

/* "12.3%"; "-" where the whole is nothing. */
struct dft_cell dft_format_share(int64_t part, int64_t whole);

/* Spaces from one column to another. */
void dft_format_pad(FILE *out, size_t from, size_t to);

#endif
