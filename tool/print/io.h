/*
 * I/O calls by file, function and process, as tables with advice and as JSON.
 */
#ifndef DFT_TOOL_PRINT_IO_H
#define DFT_TOOL_PRINT_IO_H

#include "tool/analysis/io/io_advice.h"
#include "tool/print/results.h"

enum dft_io_order { DFT_IO_BY_TOTAL, DFT_IO_BY_CALLS, DFT_IO_BY_NAME };

struct dft_io_results {
    const struct dft_results *results;
    const struct dft_io_file *files;
    size_t file_count;
    const struct dft_io_function *made_by;
    size_t made_by_count;
    const struct dft_function *functions; /* by the numbers that `made_by` has */
    const struct dft_io_process *processes;
    size_t process_count;
    const struct dft_io_advice *advice;
    size_t advice_count;
    enum dft_io_order order; /* of the files */
};

/* Whether I/O can be sorted by this. */
bool dft_io_find_order(const char *sort, enum dft_io_order *order);

/* Files in this order; to be freed. */
const struct dft_io_file **dft_io_sort_files(const struct dft_io_results *results);

/* "1-4K" */
const char *dft_io_size_name(enum dft_io_size size);

double dft_io_bandwidth(const struct dft_io_file *file); /* bytes per second while busy */

void dft_io_print_text(FILE *out, const struct dft_io_results *results);
void dft_io_print_json(FILE *out, const struct dft_io_results *results);

#endif
