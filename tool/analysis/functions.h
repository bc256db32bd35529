/*
 * The functions of a profile. A function is identified by name, category, file and line; spellings
 * of the path do not matter ("./a.c", "a.c"). Times are summed up in integers that cannot overflow.
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
    struct dft_times *times;  /* parallel to the functions */
    struct dft_times *nested; /* of the open trace's calls, not yet in `times` */
    __int128 *sums;           /* of all calls, recursive ones included */
    size_t count;
    size_t room;
    struct dft_index index;
    struct dft_memory_limit *memory; /* the functions', and those of stacks and the tree */
    size_t
        thread_bytes; /* estimate of what stacks use for functions on threads of the open trace */
    uint32_t
        others; /* number of the row for functions beyond the limit, plus 1; 0: there is none */
};

/* What a stack needs for a function on a thread: its slot and a short list of spans. */
#define DFT_BYTES_OF_FUNCTION_ON_THREAD 256

/* What identifies a function. */
struct dft_function_key {
    struct dft_text name;
    struct dft_text category;
    struct dft_text file;
    int64_t line;
};

/* That of a call. Valid as long as the event. */
struct dft_function_key dft_functions_key_of(struct dft_reader *reader,
                                             const struct dft_event *event);

uint64_t dft_functions_hash(const struct dft_function_key *key);

/*
 * The number of a function. If it is not in the table, `find` returns DFT_INDEX_NONE; `find_or_add`
 * adds it, or returns the row for all other functions if the memory is used up.
 */
uint32_t dft_functions_find(const struct dft_function_table *table,
                            const struct dft_function_key *key);
uint32_t dft_functions_find_or_add(struct dft_function_table *table,
                                   const struct dft_function_key *key);

/* Adds the times of the open trace, which has ended. */
void dft_functions_count_nested(struct dft_function_table *table);

/* Forgets the times of the open trace, because they are worked out again. */
void dft_functions_forget_nested(struct dft_function_table *table);

/* Computes totals, means and minimums from the sums. */
void dft_functions_finish(struct dft_function_table *table);

/* Gives functions without a name the name of their file. The table cannot find them afterwards. */
void dft_functions_name_by_file(struct dft_function_table *table);

void dft_functions_free(struct dft_function_table *table);

#endif
