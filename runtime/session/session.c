/*
 * Sessions: beginning, end, and the session of a forked child.
 *
 * A session begins in the constructor of the first instrumented module, or in a forked child at its
 * first traced call. It ends in the destructor of the library, or in whatever context ends the
 * process without destructors. If a session cannot start, that is reported once, and the program
 * runs untraced.
 */
#include "runtime/session/session.h"
#include "os/file_status.h"
#include "os/kernel.h"
#include "os/processors.h"
#include "os/small_file.h"
#include "runtime/base/address_space.h"
#include "runtime/base/big_stack.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/base/log.h"
#include "runtime/base/private_heap.h"
#include "runtime/detail/samples.h"
#include "runtime/events/mishaps.h"
#include "runtime/interpose/altstack.h"
#include "runtime/interpose/exit.h"
#include "runtime/interpose/mlockall.h"
#include "runtime/interpose/signals.h"
#include "runtime/library.h"
#include "runtime/session/explain_empty.h"
#include "runtime/session/fork.h"
#include "runtime/session/thread.h"
#include "runtime/session/writer_thread.h"
#include "runtime/sites/throttle.h"
#include "runtime/sites/unmatched_rules.h"
#include "spool/usage.h"
#include "writer/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define INTERVAL_MAX_MS (24 * 3600 * 1000) /* a day */

struct dft_session dft_session;

/* In a forked child: the parent's spool, from which the child copies the sites. */
static struct dft_spool parents_spool;
/* The name that the process was started with: servers overwrite it later, for ps to show. */
static char app[sizeof((struct dft_spool_header *)NULL)->app];
static _Atomic uint32_t begin_lock;
/*
 * Calls that were not recorded because the spool had no slot for their thread or no number for
 * their function.
 */
static _Atomic uint64_t missed;

/* Reads the command line. The kernel separates arguments by NUL. */
static void read_command(char *text, size_t size)
{
    long length = dft_small_file_read("/proc/self/cmdline", text, size);

    for (long i = 0; i + 1 < length; i++)
        if (text[i] == '\0')
            text[i] = ' ';
}

static void describe_process(struct dft_spool_header *header)
{
    ssize_t length = readlink("/proc/self/exe", header->exe, sizeof header->exe - 1);

    header->exe[length > 0 ? length : 0] = '\0';
    memcpy(header->app, app, sizeof header->app);
    if (!getcwd(header->directory_name, sizeof header->directory_name))
        header->directory_name[0] = '\0';
    read_command(header->command, sizeof header->command);
}

/* Processors as a list of ranges, "0-3,8"; cut if it does not fit. */
static void describe_cores(char *text, size_t size)
{
    struct dft_processors processors;
    size_t used = 0;

    if (!dft_processors_read(&processors))
        return;
    for (int first = 0, last; first < DFT_PROCESSORS_MAX; first = last + 1) {
        last = first;
        if (!dft_processors_have(&processors, first))
            continue;
        while (dft_processors_have(&processors, last + 1))
            last++;
        char range[32];
        int length = last > first ? snprintf(range, sizeof range, "%d-%d", first, last)
                                  : snprintf(range, sizeof range, "%d", first);
        if (used + (size_t)length + 2 > size)
            return;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "", range);
    }
}

static void describe_place(struct dft_spool_header *header)
{
    header->rank = dft_rank.rank;
    header->rank_count = dft_rank.size;
    if (dft_options.core_affinity)
        describe_cores(header->cores, sizeof header->cores);
}

/*
 * Makes the prefix absolute: the program may change its directory before the trace is complete, or
 * before it forks.
 */
