/*
 * Fatal signals. The handler runs in whichever thread receives the signal, at any point: no heap,
 * no lock.
 *
 * If a signal that ends the process is at its default action, our handler is installed in the
 * kernel instead, and our sigaction reports SIG_DFL to the program. The program's own handlers are
 * installed unchanged, except for one-shot handlers. After a one-shot handler, the kernel would
 * restore the default action instead of our handler. So a handler of ours is installed in its
 * place: it installs our handler for the default action, then calls the program's. The state in the
 * kernel is authoritative; `asked` only adds what the kernel's state cannot express.
 *
 * A program without an alternate stack may ask for a handler to run on one (SA_ONSTACK). Such a
 * handler then runs on the thread's own stack, which is larger than the alternate stack that the
 * thread has from us. So the flag is withheld from the kernel until the program sets a stack.
 *
 * The handler completes the trace, then sends the same signal with the same origin to the same
 * thread again, at its default action. The signal is blocked until the handler returns, so the
 * process dies with the registers, status and core dump that it would have had.
 */
#include "runtime/interpose/signals.h"
#include "os/kernel.h"
#include "os/signals.h"
#include "runtime/base/address_space.h"
#include "runtime/base/log.h"
#include "runtime/interpose/altstack.h"
#include "runtime/interpose/exit.h"
#include "runtime/interpose/next.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/*
 * libc's sigaction under another name, which libraries that interpose sigaction do not replace.
 * Static executables have it, too.
 */
int __sigaction(int number, const struct sigaction *action, struct sigaction *old);
typedef void handler_function(int);
typedef void action_function(int, siginfo_t *, void *);

DFT_DEFINE_NEXT(sigaction)
DFT_DEFINE_NEXT(signal)

static bool bound[NSIG];

/* What the program asked for, if one of our handlers is installed instead. */
static struct sigaction asked[NSIG];

/* The signal has a one-shot handler that has not been called yet. */
static bool armed[NSIG];

/* The program asked for SA_ONSTACK, and the flag is withheld from the kernel. */
static bool withheld[NSIG];

/* Whether the signal's default action ends the process, and the signal can be caught. */
static bool ends_process(int number)
{
    switch (number) {
    case SIGKILL:
    case SIGSTOP:
    case SIGCHLD:
    case SIGCONT:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGURG:
    case SIGWINCH:
        return false;
    default:
        /* The signals from __SIGRTMIN to SIGRTMIN - 1 are libc's own. */
        return number < __SIGRTMIN || number >= SIGRTMIN;
    }
}

static bool is_fault(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
           number == SIGTRAP || number == SIGSYS;
}

static void raise_again(int number, siginfo_t *info)
{
    struct sigaction fallback = {.sa_handler = SIG_DFL};

    __sigaction(number, &fallback, NULL);
    if (dft_signal_send_again(number, info) != 0)
        dft_signal_send(dft_kernel_tid(), number);
}

static void die(int number, siginfo_t *info, void *context)
{
    int saved = errno;

    (void)context;
    /*
     * At its default action, a signal from another process does not end the first process of a
     * system or container (pid 1).
     */
    if (dft_kernel_pid() != 1 || info->si_code > 0) {
        dft_exit_by_signal();
        raise_again(number, info);
    }
    errno = saved;
}

static void call_once(int number, siginfo_t *info, void *context);

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) &&
           (action->sa_sigaction == die || action->sa_sigaction == call_once);
}

/* Installs our handler in place of the default action. */
static int bind_default(int number, const struct sigaction *action)
{
    struct sigaction ours = {.sa_sigaction = die, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    asked[number] = *action;
    withheld[number] = false;
    sigfillset(&ours.sa_mask);
    return __sigaction(number, &ours, NULL);
}

static void call_once(int number, siginfo_t *info, void *context)
{
    struct sigaction wanted = asked[number], fallback = wanted;

    if (!__atomic_exchange_n(&armed[number], false, __ATOMIC_RELAXED)) {
        die(number, info, context);
        return;
    }
    fallback.sa_handler = SIG_DFL;
    bind_default(number, &fallback);
    if (wanted.sa_flags & SA_SIGINFO)
        wanted.sa_sigaction(number, info, context);
    else /* handlers with one argument may read the second one, too: the kernel passes it */
        ((action_function *)(void *)wanted.sa_handler)(number, info, context);
}

static bool has_handler(const struct sigaction *action)
{
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

static int call_libc(int number, const struct sigaction *action, struct sigaction *old)
{
    __typeof__(&sigaction) next = next_sigaction();

    return next ? next(number, action, old) : __sigaction(number, action, old);
}

static int call_next(int number, const struct sigaction *action, struct sigaction *old)
{
    bool valid = number > 0 && number < NSIG;
    bool had = valid && withheld[number];
    bool has = valid && action && has_handler(action) && (action->sa_flags & SA_ONSTACK) &&
               dft_altstack_is_only_ours();

    if (!(had || has) || dft_address_space_kind() == DFT_ADDRESS_SPACE_SHARED)
        return call_libc(number, action, old);
    struct sigaction without;
    if (action) {
        without = *action;
        if (has)
            without.sa_flags &= ~SA_ONSTACK;
    }
    int result = call_libc(number, action ? &without : NULL, old);
    if (result == 0 && had && old && has_handler(old))
        old->sa_flags |= SA_ONSTACK;
    if (result == 0 && action)
        withheld[number] = has;
    return result;
}

/* Called before libc's signal() sets an action. Such an action is always without SA_ONSTACK. */
static void forget_withheld(int number)
{
    if (number > 0 && number < NSIG && withheld[number] &&
        dft_address_space_kind() != DFT_ADDRESS_SPACE_SHARED)
        withheld[number] = false;
}

void dft_signals_use_stacks(void)
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction present;
        if (!withheld[number])
            continue;
        withheld[number] = false;
        if (call_libc(number, NULL, &present) == 0 && has_handler(&present)) {
            present.sa_flags |= SA_ONSTACK;
            call_libc(number, &present, NULL);
        }
    }
}

