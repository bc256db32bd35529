/*
 * -finstrument-functions: functions that a compiler without plugin has put hooks into. They are
 * known by address. At the first call of each function, the run's allowlist decides whether it is
 * traced.
 */
#ifndef DFT_RUNTIME_FINSTRUMENT_RESOLVE_H
#define DFT_RUNTIME_FINSTRUMENT_RESOLVE_H

#include "runtime/finstrument/function_table.h"
#include "runtime/hooks/slow_path.h"

/* Where and how an exit hook was called. */
struct dft_exit_place {
    uint64_t stack;
    uint64_t frame_pointer; /* the function's, if it has one; otherwise anything */
    uint64_t call_site;     /* where the function returns to */
    bool jumped;            /* the hook was reached by a jump: the function's stack frame is gone */
};

/* The slow halves of the hooks. errno is kept. */
struct dft_function *dft_finstrument_resolve(uintptr_t address);
void dft_finstrument_enter(struct dft_function *function, struct dft_place place);
void dft_finstrument_exit(struct dft_function *function, uint64_t now,
                          const struct dft_exit_place *exit);

/*
 * For programs in which -finstrument-functions traces nothing: passes the call on to the program's
 * own hooks, if there are any.
 */
extern __attribute__((visibility("hidden"))) bool dft_finstrument_is_alone; /* true: none */
void dft_finstrument_pass_on(bool enter, void *function, void *call_site);

#endif
