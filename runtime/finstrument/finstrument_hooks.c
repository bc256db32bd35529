/*
 * The hooks of -finstrument-functions: the hot path for functions that are known by address. Runs
 * in any thread and any context, signal handlers included.
 *
 * No lock, no system call, no heap; errno is kept. These hooks have no token. So the exit hook
 * identifies the frame of the call by function and stack address. hooks.c explains the order of the
 * steps.
 */
#include "runtime/base/clock.h"
#include "runtime/finstrument/resolve.h"
#include "runtime/hooks/fast_path.h"
#include "runtime/session/thread.h"

#define EXPORT __attribute__((visibility("default"), aligned(64)))

/* The address of the hook's return address, as in the plugins' hooks. */
#define STACK_ADDRESS() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa() - sizeof(void *))

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

/*
 * What the frames of these calls contain as `caller`: the function's address, its marks, and the
 * lower bits of the hook's return address. These bits distinguish open calls of copies of the
 * function that are inlined into one stack frame. The exit hook need not look up the function,
 * because the frame identifies it.
 */
#define CALLER_SHIFT 17
#define CALLER_ADDRESS (DFT_EXIT_LOWER - 1u)
_Static_assert(DFT_CALL_SLOW << 1 == 1 << CALLER_SHIFT, "the marks are below the function");

static inline uint64_t make_caller(const void *function, const void *address, uint32_t marks)
{
    return (uint64_t)(uintptr_t)function << CALLER_SHIFT | marks |
           ((uint64_t)(uintptr_t)address & CALLER_ADDRESS);
}

/*
 * If the frame belongs to this function, returns the marks and the bits of the return address.
 * Otherwise returns a number that is too large for these.
 */
static inline uint64_t subtract_function(uint64_t caller, const void *function)
{
    return caller ^ (uint64_t)(uintptr_t)function << CALLER_SHIFT;
}

/*
 * Enters a function that is traced. Out of line, like exit_traced below, because most functions are
 * not traced: the hooks themselves then need not save registers.
 */
static __attribute__((noinline)) void enter_traced(void *function, struct dft_function *known,
                                                   uint64_t stack, const void *returns_to)
{
    if (!known->made.site.on)
        return;
    struct dft_place place = {stack, make_caller(function, returns_to, known->marks)};
    struct dft_thread *self = dft_self;
    uint32_t id = __atomic_load_n(&known->made.site.id, __ATOMIC_RELAXED);
    if (DFT_LIKELY(self && id && !(known->marks & DFT_CALL_SLOW)) &&
        DFT_LIKELY(dft_fast_path_enter(self, id, place, dft_ticks_counter)))
        return;
    dft_finstrument_enter(known, place);
}

/* Enters a function that is not in the first slot for its address. The function may be new. */
static __attribute__((noinline)) void enter_other(void *function,
                                                  const struct dft_function_table *table,
                                                  uint64_t stack, const void *returns_to)
{
    struct dft_function *known = dft_function_table_find(table, (uintptr_t)function);

    enter_traced(function, known ? known : dft_finstrument_resolve((uintptr_t)function), stack,
                 returns_to);
}

EXPORT void __cyg_profile_func_enter(void *function, void *call_site)
{
    const struct dft_function_table *table = __atomic_load_n(&dft_function_table, __ATOMIC_ACQUIRE);

    if (!DFT_LIKELY(table)) {
        if (!dft_finstrument_is_alone)
            dft_finstrument_pass_on(true, function, call_site);
        return;
    }
    const struct dft_function_slot *slot = dft_function_table_first(table, (uintptr_t)function);
    if (DFT_LIKELY(__atomic_load_n(&slot->address, __ATOMIC_ACQUIRE) == (uintptr_t)function)) {
        struct dft_function *known = dft_function_slot_function(slot);
        if (DFT_LIKELY(known == &dft_not_traced))
            return;
        if (DFT_LIKELY(known)) {
            enter_traced(function, known, STACK_ADDRESS(), __builtin_return_address(0));
            return;
        }
    }
    enter_other(function, table, STACK_ADDRESS(), __builtin_return_address(0));
}

/*
 * Handles what the fast paths below leave, for example if the ending call is not the innermost, or
 * if the exit hook is called from another stack address than the enter hook.
 */
static __attribute__((noinline)) void exit_slowly(const void *function, const void *call_site,
                                                  uint64_t stack, const void *returns_to,
                                                  uint64_t frame_pointer)
{
    struct dft_exit_place exit = {stack, frame_pointer, (uint64_t)(uintptr_t)call_site,
                                  returns_to == call_site};
    struct dft_function *known = dft_function_table_find(
        __atomic_load_n(&dft_function_table, __ATOMIC_ACQUIRE), (uintptr_t)function);

    if (known && known != &dft_not_traced)
        dft_finstrument_exit(known, dft_clock_now(), &exit);
}

