/* Functions by the address that they begin at: what the hooks of -finstrument-functions are given.
 */
#ifndef DFT_RUNTIME_FINSTRUMENT_FUNCTION_TABLE_H
#define DFT_RUNTIME_FINSTRUMENT_FUNCTION_TABLE_H

#include "runtime/sites/sites.h"

#include <stddef.h>
#include <stdint.h>

/* What is known of a function's calls, and has been learnt of where it calls its exit hook from. */
enum dft_function_mark {
    DFT_EXIT_LOWER = 0x4000,  /* further down the stack than the enter hook: it uses alloca */
    DFT_EXIT_HIGHER = 0x8000, /* by a jump, when its own frame is gone already */
    DFT_CALL_SLOW = 0x10000,  /* they do not go the short way */
};

struct dft_function {
    struct dft_made_site made;
    struct dftrace_site *twin; /* the plugin's of this name: one function may have both hooks */
    uint32_t marks;            /* enum dft_function_mark */
    bool both;                 /* it has: one call was seen to run the hooks of both kinds */
    bool twice;                /* its enter hook comes before the twin's: it is the twin's call */
    bool gone;                 /* its module has been unloaded: free to be used again */
};

struct dft_function_slot {
    uintptr_t address; /* 0: free; DFT_FUNCTION_SLOT_GONE: was used */
    struct dft_function *function;
};

#define DFT_FUNCTION_SLOT_GONE ((uintptr_t)1)

/* Open addressing, never full. Only grows, by a new table in place of the old one. */
struct dft_function_table {
    size_t mask;  /* of the bytes from the first slot to the beginning of any */
    size_t count; /* of slots: a power of 2 */
    size_t used;
    struct dft_function_slot slots[];
};

/* NULL: nothing is traced this way. */
extern __attribute__((visibility("hidden"))) struct dft_function_table *dft_function_table;

/* Where an address is looked for first, and nearly always found. */
static inline const struct dft_function_slot *
dft_function_table_first(const struct dft_function_table *table, uintptr_t address)
{
    uint64_t place = (uint64_t)address * 0x9e3779b97f4a7c15u >> 32 & table->mask;

    return (const struct dft_function_slot *)(const void *)((const char *)table->slots + place);
}

/* Any thread and context, without a lock. NULL: not seen yet. */
struct dft_function *dft_function_table_find(const struct dft_function_table *table,
                                             uintptr_t address);

/* Below the heap's lock. */
void dft_function_table_add(uintptr_t address, struct dft_function *function);

/* From now on hooks look into the table. */
void dft_function_table_begin(void);

/* Of every function that is not traced: never on, without a number. */
extern __attribute__((visibility("hidden"))) struct dft_function dft_not_traced;

#endif
