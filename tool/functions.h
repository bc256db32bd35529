/*
 * The functions of a profile, each found by what makes it one: name, category, file and line. What
 * its calls took is beside it, in sums that cannot overflow.
 */
#ifndef DFT_FUNCTIONS_H
#define DFT_FUNCTIONS_H

#include "tool/index.h"
#include "tool/nesting.h"
#include "tool/profile.h"

struct dft_function_table {
    struct dft_function *functions;
    struct dft_times *times; /* beside the functions */
    __int128 *sums;          /* of all calls, recursive ones included */
    size_t count;
    size_t room;
    struct dft_index index;
};

/* What makes a function one. */
struct dft_function_key {
    struct dft_text name;
    struct dft_text category;
    struct dft_text file;
    int64_t line;
};

/* Its number; a new one where there was none. */
uint32_t dft_functions_find(struct dft_function_table *table, const struct dft_function_key *key);

/* From sums to what a reader wants to see. */
void dft_functions_finish(struct dft_function_table *table);

void dft_functions_free(struct dft_function_table *table);

#endif