/*
 * The fast path for the innermost call of a function that uses alloca. Everything else is left to
 * exit_slowly.
 */
__attribute__((visibility("hidden"))) void
dft_cyg_exit_elsewhere(const void *function, const void *call_site, uint64_t stack,
                       const void *returns_to, uint64_t frame_pointer)
{
    struct dft_thread *self = dft_self;
    struct dft_frame *frame = self->top - 1;
    uint64_t marks = subtract_function(frame->caller, function);
    uint64_t start = frame->start;

#if defined(__x86_64__)
    /* The hook's own frame pointer, if it has one, points to the saved one of the function. */
    if (frame_pointer == stack - sizeof frame_pointer)
        frame_pointer = *(const uint64_t *)(uintptr_t)frame_pointer;
#endif
    if (DFT_LIKELY(marks < DFT_CALL_SLOW && marks & DFT_EXIT_LOWER && start && self->deep == 0 &&
                   stack < frame->stack && frame->stack < frame_pointer &&
                   returns_to != call_site) &&
        DFT_LIKELY(dft_fast_path_leave(self, frame, start, dft_ticks_counter() - start)))
        return;
    exit_slowly(function, call_site, stack, returns_to, frame_pointer);
}

/*
 * Passes on the frame pointer of the function that called the hook, if that function has one. C
 * code cannot read the register: a hook in C that did so would set up a frame pointer of its own.
 * But when the hook jumps here as its last action, all callee-saved registers have the values of
 * the hook's caller again.
 */
#if defined(__x86_64__)
__attribute__((visibility("hidden"))) void dft_cyg_exit_aside(const void *function,
                                                              const void *call_site, uint64_t stack,
                                                              const void *returns_to);
__asm__(".pushsection .text\n"
        ".globl dft_cyg_exit_aside\n"
        ".hidden dft_cyg_exit_aside\n"
        ".type dft_cyg_exit_aside, @function\n"
        "dft_cyg_exit_aside:\n"
        ".cfi_startproc\n"
        "    movq %rbp, %r8\n"
        "    jmp dft_cyg_exit_elsewhere\n"
        ".cfi_endproc\n"
        ".size dft_cyg_exit_aside, . - dft_cyg_exit_aside\n"
        ".popsection\n");
#else
#define dft_cyg_exit_aside(function, call_site, stack, returns_to)                                 \
    dft_cyg_exit_elsewhere(function, call_site, stack, returns_to,                                 \
                           *(const uint64_t *)__builtin_frame_address(0))
#endif

/*
 * Whether the innermost frame, which belongs to this function, is that of the ending call. If a
 * function jumps to its exit hook, the hook's stack address is higher than the frame's, and not
 * higher than that of the caller's frame.
 */
static inline bool is_own(const struct dft_frame *frame, uint64_t marks, uint64_t stack,
                          bool jumped)
{
    if (DFT_LIKELY(frame->stack == stack))
        return !jumped;
    if (frame->stack > stack)
        return false;
    return marks & DFT_EXIT_HIGHER && frame[-1].stack >= stack;
}

/*
 * Ends the innermost call if its frame is that of the ending call. All other cases are left to
 * dft_cyg_exit_aside.
 */
static __attribute__((noinline)) void exit_traced(void *function, const void *call_site,
                                                  uint64_t stack, const void *returns_to)
{
    struct dft_thread *self = dft_self;
    struct dft_frame *frame = self->top - 1;
    uint64_t marks = subtract_function(frame->caller, function);
    uint64_t start = frame->start;

    if (DFT_LIKELY(marks < DFT_CALL_SLOW && start && self->deep == 0 &&
                   is_own(frame, marks, stack, returns_to == call_site)) &&
        DFT_LIKELY(dft_fast_path_leave(self, frame, start, dft_ticks_counter() - start)))
        return;
    dft_cyg_exit_aside(function, call_site, stack, returns_to);
}

EXPORT void __cyg_profile_func_exit(void *function, void *call_site)
{
    if (!DFT_LIKELY(__atomic_load_n(&dft_function_table, __ATOMIC_ACQUIRE))) {
        if (!dft_finstrument_is_alone)
            dft_finstrument_pass_on(false, function, call_site);
        return;
    }
    struct dft_thread *self = dft_self;
    if (!DFT_LIKELY(self))
        return;
    uint64_t stack = STACK_ADDRESS();
    const struct dft_frame *frame = self->top - 1;
    if (subtract_function(frame->caller, function) >> CALLER_SHIFT && frame->stack > stack &&
        self->deep == 0)
        return; /* a call that is not recorded, inside one that is */
    exit_traced(function, call_site, stack, __builtin_return_address(0));
}
