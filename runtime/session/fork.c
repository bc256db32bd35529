/*
 * fork and _Fork: everything that the runtime does about them. The handlers run in the forking
 * thread, and in the child's only thread. They block signals from the first lock until the child
 * has noticed that it is a child, because signal handlers may fork too.
 *
 * The rule: the child must be able to do without anything that another thread may hold at the
 * moment of a fork. So each lock of ours, and each lock of libc that our code may hold, is of one
 * of three kinds. A new lock, or a new use of libc in a thread of ours, needs a line here.
 *
 * 1. Held by the forking thread across the fork, in this order; free in parent and child:
 *
 *      fork_lock              here              one fork at a time
 *      library lock           library.c         options, modules, overrides, start of the session
 *      walks                  module_walk.c     the loader's lock of dl_iterate_phdr
 *      private heap           private_heap.c    rules, names, function table, fibers, big stack
 *
 *    Code that runs while one of these locks is held needs no other protection. In the control
 *    thread, this is the code of the requests on, off, set and status: it calls pthread_create
 *    (libc's heap), at_quick_exit and atexit (libc's list of exit handlers), prints messages, and
 *    reads the allowlist.
 *
 * 2. Reset in the child, because what it protects does not exist there or is made again:
 *
 *      begin_lock             session.c         start() itself runs under the private heap's lock
 *      executing, dying       exec.c, exit.c    the child lacks the thread that ends the process
 *      looking                thread.c          the table of threads is new
 *      busy                   throttle.c        reset when the child's session begins
 *      one_request            control.c         the child has a control thread of its own
 *      host.phase and others  writer_thread.c   the child has no writer until its session begins
 *      lock of each track     events/tracks.c   the child's tracks are new
 *      threads being started  own_thread.c      the child has none
 *      site_lock              spool/sites.c     in the parent's spool; the child makes its own, and
 *                                               copies only complete entries of the parent's
 *
 * 3. Locks of libc that threads of ours may hold at any time: only those that libc's fork takes or
 *    resets itself. The writer, its helpers and the control thread, while it waits for clients, use
 *    system calls, memory functions and snprintf. Starting and ending a thread takes the locks of
 *    the heap, of thread stacks and of thread-local memory, all of which fork handles. These
 *    threads do not use stdio streams, strerror, gettext, time zones, name services, dlopen or
 *    dlsym.
 *
 * No thread waits for the loader's dl_load_lock (dlopen, dlsym) while it holds a lock of kind 1: a
 * thread in dlopen holds dl_load_lock while it runs constructors, which take the library lock. The
 * opposite order is fine: fork in a constructor.
 *
 * Not every child is made by fork:
 *
 *      fork                   handlers run in parent and child; the locks of kind 1 are free
 *      _Fork                  the interposed function calls dft_fork_in_child in the child. Signal
 *                             handlers may call _Fork, so it takes no lock and waits for nobody
 *      the system call        nobody calls us: the child calls dft_fork_in_child once it waits for a
 *                             lock of kind 1, switches functions on or off, needs a chunk, or uses
 *                             a track
 *      vfork, posix_spawn     nothing is copied, and nothing is to be done
 *
 * In a child of the second or third kind, another thread of the parent may hold a lock of kind 1
 * for ever. The library lock is made again. Without the private heap or without walks, the child
 * does without them: functions that the process has not called before are not traced. One hazard
 * remains: outside of `dftrace run`, the first traced call of such a child starts a thread. Starting
 * it hangs if another thread of the parent was inside malloc at the fork.
 *
 * atfork handlers of the program and of its allocator may make traced calls, use the API and hold
 * locks. Ours are registered twice (see fork.h); at each fork, only the first of their two calls
 * does anything. Before a fork, handlers run in reverse order of their registration; after it, in
 * the order of their registration. So our locks are taken before those of an allocator that
 * registered its handlers in a constructor, which is also the order in which starting a thread
 * takes them. And our locks are released before the program's handlers run in parent or child,
 * except for handlers that were registered before any constructor ran.
 */
#include "runtime/session/fork.h"
#include "os/own_thread.h"
#include "runtime/base/address_space.h"
#include "runtime/base/guard.h"
#include "runtime/base/private_heap.h"
#include "runtime/detail/samples.h"
#include "runtime/events/mishaps.h"
#include "runtime/events/tracks.h"
#include "runtime/interpose/exec.h"
#include "runtime/interpose/exit.h"
#include "runtime/interpose/next.h"
#include "runtime/library.h"
#include "runtime/session/control.h"
#include "runtime/session/fibers.h"
#include "runtime/session/flush.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/session/writer_thread.h"
#include "runtime/symbols/module_walk.h"

#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t fork_lock = PTHREAD_MUTEX_INITIALIZER;
static struct dft_guard fork_guard; /* of the thread that holds fork_lock */
static DFT_TLS bool forking;        /* whether this is that thread */

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

/* What each part does in a child, in this order. A part that keeps state needs a line here. */
static void (*const child_handlers[])(void) = {
    dft_address_space_claim,    dft_private_heap_in_child,
    dft_module_walk_in_child,   dft_library_in_child,
    dft_exit_in_child,          dft_exec_in_child,
    dft_control_in_child,       dft_session_leave_parent, /* before any write to the old spool */
    dft_thread_in_child,        dft_samples_in_child,
    dft_writer_thread_in_child, dft_mishaps_in_child,
    dft_tracks_in_child,        dft_fibers_in_child,
    dft_flush_in_child,         dft_own_thread_in_child,
    dft_session_in_child, /* last: from here on, a hook may start the child's own session */
};

void dft_fork_in_child(void)
{
    pthread_mutex_init(&fork_lock, NULL);
    for (size_t i = 0; i < sizeof child_handlers / sizeof *child_handlers; i++)
        child_handlers[i]();
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

#if !defined(DFT_STATIC) && __GLIBC_PREREQ(2, 34) /* static executables have no next definition */
/* The fork for signal handlers: it does not run the handlers of pthread_atfork. */
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