static int install_one_shot(int number, const struct sigaction *action, struct sigaction *old)
{
    struct sigaction ours = *action;

    ours.sa_flags = (ours.sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
    ours.sa_sigaction = call_once;
    asked[number] = *action;
    __atomic_store_n(&armed[number], true, __ATOMIC_RELAXED);
    return call_next(number, &ours, old);
}

static bool is_watched(int number)
{
    return number > 0 && number < NSIG && bound[number];
}

DFT_INTERPOSE int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    struct sigaction wanted, before, shown;
    int result;

    if (!is_watched(number))
        return call_next(number, action, old);
    if (action)
        wanted = *action; /* `action` may be the same memory as `old` */
    shown = asked[number];
    if (!action || dft_address_space_kind() == DFT_ADDRESS_SPACE_SHARED) {
        result = call_next(number, action ? &wanted : NULL, &before);
    } else if (wanted.sa_handler == SIG_DFL) {
        /* Only to report the previous action to the caller; bind_default sets the new one. */
        result = call_next(number, NULL, &before);
        if (result == 0)
            result = bind_default(number, &wanted);
    } else if ((wanted.sa_flags & SA_RESETHAND) && has_handler(&wanted)) {
        result = install_one_shot(number, &wanted, &before);
    } else {
        result = call_next(number, &wanted, &before);
    }
    if (result == 0 && old)
        *old = is_ours(&before) ? shown : before;
    return result;
}

/* Called after a function of libc has set an action: replaces the default action by ours. */
static void bind_again(int number)
{
    struct sigaction present;

    if (dft_address_space_kind() != DFT_ADDRESS_SPACE_SHARED &&
        __sigaction(number, NULL, &present) == 0 && present.sa_handler == SIG_DFL)
        bind_default(number, &present);
}

static handler_function *shown_handler(handler_function *found, const struct sigaction *before)
{
    return found == (handler_function *)(void *)die ||
                   found == (handler_function *)(void *)call_once
               ? before->sa_handler
               : found;
}

static handler_function *set_handler(int number, handler_function *handler, int flags,
                                     bool mask_itself)
{
    struct sigaction wanted = {.sa_handler = handler, .sa_flags = flags}, before;

    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (mask_itself)
        sigaddset(&wanted.sa_mask, number);
    return sigaction(number, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}

DFT_INTERPOSE handler_function *signal(int number, handler_function *handler)
{
    __typeof__(&signal) next = next_signal();

    if (!next)
        return set_handler(number, handler, SA_RESTART, true);
    forget_withheld(number);
    if (!is_watched(number))
        return next(number, handler);
    struct sigaction before = asked[number];
    handler_function *found = shown_handler(next(number, handler), &before);
    bind_again(number);
    return found;
}

handler_function *bsd_signal(int number, handler_function *handler);
DFT_INTERPOSE handler_function *bsd_signal(int number, handler_function *handler)
{
    return signal(number, handler);
}

DFT_INTERPOSE handler_function *ssignal(int number, handler_function *handler)
{
    return signal(number, handler);
}

DFT_INTERPOSE handler_function *__sysv_signal(int number, handler_function *handler)
{
    return set_handler(number, handler, SA_RESETHAND | SA_NODEFER, false);
}

DFT_INTERPOSE handler_function *sysv_signal(int number, handler_function *handler)
{
    return __sysv_signal(number, handler);
}

/*
 * Does what libc's sigset does: unblocks a blocked signal, and returns SIG_HOLD if it was blocked.
 */
DFT_INTERPOSE handler_function *sigset(int number, handler_function *handler)
{
    sigset_t just, masked;
    struct sigaction before;

    sigemptyset(&just);
    if (sigaddset(&just, number) != 0)
        return SIG_ERR;
    if (handler == SIG_HOLD) {
        if (sigprocmask(SIG_BLOCK, &just, &masked) != 0 || sigaction(number, NULL, &before) != 0)
            return SIG_ERR;
        return sigismember(&masked, number) ? SIG_HOLD : before.sa_handler;
    }
    handler_function *found = set_handler(number, handler, 0, false);
    if (found == SIG_ERR || sigprocmask(SIG_UNBLOCK, &just, &masked) != 0)
        return SIG_ERR;
    return sigismember(&masked, number) ? SIG_HOLD : found;
}

void dft_signals_find_next(void)
{
    (void)next_sigaction();
    (void)next_signal();
}

void dft_signals_bind(void)
{
    bool first_process = dft_kernel_pid() == 1;

    if (!dft_options.bind_signals)
        return;
    for (int number = 1; number < NSIG; number++) {
        struct sigaction present;
        if (!ends_process(number) || (first_process && !is_fault(number)))
            continue;
        bound[number] = true;
        if (__sigaction(number, NULL, &present) == 0 && present.sa_handler == SIG_DFL)
            bind_default(number, &present);
    }
}
