/*
 * fork and _Fork. The handlers run in the thread that forks, and in the child's only thread; they
 * block signals from the first lock on until the child knows that it is one, because signal
 * handlers may fork too.
 *
 * The rule: whatever another thread can hold at the moment of a fork, the child must be able to do
 * without. So each lock of ours is of one of three kinds, and so is each lock of libc that code of
 * ours can hold. A new lock, or a new use of libc in a thread of ours, needs a line here.
 *
 * 1. Held by the forking thread across the fork, in this order, and free in parent and child:
 *
 *      fork_lock              here              one fork at a time
 *      lifecycle lock         library.c         options, modules, switches, start of the session
 *      walks                  module_walk.c     the loader's lock of dl_iterate_phdr
 *      private heap           private_heap.c    rules, names, function table, big stack
 *
 *    What runs while one of them is held needs no other protection. That is: in the control thread
 *    on, off, set and status, with pthread_create (libc's heap), at_quick_exit and atexit (libc's
 *    list of exit handlers); messages; reading the allowlist.
 *
 * 2. Reset in the child, because what it protects does not exist there or is made again:
 *
 *      begin_lock             session.c         start() itself runs under the private heap's lock
 *      executing, dying       exec.c, exit.c    the thread that ends the process is not in the child
 *      looking                thread.c          the table of threads is new
 *      busy                   throttle.c        when the child's session begins
 *      one request at a time  control.c         the child has a control thread of its own
 *      host.phase and others  writer_thread.c   the child has no writer until its session begins
 *      site_lock              spool/sites.c     in the parent's spool; the child makes its own, and
 *                                               copies from the parent's only what is complete
 *
 * 3. Locks of libc that threads of ours may hold at any time: none but those that libc's fork takes
 *    or resets itself. The writer, its helpers and the control thread, as far as it waits for
 *    clients, use system calls, memory functions and snprintf. Starting and ending a thread takes
 *    the heap's, the thread stacks' and the thread-local memory's locks, all of which fork handles.
 *    Not used there: stdio streams, strerror and gettext, time zones, name services, dlopen, dlsym.
 *
 * No thread waits for the loader's dl_load_lock (dlopen, dlsym) while it holds a lock of kind 1: a
 * thread in dlopen holds dl_load_lock while it runs constructors, which take the lifecycle lock.
 * The other way round is fine: fork in a constructor.
 *
 * _Fork runs no handlers, since signal handlers may call it, and waits for nobody. If another
 * thread held the private heap or was in a walk, the child does without: functions that it has not
 * called before are not traced. The same goes for a child by system call, once it is noticed: when
 * it waits for one of these locks, throws a switch or needs a chunk. vfork and posix_spawn copy
 * nothing. What remains: outside of `dftrace run`, the first traced call of such a child starts a
 * thread, which waits for ever if another thread was inside of malloc.
 *
 * Handlers of the program and its allocator may make traced calls, throw switches and hold locks.
 * Ours are registered twice, and the first call counts. What is registered last runs first before
 * the fork, and last after it. So our locks are taken before those of an allocator that has
 * registered its handlers in a constructor, because starting a thread takes them in this order; and
 * they are released before the handlers of the program run in parent or child, except those that
 * were registered before any constructor.
 */
#include "runtime/session/fork.h"
#include "runtime/base/address_space.h"
#include "runtime/base/guard.h"
#include "runtime/base/private_heap.h"
#include "runtime/interpose/exec.h"
#include "runtime/interpose/exit.h"
#include "runtime/interpose/next.h"
#include "runtime/library.h"
#include "runtime/session/control.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/symbols/module_walk.h"

#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t fork_lock = PTHREAD_MUTEX_INITIALIZER;
static struct dft_guard fork_guard; /* of the thread that holds fork_lock */
static DFT_TLS bool forking;        /* this is that thread */

static void before_fork(void)
{
    struct dft_guard guard;

    if (forking)
        return;
    dft_guard_enter(&guard);
    pthread_mutex_lock(&fork_lock);
    forking = true;
    fork_guard = guard;
    dft_library_before_fork();
    dft_module_walk_before_fork();
    dft_private_heap_before_fork();
    if (atomic_load(&dft_session.state) == DFT_SESSION_ON)
        dft_thread_before_fork();
}

static void after_fork(void)
{
    struct dft_guard guard = fork_guard;

    if (!forking)
        return;
    dft_thread_after_fork();
    dft_private_heap_after_fork();
    dft_module_walk_after_fork();
    dft_library_after_fork();
    forking = false;
    pthread_mutex_unlock(&fork_lock);
    dft_guard_leave(&guard);
}

void dft_fork_in_child(void)
{
    pthread_mutex_init(&fork_lock, NULL);
    dft_address_space_claim();
    dft_private_heap_in_child();
    dft_module_walk_in_child();
    dft_library_in_child();
    dft_exit_in_child();
    dft_exec_in_child();
    dft_control_in_child();
    dft_session_in_child();
}

static void in_child_of_fork(void)
{
    if (!forking)
        return;
    forking = false;
    dft_private_heap_after_fork();
    dft_module_walk_after_fork();
    dft_fork_in_child();
    dft_guard_leave(&fork_guard);
}

#if !defined(DFT_STATIC) && __GLIBC_PREREQ(2, 34) /* static executables have no next one */
/* The fork for signal handlers, which runs none of pthread_atfork's. */
DFT_DEFINE_NEXT(_Fork)

DFT_INTERPOSE pid_t _Fork(void)
{
    pid_t child = next__Fork()();

    if (child == 0)
        dft_fork_in_child();
    return child;
}

void dft_fork_find_next(void)
{
    (void)next__Fork();
}
#else
void dft_fork_find_next(void) {}
#endif

int dft_fork_init(void)
{
    return -pthread_atfork(before_fork, after_fork, in_child_of_fork);
}
