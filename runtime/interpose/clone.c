/*
 * Threads that a program makes by clone(), without thread-local memory of their own: then they have
 * that of the thread which made them, and our place in it. Runs in the thread that makes one.
 *
 * Two threads must not write to one slot, and the hot path does not ask who it is. So from then on
 * no call of the first one goes the short way, and the slow one leaves out those of the other.
 */
#include "runtime/finstrument/resolve.h"
#include "runtime/interpose/next.h"
#include "runtime/session/thread.h"

#include <sched.h>
#include <stdarg.h>
#include <sys/types.h>

typedef int thread_function(void *argument);

#ifdef DFT_STATIC
int __clone(thread_function *function, void *stack, int flags, void *argument, ...);
#define next_clone() __clone
#else
DFT_DEFINE_NEXT(clone)
#endif

/* Whether both will run at the same time with one thread-local memory. */
static bool shares_locals(int flags)
{
    return flags & CLONE_VM && !(flags & (CLONE_SETTLS | CLONE_VFORK));
}

DFT_INTERPOSE int clone(thread_function *function, void *stack, int flags, void *argument, ...)
{
    va_list more;

    /* The kernel looks at those that the flags ask for; libc takes all of them, too. */
    va_start(more, argument);
    pid_t *parent_tid = va_arg(more, pid_t *);
    void *locals = va_arg(more, void *);
    pid_t *child_tid = va_arg(more, pid_t *);
    va_end(more);
    if (shares_locals(flags)) {
        dft_thread_share();
        dft_finstrument_slow_down();
    }
    return next_clone()(function, stack, flags, argument, parent_tid, locals, child_tid);
}