static bool describe_settings(struct dft_spool_header *header)
{
    struct dft_spool_settings *settings = &header->settings;
    const char *prefix =
        parents_spool.header ? parents_spool.header->settings.prefix : dft_options.log_file;
    bool relative = prefix[0] != '/' && header->directory_name[0] == '/';
    while (relative && prefix[0] == '.' && prefix[1] == '/')
        prefix += 2;
    int length = snprintf(settings->prefix, sizeof settings->prefix, "%s%s%s",
                          relative ? header->directory_name : "", relative ? "/" : "", prefix);

    settings->member_size = dft_options.write_buffer_size;
    settings->format = (uint8_t)dft_options.format;
    settings->compression = dft_options.compression;
    settings->metadata = dft_options.metadata;
    settings->disable_tids = dft_options.disable_tids;
    settings->drop_when_full = dft_options.when_full == DFT_WHEN_FULL_DROP;
    settings->counter_interval_ms = dft_options.interval_ms > INTERVAL_MAX_MS
                                        ? INTERVAL_MAX_MS
                                        : (uint32_t)dft_options.interval_ms;
    settings->thread_counters = dft_options.thread_counters;
    settings->system_counters = dft_options.system_counters;
    settings->aggregate_all = dft_options.aggregate.all;
    settings->min_duration_ns = dft_options.min_duration;
    settings->budget = dft_options.budget;
    return length > 0 && (size_t)length < sizeof settings->prefix;
}

static void give_up(struct dft_spool *spool)
{
    int error = dft_spool_unlink(spool);

    if (error)
        dft_log(DFT_LEVEL_ERROR, "cannot remove the empty spool %s: %s", spool->path,
                dft_writer_error_text(-error));
    dft_spool_unmap(spool);
    atomic_store(&dft_session.state, DFT_SESSION_OFF);
}

static bool is_gone(int64_t pid)
{
    return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

bool dft_session_host_is_gone(void)
{
    return is_gone(dft_session.spool.header->host_pid);
}

/* Whether a process is known to be in another pid or time namespace. */
static bool is_elsewhere(int64_t pid)
{
    static const char *const spaces[] = {"pid", "time"};
    char path[64];
    struct stat ours, theirs;

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        snprintf(path, sizeof path, "/proc/self/ns/%s", spaces[i]);
        if (dft_file_status_at(AT_FDCWD, path, &ours, 0) != 0)
            continue;
        snprintf(path, sizeof path, "/proc/%lld/ns/%s", (long long)pid, spaces[i]);
        if (dft_file_status_at(AT_FDCWD, path, &theirs, 0) == 0 && theirs.st_ino != ours.st_ino)
            return true;
    }
    return false;
}

/*
 * Creates the spool in the directory of the outside host, if there is one. The host removes its
 * directory when it ends. A process that starts later creates its spool in the parent directory,
 * and writes its trace itself.
 */
static int make_spool(struct dft_spool *spool, bool *hosted)
{
    char directory[1000];
    int error = 0;

    *hosted =
        dft_options.hosted > 0 && !is_gone(dft_options.hosted) && !is_elsewhere(dft_options.hosted);
    if (dft_options.hosted == 0 || *hosted)
        error = dft_spool_create(spool, dft_options.spool_dir, dft_options.spool_max);
    if (dft_options.hosted > 0 && (!*hosted || error == -ENOENT)) {
        *hosted = false;
        snprintf(directory, sizeof directory, "%s", dft_options.spool_dir);
        char *name = strrchr(directory, '/');
        if (!name)
            return -ENOENT;
        *name = '\0';
        error = dft_spool_create(spool, directory, dft_options.spool_max);
    }
    if (!error)
        spool->header->host_pid = *hosted ? (int32_t)dft_options.hosted : (int32_t)dft_kernel_pid();
    return error;
}

