/*
 * -finstrument-functions: functions that a compiler without plugin has put hooks into. They are
 * known by address; which are traced is decided at the first call of each, by the run's allowlist.
 */
#ifndef DFT_FALLBACK_H
#define DFT_FALLBACK_H

#include "runtime/calls.h"
#include "runtime/sites.h"

#include <stdint.h>

/* What has been learnt of how a function calls its exit hook. */
enum dft_fallback_exit {
    DFT_EXIT_LOWER = 1,  /* further down the stack than the enter hook: it uses alloca */
    DFT_EXIT_HIGHER = 2, /* by a jump, when its own frame is gone already */
};

struct dft_function {
    struct dft_made_site made;
    struct dftrace_site *twin; /* the plugin's, where one function has hooks of both kinds */
    uint8_t exits;             /* enum dft_fallback_exit */
    bool gone;                 /* its module has been unloaded: free to be used again */
};

struct dft_address {
    uintptr_t address; /* 0: free; DFT_ADDRESS_GONE: was used */
    struct dft_function *function;
};

#define DFT_ADDRESS_GONE ((uintptr_t)1)

/* Open addressing, never full. Only grows, by a new table in place of the old one. */
struct dft_addresses {
    unsigned shift;
    size_t mask;
    size_t used;
    struct dft_address slots[];
};

/* NULL: nothing is traced this way. */
extern struct dft_addresses *dft_addresses;

/* Any thread and context, without a lock. NULL: not seen yet. */
static inline struct dft_function *dft_addresses_find(const struct dft_addresses *table,
                                                      uintptr_t address)
{
    size_t at = (size_t)((uint64_t)address * 0x9e3779b97f4a7c15u >> table->shift);

    for (;; at = (at + 1) & table->mask) {
        uintptr_t found = __atomic_load_n(&table->slots[at].address, __ATOMIC_ACQUIRE);
        if (__builtin_expect(found == address, 1))
            return table->slots[at].function;
        if (found == 0)
            return NULL;
    }
}

/* The slow halves of the hooks. Keep errno. */
struct dft_function *dft_fallback_learn(uintptr_t address);
void dft_fallback_enter(struct dft_function *function, struct dft_place place);
void dft_fallback_exit(struct dft_function *function, uint64_t now, uint64_t stack);

/* Nothing is traced this way: passes the call on to a program's own hooks, where it has some. */
void dft_fallback_pass_on(bool enter, void *function, void *call_site);

#endif
