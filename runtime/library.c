/*
 * The library's constructor and destructor, and the registration of instrumented modules.
 *
 * Modules register from constructors, which may run before this library's own constructor:
 * whichever runs first reads the options. Another thread may run such a constructor at any time by
 * dlopen, so a lock protects the registration. Whether a module is registered is marked in the
 * module itself, so a library that is closed and opened again registers again.
 *
 * Runs in any thread of the program. Also runs in untraced programs, which must touch as little of
 * this library as possible.
 */
#include "runtime/library.h"
#include "dftrace/abi.h"
#include "runtime/api/switches.h"
#include "runtime/base/address_space.h"
#include "runtime/base/clock.h"
#include "runtime/base/cold_pages.h"
#include "runtime/base/config_file.h"
#include "runtime/base/log.h"
#include "runtime/base/private_heap.h"
#include "runtime/detail/allocation_counts.h"
#include "runtime/detail/samples.h"
#include "runtime/guest/load_python.h"
#include "runtime/hooks/hooks_x86_64.h"
#include "runtime/interpose/child_environment.h"
#include "runtime/interpose/exec.h"
#include "runtime/interpose/signals.h"
#include "runtime/session/control.h"
#include "runtime/session/fork.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/sites/module_table.h"
#include "runtime/sites/run_allowlist.h"
#include "runtime/sites/sites.h"
#include "runtime/symbols/loaded_modules.h"
#include "writer/writer.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Recursive: an atfork handler of the program may call the API while fork.c holds the lock. */
#define NEW_LOCK PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
static pthread_mutex_t lock = NEW_LOCK;
static bool prepared;
static bool was_switched;
static _Atomic bool begun;
static _Atomic unsigned functions; /* how many functions may be recorded */

/*
 * While holding the lock. If the allowlist is refused, tracing is switched off: without the list,
 * too much or too little would be traced.
 */
static void load_filter(void)
{
    const char *path = dft_options.allowlist ? dft_options.allowlist : dft_config_rules.path;
    struct dft_allowlist_error error = {0};
    struct dft_guard guard;
    bool loaded = false;

    dft_guard_enter(&guard);
    if (dft_private_heap_lock()) {
        loaded = dft_options.allowlist ? dft_run_allowlist_load(path, &error)
                                       : dft_run_allowlist_set(dft_config_rules.text,
                                                               dft_config_rules.length, &error);
        dft_private_heap_unlock();
    }
    dft_guard_leave(&guard);
    if (loaded)
        return;
    dft_options.enable = DFT_ENABLE_NOT;
    if (error.line)
        dft_log(DFT_LEVEL_ERROR, "%s:%u:%u: %s; not tracing", path, error.line, error.column,
                error.message);
    else
        dft_log(DFT_LEVEL_ERROR, "%s: %s; not tracing", path, error.message);
}

/* While holding the lock. If the patterns are refused, tracing goes on without them. */
static void load_aggregated(void)
{
    struct dft_allowlist_error error = {0};
    struct dft_guard guard;
    bool loaded = false;

    dft_guard_enter(&guard);
    if (dft_private_heap_lock()) {
        loaded = dft_run_allowlist_load_aggregated(dft_options.aggregate.patterns, &error);
        dft_private_heap_unlock();
    }
    dft_guard_leave(&guard);
    if (!loaded)
        dft_log(DFT_LEVEL_ERROR,
                "DFTRACER_AGGREGATE='%s': expected none, all, or patterns of functions joined by "
                "commas: in pattern %u, %s; using 'none'",
                dft_options.aggregate.patterns, error.line, error.message);
}

/*
 * While holding the lock. If forks cannot be followed, tracing is switched off: a child that hangs
 * would be worse than no trace.
 */
static void follow_forks(void)
{
    int error = dft_fork_init();

    if (!error)
        return;
    dft_options.enable = DFT_ENABLE_NOT;
    dft_log(DFT_LEVEL_ERROR, "cannot follow forks: %s; not tracing", dft_writer_error_text(-error));
}

/* While holding the lock. */
static void prepare(void)
{
    if (prepared)
        return;
    prepared = true;
    if (!dft_options_are_set()) {
        dft_cold_pages_release();
        return;
    }
    dft_log_init();
    dft_options_read();
    if (dft_options.enable)
        follow_forks();
    dft_clock_detect();
    dft_hooks_x86_64_init();
    if (!dft_options.enable)
        dft_log(DFT_LEVEL_INFO, "not tracing: DFTRACER_ENABLE is not 1");
    else if (dft_options.allowlist || dft_config_rules.text)
        load_filter();
    if (dft_options.enable && dft_options.aggregate.patterns)
        load_aggregated();
    if (dft_options.enable && dft_options.hosted &&
        (dft_options.allowlist || dft_options.aggregate.patterns))
        dft_run_allowlist_share_marks(dft_options.spool_dir);
}