static bool start(void)
{
    struct dft_spool *spool = &dft_session.spool;
    struct dft_anchor second;
    char path[1500];
    bool hosted;
    int error = make_spool(spool, &hosted);

    if (error) {
        dft_log(
            DFT_LEVEL_ERROR,
            "cannot make a spool in %s: %s; not tracing. DFTRACER_SPOOL_DIR names another place",
            dft_options.spool_dir, dft_writer_error_text(-error));
        atomic_store(&dft_session.state, DFT_SESSION_OFF);
        return false;
    }
    spool->header->clock = dft_clock_kind;
    dft_spool_take_anchor(dft_clock_kind, &spool->header->started);
    describe_process(spool->header);
    describe_place(spool->header);
    spool->header->sample_cost_ns = dft_samples_cost_ns();
    dft_throttle_begin(spool->header);
    if (!describe_settings(spool->header)) {
        dft_log(DFT_LEVEL_ERROR, "DFTRACER_LOG_FILE is too long; not tracing");
        give_up(spool);
        return false;
    }
    if (parents_spool.header) {
        error = dft_spool_copy_sites(spool, &parents_spool);
        if (!error)
            error = dft_spool_copy_throttled(spool, &parents_spool);
        parents_spool.header = NULL; /* not unmapped: see keep_off_parents_spool */
    }
    dft_spool_add_own_sites(spool);
    if (spool->header->settings.counter_interval_ms)
        dft_usage_read_own(NULL, &spool->header->at_begin);
    /* For the case that the process dies before a writer takes an anchor. */
    dft_spool_take_anchor(dft_clock_kind, &second);
    dft_spool_keep_anchor(spool, &second);
    path[0] = '\0';
    atomic_store(&spool->header->state, DFT_SPOOL_RUNNING);
    if (!error && !hosted)
        error = dft_writer_thread_start(spool, path, sizeof path);
    if (error) {
        dft_log(DFT_LEVEL_ERROR,
                path[0] ? "cannot make the trace %s: %s; not tracing"
                        : "cannot start the writer%s: %s; not tracing",
                path, dft_writer_error_text(-error));
        give_up(spool);
        return false;
    }
    dft_mlockall_exclude(spool->header, spool->size);
    atomic_store(&dft_session.state, DFT_SESSION_ON);
    return true;
}

/*
 * The child may be in a signal handler that has interrupted a hook. When the handler returns, the
 * hook writes to the spool's addresses. So the slots, counts and chunks are replaced by private
 * memory at the same addresses.
 */
