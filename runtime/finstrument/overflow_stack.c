/*
 * A second shadow stack for each thread that needs one, in private memory. Runs in traced threads.
 * A handler may run between any two instructions: an entry is reserved before it is filled, and
 * released after it has been read.
 */
#include "runtime/finstrument/overflow_stack.h"
#include "runtime/session/thread.h"

#include <stddef.h>
#include <sys/mman.h>

#define CALLS_MAX (4u << 20)
#define SIZE (CALLS_MAX * sizeof(struct deep_call))

struct deep_call {
    uint64_t start;
    uint64_t stack;
    uint32_t site;
};

static DFT_TLS struct deep_call *calls;
static DFT_TLS uint32_t count;

void dft_overflow_stack_push(uint32_t site, uint64_t start, uint64_t stack)
{
    if (!calls) {
        void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            return;
        calls = memory;
    }
    if (count == CALLS_MAX)
        return;
    struct deep_call *call = &calls[count++];
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *call = (struct deep_call){start, stack, site};
}

/*
 * Pops abandoned calls. An exit hook may be called from a higher stack address than the enter hook
 * of the same call, but not from a higher one than the enter hook of the caller. So a call is
 * abandoned if its caller's stack address is too low. This cannot be decided here for the outermost
 * call, whose caller is not in this stack.
 */
static bool drop_abandoned(uint64_t stack)
{
    uint32_t before = count;

    while (count > 1 && calls[count - 2].stack < stack)
        count--;
    return count < before;
}

uint64_t dft_overflow_stack_pop(uint32_t site, uint64_t stack, const struct dft_frame *around)
{
    if (drop_abandoned(stack) && around->stack == stack && around->site == site)
        count = 0;
    while (count > 1 && calls[count - 1].site != site && calls[count - 1].stack < stack)
        count--;
    if (count == 0 || calls[count - 1].site != site)
        return 0;
    uint64_t start = calls[count - 1].start;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    count--;
    return start;
}

uint32_t dft_overflow_stack_count(void)
{
    return count;
}

void dft_overflow_stack_clear(void)
{
    count = 0;
}

void dft_overflow_stack_exchange(struct dft_overflow_calls *other)
{
    struct dft_overflow_calls mine = {calls, count};

    calls = other->calls;
    count = other->count;
    *other = mine;
}

void dft_overflow_stack_end(void)
{
    if (calls)
        munmap(calls, SIZE);
    calls = NULL;
    count = 0;
}
