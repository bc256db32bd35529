/*
 * The hooks of -finstrument-functions: hooks.c once more, for functions that are known by address.
 * Runs in whichever thread and context a call is made, signal handlers included.
 *
 * No lock, no system call, no heap; errno stays as it is. There is no token: at exit the frame of
 * the call is told by its function and its place on the stack. hooks.c tells why things are done in
 * this order.
 */
#include "runtime/clock.h"
#include "runtime/fallback.h"
#include "runtime/hot.h"
#include "runtime/thread.h"

#define EXPORT __attribute__((visibility("default")))

/* Where the return address of the hook stands, as the plugins' hooks have it. */
#define STACK_ADDRESS() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa() - sizeof(void *))

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

EXPORT void __cyg_profile_func_enter(void *function, void *call_site)
{
    const struct dft_addresses *table = __atomic_load_n(&dft_addresses, __ATOMIC_ACQUIRE);

    if (!table) {
        if (!dft_fallback_is_alone)
            dft_fallback_pass_on(true, function, call_site);
        return;
    }
    struct dft_function *known = dft_addresses_find(table, (uintptr_t)function);
    if (!DFT_LIKELY(known))
        known = dft_fallback_learn((uintptr_t)function);
    if (known == &dft_not_traced || !known->made.site.on)
        return;
    struct dft_place place = {STACK_ADDRESS(), (uint64_t)(uintptr_t)__builtin_return_address(0)};
    struct dft_thread *self = dft_self;
    uint32_t id = __atomic_load_n(&known->made.site.id, __ATOMIC_RELAXED);
    if (DFT_LIKELY(self && id && !known->twin && dft_clock_kind == DFT_CLOCK_COUNTER) &&
        DFT_LIKELY(dft_hot_enter(self, id, place, dft_ticks_counter)))
        return;
    dft_fallback_enter(known, place);
}

/* Whether the innermost frame is that of the call that ends here. */
static inline bool is_own(const struct dft_frame *frame, const struct dft_function *known,
                          uint32_t id, uint64_t stack)
{
    if (frame->site != id || frame->start == 0)
        return false;
    if (DFT_LIKELY(frame->stack == stack))
        return true;
    return frame->stack > stack ? known->exits & DFT_EXIT_LOWER
                                : known->exits & DFT_EXIT_HIGHER && frame[-1].stack >= stack;
}

EXPORT void __cyg_profile_func_exit(void *function, void *call_site)
{
    const struct dft_addresses *table = __atomic_load_n(&dft_addresses, __ATOMIC_ACQUIRE);

    if (!table) {
        if (!dft_fallback_is_alone)
            dft_fallback_pass_on(false, function, call_site);
        return;
    }
    struct dft_function *known = dft_addresses_find(table, (uintptr_t)function);
    if (known == &dft_not_traced)
        return;
    struct dft_thread *self = dft_self;
    uint32_t id = known ? __atomic_load_n(&known->made.site.id, __ATOMIC_RELAXED) : 0;
    /* Calls with more than their time are known by another number, and go the slow way. */
    bool slow = !id;
    if (!id && known)
        id = __atomic_load_n(&known->made.site.own_id, __ATOMIC_RELAXED);
    if (!id || !self)
        return;
    uint64_t stack = STACK_ADDRESS();
    struct dft_frame *frame = self->top - 1;
    /* A call that is not recorded, below one that is. */
    if (frame->site != id && frame->stack > stack && self->deep == 0)
        return;
    uint64_t now = dft_clock_now();
    if (DFT_LIKELY(!slow && is_own(frame, known, id, stack) && !known->twin) &&
        DFT_LIKELY(dft_hot_leave(self, frame, frame->start, now - frame->start)))
        return;
    dft_fallback_exit(known, now, stack);
}