static bool keep_off_parents_spool(const struct dft_spool *spool)
{
    uint64_t offset = spool->header->threads.offset;

    return mmap((char *)spool->header + offset, spool->size - offset, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

void dft_session_leave_parent(void)
{
    atomic_store(&begin_lock, 0);
    if (atomic_load(&dft_session.state) != DFT_SESSION_ON)
        return;
    if (!keep_off_parents_spool(&dft_session.spool)) {
        dft_log(DFT_LEVEL_ERROR, "no memory for the spool of a forked process; it is not traced");
        atomic_store(&dft_session.state, DFT_SESSION_OFF);
    }
    atomic_store(&missed, 0);
    parents_spool = dft_session.spool;
    parents_spool.path[0] = '\0'; /* the parent removes its file */
    dft_session.spool = (struct dft_spool){0};
}

void dft_session_in_child(void)
{
    if (atomic_load(&dft_session.state) == DFT_SESSION_ON)
        atomic_store(&dft_session.state, DFT_SESSION_FORKED);
}

/* Whether this is a forked child that libc does not know of, made by the system call itself. */
static bool is_unnoticed_child(void)
{
    return atomic_load(&dft_session.state) == DFT_SESSION_ON &&
           dft_address_space_kind() == DFT_ADDRESS_SPACE_FORKED;
}

/* Makes the path absolute: the program may change its directory before it forks. */
static void settle_spool_directory(void)
{
    static char absolute[1000];

    if (dft_options.spool_dir[0] == '/' || !getcwd(absolute, sizeof absolute))
        return;
    size_t length = strlen(absolute), room = sizeof absolute - length;
    if ((size_t)snprintf(absolute + length, room, "/%s", dft_options.spool_dir) < room)
        dft_options.spool_dir = absolute;
}

/* If a process has leaks, LeakSanitizer ends it from an exit handler, before destructors run. */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

bool dft_session_prepare(void)
{
    static bool prepared;

    if (prepared || atomic_load(&dft_session.state) != DFT_SESSION_IDLE)
        return atomic_load(&dft_session.state) != DFT_SESSION_OFF;
    prepared = true;
    snprintf(app, sizeof app, "%s",
             program_invocation_short_name && *program_invocation_short_name
                 ? program_invocation_short_name
                 : "program");
    dft_address_space_claim();
    settle_spool_directory();
    int error = dft_thread_init();
    if (!error)
        error = dft_fork_init();
    if (error) {
        dft_log(DFT_LEVEL_ERROR, "cannot follow threads and forks: %s; not tracing",
                dft_writer_error_text(-error));
        atomic_store(&dft_session.state, DFT_SESSION_OFF);
    }
    return !error;
}

bool dft_session_begin(void)
{
    if (atomic_load(&dft_session.state) != DFT_SESSION_IDLE)
        return atomic_load(&dft_session.state) != DFT_SESSION_OFF;
    bool outer = dft_busy;
    dft_busy = true;
    if (dft_session_prepare() && start()) {
        dft_exit_init();
        dft_signals_bind();
        dft_altstack_give();
        if (__lsan_do_recoverable_leak_check)
            atexit(dft_session_finish);
    }
    dft_busy = outer;
    return atomic_load(&dft_session.state) == DFT_SESSION_ON;
}

static void start_apart(void *unused)
{
    (void)unused;
    start();
}

/*
 * Uses the big stack: the first traced call of a child may be on the small stack of a thread or
 * coroutine.
 */
static void start_in_child(void)
{
    bool locked = dft_private_heap_lock();

    if (!locked || !dft_big_stack_run(start_apart, NULL))
        start();
    if (locked)
        dft_private_heap_unlock();
}

bool dft_session_ready(void)
{
    if (dft_address_space_kind() == DFT_ADDRESS_SPACE_SHARED)
        return false;
    if (is_unnoticed_child())
        dft_fork_in_child();
    if (atomic_load(&dft_session.state) == DFT_SESSION_ON)
        return true;
    while (atomic_exchange(&begin_lock, 1))
        sched_yield();
    if (atomic_load(&dft_session.state) == DFT_SESSION_FORKED)
        start_in_child();
    atomic_store(&begin_lock, 0);
    return atomic_load(&dft_session.state) == DFT_SESSION_ON;
}

static void stop(struct dft_spool_header *header)
{
    int saved = errno;
    unsigned long long count = atomic_load(&missed);

    if (count)
        dft_log(DFT_LEVEL_ERROR,
                "%llu calls are missing: the spool had no room for their threads or functions",
                count);
    dft_mishaps_report();
    header->ended = dft_clock_now();
    if (header->settings.counter_interval_ms)
        dft_usage_read_own(NULL, &header->at_end);
    atomic_store(&header->state, DFT_SPOOL_STOPPING);
    errno = saved;
}

void dft_session_finish(void)
{
    struct dft_spool *spool = &dft_session.spool;

    dft_exit_give_way();
    if (dft_address_space_kind() == DFT_ADDRESS_SPACE_SHARED)
        return;
    if (is_unnoticed_child())
        dft_fork_in_child();
    uint32_t state = atomic_exchange(&dft_session.state, DFT_SESSION_OFF);

    if (state == DFT_SESSION_IDLE || (state == DFT_SESSION_ON && dft_library_functions() == 0))
        dft_explain_empty();
    else if (state == DFT_SESSION_ON)
        dft_unmatched_rules_report();
    if (state != DFT_SESSION_ON)
        return;
    bool outer = dft_busy;
    int cancel_state;

    dft_busy = true;
    /*
     * The thread that calls exit() may have been cancelled. Signals stay unblocked and can still
     * end the program.
     */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    stop(spool->header);
    /* The spool stays mapped: other threads may still be running hooks. */
    if (dft_session_is_hosted())
        dft_spool_wake(spool); /* the host does the rest */
    else
        dft_writer_thread_finish(spool, dft_library_functions());
    pthread_setcancelstate(cancel_state, NULL);
    dft_busy = outer;
}

void dft_session_end_unattended(void)
{
    struct dft_spool *spool = &dft_session.spool;
    uint32_t on = DFT_SESSION_ON;

    if (atomic_compare_exchange_strong(&dft_session.state, &on, DFT_SESSION_OFF)) {
        stop(spool->header);
        dft_spool_wake(spool);
    }
}

void dft_session_end_now(void)
{
    if (dft_address_space_kind() != DFT_ADDRESS_SPACE_OWN)
        return;
    dft_session_end_unattended();
    dft_writer_thread_await();
}

void dft_session_miss_call(const char *what)
{
    if (atomic_fetch_add(&missed, 1) == 0)
        dft_log(DFT_LEVEL_ERROR,
                "the spool has no room for more %s; calls of some are not recorded", what);
}