/* Measures the cost of a sample before the session begins: the trace states that cost. */
static void calibrate_samples(const struct dftrace_site *begin, const struct dftrace_site *end)
{
    for (const struct dftrace_site *site = begin; site < end; site++)
        if (site->flags & DFTRACE_SITE_SAMPLE) {
            static bool said;
            if (dft_options.sample == DFT_SAMPLING_ALLOC && !__dftrace_heap && !said)
                dft_log(DFT_LEVEL_ERROR,
                        "DFTRACER_SAMPLE=alloc needs libdftrace-preload.so in LD_PRELOAD, where "
                        "`dftrace run` puts it; allocations are not counted");
            said = true;
            dft_samples_calibrate();
            return;
        }
}

/* While holding the lock. There is at least one function that can be recorded. */
static void begin_recording(void)
{
    bool outer = dft_busy;

    if (atomic_load(&begun) || !dft_session_prepare())
        return;
    /* Starting a thread allocates memory, and the program's allocator may have hooks. */
    dft_busy = true;
    if (dft_options.enable == DFT_ENABLE_ATTACH)
        dft_control_start();
    else
        dft_switches_begin();
    dft_busy = outer;
    atomic_store(&begun, true);
}

static void add_sites(struct dftrace_site *begin, struct dftrace_site *end)
{
    calibrate_samples(begin, end);
    dft_module_table_add(begin, end);
    unsigned chosen = dft_sites_add(begin, end);

    atomic_fetch_add(&functions, chosen);
    if (chosen || dft_options.enable == DFT_ENABLE_ATTACH)
        begin_recording();
}

EXPORT void __dftrace_register(uint32_t abi, struct dftrace_site *begin, struct dftrace_site *end)
{
    struct dft_guard guard;

    dft_library_lock(&guard);
    prepare();
    if (!dft_options.enable) {
        /* The compiler has initialized the sites as off. */
        if (abi == DFTRACE_ABI && begin < end && !begin->known) {
            begin->known = DFT_SITE_REGISTERED;
            dft_cold_pages_isolate_texts(begin, end);
        }
    } else if (abi != DFTRACE_ABI) {
        static bool said;
        if (!said)
            dft_log(
                DFT_LEVEL_ERROR,
                "a part of this program was instrumented for ABI %u, this runtime has %u: compile "
                "it again with the plugin of this version; it is not traced",
                abi, DFTRACE_ABI);
        said = true;
    } else if (begin < end && !begin->known) {
        add_sites(begin, end);
    }
    dft_library_unlock(&guard);
}

bool dft_library_add_io(struct dftrace_site *begin, struct dftrace_site *end)
{
    struct dft_guard guard;

    dft_library_lock(&guard);
    prepare();
    bool wanted = dft_options.enable && !dft_options.disable_io;
    if (wanted && !begin->known) {
        unsigned chosen = dft_sites_add(begin, end);
        atomic_fetch_add(&functions, chosen);
        begin_recording();
    }
    dft_library_unlock(&guard);
    return wanted && dft_options.enable;
}

/*
 * Programs have only weak references to the hooks and the API, and a linker does not extract files
 * from an archive for weak references. Once the linker has extracted this file, this table makes it
 * extract the hooks, by name, and the files of api/, by one function of each.
 */
struct dftrace_event;
extern void __dftrace_pause(void);
extern uint64_t __dftrace_region_enter(struct dftrace_event *event);
extern int __dftrace_first(uint64_t id);
extern void __dftrace_guest_exit(struct dftrace_site *site);
extern int __dftrace_guest_wanted(void (*changed)(void));
EXPORT const void *const __dftrace_runtime[] = {
    (const void *)__dftrace_pause,        (const void *)__dftrace_enter,
    (const void *)__dftrace_exit,         (const void *)__dftrace_args,
    (const void *)__dftrace_result,       (const void *)__dftrace_region_enter,
    (const void *)__dftrace_first,        (const void *)__dftrace_guest_exit,
    (const void *)__dftrace_guest_wanted,
#if defined(__x86_64__)
    (const void *)__dftrace_quick_enter,  (const void *)__dftrace_quick_exit,
#endif
};

#ifdef DFT_STATIC
/*
 * GCC's language libraries have weak references to these functions. If one of the functions is
 * present, the libraries assume that all are. The hooks bring in some of them, so this table brings
 * in the rest.
 */
