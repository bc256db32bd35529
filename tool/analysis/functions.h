/*
 * The functions of a profile, each found by what makes it one: name, category, file and line,
 * however the file's path is written ("./a.c", "a.c"). What its calls took is beside it, in sums
 * that cannot overflow.
 */
#ifndef DFT_TOOL_ANALYSIS_FUNCTIONS_H
#define DFT_TOOL_ANALYSIS_FUNCTIONS_H

#include "tool/analysis/profile.h"
#include "tool/analysis/stacks/stack.h"
#include "tool/base/index.h"
#include "tool/base/memory_limit.h"

#define DFT_OTHER_FUNCTIONS "(other functions)"

struct dft_function_table {
    struct dft_function *functions;
    struct dft_times *times;  /* beside the functions */
    struct dft_times *nested; /* of the open trace's calls, not yet in `times` */
    __int128 *sums;           /* of all calls, recursive ones included */
    size_t count;
    size_t room;
    struct dft_index index;
    struct dft_memory_limit *memory; /* the functions', and those of stacks and the tree */
    size_t thread_bytes; /* that stacks take for functions on threads of the open trace, about */
    uint32_t
        others; /* number of the row for functions beyond the limit, plus 1; 0: there is none */
};

/* What a stack keeps of a function on a thread: its slot, and the beginning of its list of spans.
 */
#define DFT_BYTES_OF_FUNCTION_ON_THREAD 256

/* What makes a function one. */
struct dft_function_key {
    struct dft_text name;
    struct dft_text category;
    struct dft_text file;
    int64_t line;
};

uint64_t dft_functions_hash(const struct dft_function_key *key);

/* Its number; where there was none, DFT_INDEX_NONE, or a new one, or where the memory is used up that of
 * the row for all others. */
uint32_t dft_functions_find(const struct dft_function_table *table,
                            const struct dft_function_key *key);
uint32_t dft_functions_find_or_add(struct dft_function_table *table,
                                   const struct dft_function_key *key);

/* The open trace is at its end: its calls' times are counted. */
void dft_functions_count_nested(struct dft_function_table *table);

/* They are worked out again. */
void dft_functions_forget_nested(struct dft_function_table *table);

/* From sums to what a reader wants to see. */
void dft_functions_finish(struct dft_function_table *table);

/* Names functions that have none by their files. The table cannot find them any more. */
void dft_functions_name_by_file(struct dft_function_table *table);

void dft_functions_free(struct dft_function_table *table);

#endif
