/* Functions by their start address, which the hooks of -finstrument-functions are given. */
#ifndef DFT_RUNTIME_FINSTRUMENT_FUNCTION_TABLE_H
#define DFT_RUNTIME_FINSTRUMENT_FUNCTION_TABLE_H

#include "runtime/sites/sites.h"

#include <stddef.h>
#include <stdint.h>

/* What is known about a function's calls, and about where it calls its exit hook from. */
enum dft_function_mark {
    DFT_EXIT_LOWER =
        0x4000, /* from lower on the stack than the enter hook: the function uses alloca */
    DFT_EXIT_HIGHER = 0x8000, /* by a jump, after its own stack frame is gone */
    DFT_CALL_SLOW = 0x10000,  /* its calls do not take the fast path */
};

struct dft_function {
    struct dft_made_site made;
    struct dftrace_site
        *twin;      /* the plugin's site of this name: one function may have hooks of both kinds */
    uint32_t marks; /* enum dft_function_mark */
    bool both;      /* whether one call was seen to run hooks of both kinds */
    bool twice;     /* this enter hook runs before the twin's: the twin records the call */
    bool gone;      /* its module is unloaded: the entry may be reused */
};

struct dft_function_slot {
    uintptr_t address;             /* 0: free; DFT_FUNCTION_SLOT_GONE: deleted */
    struct dft_function *function; /* NULL: to be looked up again */
};

#define DFT_FUNCTION_SLOT_GONE ((uintptr_t)1)

/* An open-addressing hash table that is never full. It grows by being replaced. */
struct dft_function_table {
    size_t mask;  /* for the byte offset of a slot */
    size_t count; /* number of slots, a power of 2 */
    size_t used;
    struct dft_function_slot slots[];
};

/* NULL: no function is traced by the hooks of -finstrument-functions. */
extern __attribute__((visibility("hidden"))) struct dft_function_table *dft_function_table;

/* The first slot to look at. If the table contains the address, it is nearly always there. */
static inline const struct dft_function_slot *
dft_function_table_first(const struct dft_function_table *table, uintptr_t address)
{
    uint64_t place = (uint64_t)address * 0x9e3779b97f4a7c15u >> 32 & table->mask;

    return (const struct dft_function_slot *)(const void *)((const char *)table->slots + place);
}

/* For a reader that has found its address in this slot. NULL: as if the function were new. */
static inline struct dft_function *dft_function_slot_function(const struct dft_function_slot *slot)
{
    return __atomic_load_n(&slot->function, __ATOMIC_ACQUIRE);
}

/* Any thread, any context; no lock. NULL: the function is new. */
struct dft_function *dft_function_table_find(const struct dft_function_table *table,
                                             uintptr_t address);

/* While holding the private heap's lock. */
void dft_function_table_add(uintptr_t address, struct dft_function *function);

/* From now on hooks use the table. */
void dft_function_table_begin(void);

/* The entry of every function that is not traced. Its site is never on and has no number. */
extern __attribute__((visibility("hidden"))) struct dft_function dft_not_traced;

#endif