static const void *const threads[] __attribute__((used)) = {
    (const void *)pthread_once,
    (const void *)pthread_getspecific,
    (const void *)pthread_setspecific,
    (const void *)pthread_create,
    (const void *)pthread_join,
    (const void *)pthread_equal,
    (const void *)pthread_self,
    (const void *)pthread_detach,
    (const void *)pthread_cancel,
    (const void *)sched_yield,
    (const void *)pthread_mutex_lock,
    (const void *)pthread_mutex_trylock,
    (const void *)pthread_mutex_timedlock,
    (const void *)pthread_mutex_unlock,
    (const void *)pthread_mutex_init,
    (const void *)pthread_mutex_destroy,
    (const void *)pthread_cond_init,
    (const void *)pthread_cond_broadcast,
    (const void *)pthread_cond_signal,
    (const void *)pthread_cond_wait,
    (const void *)pthread_cond_timedwait,
    (const void *)pthread_cond_destroy,
    (const void *)pthread_key_create,
    (const void *)pthread_key_delete,
    (const void *)pthread_mutexattr_init,
    (const void *)pthread_mutexattr_settype,
    (const void *)pthread_mutexattr_destroy,
    (const void *)pthread_exit,
    (const void *)sched_get_priority_max,
    (const void *)sched_get_priority_min,
    (const void *)pthread_attr_destroy,
    (const void *)pthread_attr_init,
    (const void *)pthread_attr_setdetachstate,
    (const void *)pthread_getschedparam,
    (const void *)pthread_setschedparam,
};
#endif

/*
 * Detects that this process is a forked child in which no atfork handler has run, because the
 * system call itself made it.
 */
static void notice_fork(void)
{
    if (dft_address_space_kind() == DFT_ADDRESS_SPACE_FORKED)
        dft_fork_in_child();
}

/* Signals are blocked, because the first traced call of a signal handler may need the lock too. */
void dft_library_lock(struct dft_guard *guard)
{
    dft_guard_enter(guard);
    notice_fork();
    pthread_mutex_lock(&lock);
}

void dft_library_unlock(const struct dft_guard *guard)
{
    pthread_mutex_unlock(&lock);
    dft_guard_leave(guard);
}

/*
 * Takes the lock only if recording has not begun, because of the danger of a deadlock: the caller
 * may hold the loader's lock, in a callback of dl_iterate_phdr, while another thread holds our lock
 * and waits for the loader's.
 */
void dft_library_begin(unsigned more)
{
    atomic_fetch_add(&functions, more);
    if (atomic_load(&begun))
        return;
    notice_fork();
    pthread_mutex_lock(&lock);
    begin_recording();
    pthread_mutex_unlock(&lock);
}

bool dft_library_prepare(void)
{
    struct dft_guard guard;

    dft_library_lock(&guard);
    prepare();
    dft_library_unlock(&guard);
    return dft_library_is_enabled();
}

bool dft_library_is_enabled(void)
{
    return dft_options.enable != DFT_ENABLE_NOT;
}

bool dft_library_is_traced(void)
{
    return dft_library_is_enabled() || (!prepared && dft_library_prepare());
}

bool dft_library_is_attachable(void)
{
    return dft_options.enable == DFT_ENABLE_ATTACH;
}

void dft_library_remember_switch(void)
{
    was_switched = true;
}

bool dft_library_was_switched(void)
{
    return was_switched;
}

unsigned dft_library_functions(void)
{
    return atomic_load(&functions);
}

void dft_library_before_fork(void)
{
    pthread_mutex_lock(&lock);
}

void dft_library_after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

void dft_library_in_child(void)
{
    lock = (pthread_mutex_t)NEW_LOCK;
}

/*
 * Begins the session of a program with events of its own: their first use may be in a signal handler,
 * where no thread can be started. A program that names the trace itself begins it by that.
 */
static void begin_for_events(void)
{
    static const char *const beginnings[] = {"__dftrace_region_", "__dftrace_event_",
                                             "__dftrace_track_", NULL};
    static const char *const naming[] = {"__dftrace_log_file", NULL};
    struct dft_guard guard;

    if (dft_loaded_modules_import(naming) || !dft_loaded_modules_import(beginnings))
        return;
    dft_guard_enter(&guard);
    dft_library_begin(0);
    dft_guard_leave(&guard);
}

__attribute__((constructor(101))) static void begin_library(void)
{
    if (!dft_library_prepare())
        return;
    begin_for_events();
    dft_child_environment_keep();
    /*
     * While not holding the lock: dlsym waits for a dlopen in another thread, whose constructors
     * may need our lock.
     */
    dft_fork_find_next();
    dft_exec_find_next();
    dft_signals_find_next();
#ifndef DFT_STATIC
    dft_load_python();
#endif
}

__attribute__((destructor(101))) static void end_library(void)
{
    if (!dft_library_is_enabled())
        return; /* do not load the pages of the rest of the library */
    notice_fork();
    dft_control_stop();
    dft_session_finish();
}
