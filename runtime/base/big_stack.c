/* One stack for whoever has the heap's lock. Any thread and context; no heap. */
#include "runtime/base/big_stack.h"
#include "allowlist/allowlist.h"

#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_SIZE (9u << 20) /* for the longest symbol that is demangled at all */

static char *stack;
static struct {
    void (*work)(void *);
    void *argument;
} job;

static void run_job(void)
{
    job.work(job.argument);
}

bool dft_big_stack_run(void (*work)(void *), void *argument)
{
    ucontext_t here, there;

    if (!stack) {
        void *memory = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (memory == MAP_FAILED)
            return false;
        stack = memory;
    }
    job.work = work;
    job.argument = argument;
    if (getcontext(&there) != 0)
        return false;
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = STACK_SIZE;
    there.uc_link = &here;
    makecontext(&there, run_job, 0);
    return swapcontext(&here, &there) == 0;
}

/* In place of allowlist/stack.c: whoever makes names here does it on this stack. */
bool dft_stack_has(size_t size)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t low = (uintptr_t)stack;

    return here > low && here - low < STACK_SIZE && here - low > size;
}
