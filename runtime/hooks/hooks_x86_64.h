/*
 * Offsets that hooks_x86_64.S needs. Both the assembly and C files include this; the C compiler
 * checks the offsets.
 */
#ifndef DFT_RUNTIME_HOOKS_HOOKS_X86_64_H
#define DFT_RUNTIME_HOOKS_HOOKS_X86_64_H

#define DFT_SITE_ID 8
#define DFT_SITE_OWN_ID 12
#define DFT_SITE_COUNT_MASK 0x1ff /* extracts the index from a throttled site's id */

#define DFT_THREAD_NEXT 0
#define DFT_THREAD_END 8
#define DFT_THREAD_TOP 16
#define DFT_THREAD_LIMIT 24
#define DFT_THREAD_DROPPED 56
#define DFT_THREAD_STUCK 104
#define DFT_THREAD_CUT 105
#define DFT_THREAD_OMITTED 112
#define DFT_THREAD_COUNTS 120

/* The value of a thread's `stuck` that only says that it is; see dft_records_drop. */
#define DFT_STUCK 1

/* DFT_COUNT_STEP without a division, for the assembly. */
#define DFT_STEP_FIRST 521
#define DFT_STEP_GROWTH 4
#define DFT_STEP_MASK 63

#define DFT_FRAME_SIZE 32
#define DFT_FRAME_START 0
#define DFT_FRAME_STACK 8
#define DFT_FRAME_CALLER 16
#define DFT_FRAME_SITE 24
#define DFT_FRAME_RECORD_FIELD 28

#define DFT_RECORD_SIZE 16
#define DFT_RECORD_START 0
#define DFT_RECORD_DURATION 8
#define DFT_RECORD_SITE 12

#ifndef __ASSEMBLER__

#include "runtime/hooks/slow_path.h"

#define DFT_SAME_PLACE(number, type, member)                                                       \
    _Static_assert((number) == offsetof(struct type, member), #member " has moved")
DFT_SAME_PLACE(DFT_SITE_ID, dftrace_site, id);
DFT_SAME_PLACE(DFT_SITE_OWN_ID, dftrace_site, own_id);
DFT_SAME_PLACE(DFT_THREAD_NEXT, dft_thread, next);
DFT_SAME_PLACE(DFT_THREAD_END, dft_thread, end);
DFT_SAME_PLACE(DFT_THREAD_TOP, dft_thread, top);
DFT_SAME_PLACE(DFT_THREAD_LIMIT, dft_thread, limit);
DFT_SAME_PLACE(DFT_THREAD_DROPPED, dft_thread, dropped);
DFT_SAME_PLACE(DFT_THREAD_STUCK, dft_thread, stuck);
DFT_SAME_PLACE(DFT_THREAD_CUT, dft_thread, cut);
DFT_SAME_PLACE(DFT_THREAD_OMITTED, dft_thread, omitted);
DFT_SAME_PLACE(DFT_THREAD_COUNTS, dft_thread, counts);
DFT_SAME_PLACE(DFT_FRAME_START, dft_frame, start);
DFT_SAME_PLACE(DFT_FRAME_STACK, dft_frame, stack);
DFT_SAME_PLACE(DFT_FRAME_CALLER, dft_frame, caller);
DFT_SAME_PLACE(DFT_FRAME_SITE, dft_frame, site);
DFT_SAME_PLACE(DFT_FRAME_RECORD_FIELD, dft_frame, record);
DFT_SAME_PLACE(DFT_RECORD_START, dft_record, start);
DFT_SAME_PLACE(DFT_RECORD_DURATION, dft_record, duration);
DFT_SAME_PLACE(DFT_RECORD_SITE, dft_record, site);
_Static_assert(DFT_STEP_FIRST == DFT_COUNT_STEP_FIRST && DFT_STEP_GROWTH == DFT_COUNT_STEP_GROWTH &&
                   DFT_STEP_MASK + 1 == DFT_COUNT_STEPS,
               "calls are counted in two ways");
_Static_assert(DFT_SITE_COUNT_MASK + 1 == DFT_THROTTLED_MAX, "there are more throttled sites");
_Static_assert(DFT_FRAME_SIZE == sizeof(struct dft_frame), "frames have grown");
_Static_assert(DFT_RECORD_SIZE == sizeof(struct dft_record), "records have grown");
#undef DFT_SAME_PLACE

/* Where the assembly hooks continue in C if the call is not handled by their fast path. */
uint64_t dft_hooks_x86_64_enter(struct dftrace_site *site, struct dft_place place);
void dft_hooks_x86_64_exit(struct dftrace_site *site, uint64_t start, uint64_t now, uint64_t stack);

/*
 * Called before the first site is switched on: finds out how to save this processor's vector
 * registers.
 */
void dft_hooks_x86_64_init(void);

#endif
#endif
