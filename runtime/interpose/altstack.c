/*
 * Alternate signal stacks. Runs in traced threads; keeps errno.
 *
 * When a thread's stack overflows, our handler cannot run on that stack. So each traced thread gets
 * an alternate stack from us. The program does not see it: sigaltstack reports none, and a stack
 * that the program sets replaces ours.
 */
#include "runtime/interpose/altstack.h"
#include "os/page.h"
#include "os/signals.h"
#include "runtime/base/address_space.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/signals.h"
#include "runtime/session/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * The size for handlers. The size of the kernel's part, which depends on the processor's registers,
 * is added to it.
 */
#define HANDLER_SIZE (64u << 10)

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* Stacks of ended threads that are kept for reuse: mapping one takes longer than using it. */
#define KEPT_MAX 16

static DFT_TLS char *own_stack;
static _Atomic(char *) kept[KEPT_MAX];

/* Whether any thread has a stack of ours, and whether the program has ever set one. */
static _Atomic bool given, set_by_program;

static size_t stack_size(void)
{
    return dft_page_round_up(HANDLER_SIZE + getauxval(AT_MINSIGSTKSZ));
}

static void use_own(void)
{
    stack_t ours = {.ss_sp = own_stack, .ss_size = stack_size()};

    dft_signal_set_stack(&ours, NULL);
}

static char *new_stack(void)
{
    for (unsigned i = 0; i < KEPT_MAX; i++) {
        char *stack = atomic_load_explicit(&kept[i], memory_order_relaxed)
                          ? atomic_exchange(&kept[i], NULL)
                          : NULL;
        if (stack)
            return stack;
    }
    void *memory = mmap(NULL, stack_size(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void keep_or_unmap(char *stack)
{
    for (unsigned i = 0; i < KEPT_MAX; i++) {
        char *none = NULL;
        if (!atomic_load_explicit(&kept[i], memory_order_relaxed) &&
            atomic_compare_exchange_strong(&kept[i], &none, stack))
            return;
    }
    munmap(stack, stack_size());
}

void dft_altstack_give(void)
{
    stack_t present;

    if (own_stack || dft_signal_set_stack(NULL, &present) != 0)
        return;
    if (!(present.ss_flags & SS_DISABLE)) {
        atomic_store(&set_by_program, true);
        return;
    }
    char *stack = new_stack();
    if (!stack)
        return;
    own_stack = stack;
    atomic_store(&given, true);
    use_own();
}

void dft_altstack_take(void)
{
    stack_t present, none = {.ss_flags = SS_DISABLE};

    if (!own_stack || dft_signal_set_stack(NULL, &present) != 0 || (present.ss_flags & SS_ONSTACK))
        return;
    if (present.ss_sp == own_stack)
        dft_signal_set_stack(&none, NULL);
    keep_or_unmap(own_stack);
    own_stack = NULL;
}

bool dft_altstack_is_used(void)
{
    stack_t present;

    return dft_signal_set_stack(NULL, &present) == 0 && (present.ss_flags & SS_ONSTACK);
}

bool dft_altstack_is_only_ours(void)
{
    return atomic_load(&given) && !atomic_load(&set_by_program);
}

DFT_INTERPOSE int sigaltstack(const stack_t *wanted, stack_t *old)
{
    stack_t before;

    /*
     * Done before the program's stack is in use. If setting the stack then fails, this does no
     * harm.
     */
    if (wanted && !(wanted->ss_flags & SS_DISABLE) && dft_altstack_is_only_ours() &&
        dft_address_space_kind() != DFT_ADDRESS_SPACE_SHARED) {
        atomic_store(&set_by_program, true);
        dft_signals_use_stacks();
    }
    int result = dft_signal_set_stack(wanted, &before);
    if (result != 0)
        return result;
    if (own_stack && wanted && (wanted->ss_flags & SS_DISABLE))
        use_own();
    if (old) {
        if (own_stack && before.ss_sp == own_stack)
            before = (stack_t){.ss_flags = SS_DISABLE};
        *old = before;
    }
    return 0;
}
