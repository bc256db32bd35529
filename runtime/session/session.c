/*
 * Sessions: begin, end, and the session of a forked child.
 *
 * Begin runs in the constructor of the first instrumented module, or in a forked child at its first
 * traced call; end runs in the destructor of the library, or in whatever context ends the process
 * without destructors. What cannot be started is said once, and the program runs on untraced.
 */
#include "runtime/session/session.h"
#include "os/kernel.h"
#include "runtime/base/address_space.h"
#include "runtime/base/big_stack.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/base/log.h"
#include "runtime/base/private_heap.h"
#include "runtime/detail/resident_memory.h"
#include "runtime/detail/samples.h"
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

#define INTERVAL_MOST_MS (24 * 3600 * 1000) /* a day */

struct dft_session dft_session;

/* In a forked child: the parent's spool, for its sites. */
static struct dft_spool parents_spool;
/* As the process was started: servers write other things over it, for ps to show. */
static char app[sizeof((struct dft_spool_header *)NULL)->app];
static _Atomic uint32_t begin_lock;
/* Calls without a slot for their thread or a number for their function. */
static _Atomic uint64_t missed;

static void read_small_file(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, text, size - 1);

    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    /* The kernel separates arguments by NUL. */
    for (ssize_t i = 0; i + 1 < length; i++)
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
    read_small_file("/proc/self/cmdline", header->command, sizeof header->command);
}

/* Processors as people write them, "0-3,8"; what does not fit is left out. */
static void describe_cores(char *text, size_t size)
{
    cpu_set_t set;
    size_t used = 0;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    for (int first = 0, last; first < CPU_SETSIZE; first = last + 1) {
        last = first;
        if (!CPU_ISSET(first, &set))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set))
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

/* The prefix is made absolute now: the program may change its directory before the trace is done,
 * or before it forks.
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
    settings->counter_interval_ms = dft_options.interval_ms > INTERVAL_MOST_MS
                                        ? INTERVAL_MOST_MS
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

/* Whether a process counts pids or time in another way than this one, as far as can be told. */
static bool is_elsewhere(int64_t pid)
{
    static const char *const spaces[] = {"pid", "time"};
    char path[64];
    struct stat ours, theirs;

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        snprintf(path, sizeof path, "/proc/self/ns/%s", spaces[i]);
        if (stat(path, &ours) != 0)
            continue;
        snprintf(path, sizeof path, "/proc/%lld/ns/%s", (long long)pid, spaces[i]);
        if (stat(path, &theirs) == 0 && theirs.st_ino != ours.st_ino)
            return true;
    }
    return false;
}

/*
 * In the directory of the outside host, if there is one. That directory ends with its host: who
 * comes later makes its spool beside where it was, and writes its trace itself.
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
    spool->header->sample_cost_ns = dft_gauge_cost_ns();
    dft_budget_begin(spool->header);
    if (!describe_settings(spool->header)) {
        dft_log(DFT_LEVEL_ERROR, "DFTRACER_LOG_FILE is too long; not tracing");
        give_up(spool);
        return false;
    }
    if (parents_spool.header) {
        error = dft_spool_copy_sites(spool, &parents_spool);
        if (!error)
            error = dft_spool_copy_counted(spool, &parents_spool);
        parents_spool.header = NULL; /* not unmapped: see keep_off_parents_spool */
    }
    dft_spool_add_own_sites(spool);
    if (spool->header->settings.counter_interval_ms)
        dft_figures_read_own(NULL, &spool->header->at_begin);
    /* Should the process not live to see a writer take one. */
    dft_spool_take_anchor(dft_clock_kind, &second);
    dft_spool_keep_anchor(spool, &second);
    path[0] = '\0';
    atomic_store(&spool->header->state, DFT_SPOOL_RUNNING);
    if (!error && !hosted)
        error = dft_host_start(spool, path, sizeof path);
    if (error) {
        dft_log(DFT_LEVEL_ERROR,
                path[0] ? "cannot make the trace %s: %s; not tracing"
                        : "cannot start the writer%s: %s; not tracing",
                path, dft_writer_error_text(-error));
        give_up(spool);
        return false;
    }
    dft_memlock_spare(spool->header, spool->size);
    atomic_store(&dft_session.state, DFT_SESSION_ON);
    return true;
}

/*
 * The child may be in a signal handler that has interrupted a hook, which goes on to write where it
 * was about to: into memory of its own from now on.
 */
static bool keep_off_parents_spool(const struct dft_spool *spool)
{
    uint64_t offset = spool->header->threads.offset;

    return mmap((char *)spool->header + offset, spool->size - offset, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void become_child(void)
{
    bool apart = keep_off_parents_spool(&dft_session.spool);

    if (!apart)
        dft_log(DFT_LEVEL_ERROR, "no memory for the spool of a forked process; it is not traced");
    dft_kin_claim();
    atomic_store(&missed, 0);
    parents_spool = dft_session.spool;
    parents_spool.path[0] = '\0'; /* the parent's to remove */
    dft_session.spool = (struct dft_spool){0};
    dft_thread_in_child();
    dft_statm_in_child();
    dft_gauge_in_child();
    dft_host_forget();
    atomic_store(&dft_session.state, apart ? DFT_SESSION_FORKED : DFT_SESSION_OFF);
}

void dft_session_in_child(void)
{
    atomic_store(&begin_lock, 0);
    if (atomic_load(&dft_session.state) == DFT_SESSION_ON)
        become_child();
}

/* A fork that libc was not asked for, by the system call itself. */
static bool is_unnoticed_child(void)
{
    return atomic_load(&dft_session.state) == DFT_SESSION_ON && dft_kin() == DFT_KIN_FORKED;
}

/* Absolute from now on: the program may change its directory before it forks. */
static void settle_spool_directory(void)
{
    static char absolute[1000];

    if (dft_options.spool_dir[0] == '/' || !getcwd(absolute, sizeof absolute))
        return;
    size_t length = strlen(absolute), room = sizeof absolute - length;
    if ((size_t)snprintf(absolute + length, room, "/%s", dft_options.spool_dir) < room)
        dft_options.spool_dir = absolute;
}

/* LeakSanitizer ends a process with leaks from an exit handler of its own, before destructors. */
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
    dft_kin_claim();
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
        dft_death_init();
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

/* The first traced call of a child may be on the stack of a small thread, or of a coroutine. */
static void start_in_child(void)
{
    bool locked = dft_heap_lock();

    if (!locked || !dft_bigstack_run(start_apart, NULL))
        start();
    if (locked)
        dft_heap_unlock();
}

bool dft_session_ready(void)
{
    if (dft_kin() == DFT_KIN_GUEST)
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
    header->ended = dft_clock_now();
    if (header->settings.counter_interval_ms)
        dft_figures_read_own(NULL, &header->at_end);
    atomic_store(&header->state, DFT_SPOOL_STOPPING);
    errno = saved;
}

void dft_session_finish(void)
{
    struct dft_spool *spool = &dft_session.spool;

    dft_death_give_way();
    if (dft_kin() == DFT_KIN_GUEST)
        return;
    if (is_unnoticed_child())
        dft_fork_in_child();
    uint32_t state = atomic_exchange(&dft_session.state, DFT_SESSION_OFF);

    if (state == DFT_SESSION_IDLE || (state == DFT_SESSION_ON && dft_lifecycle_functions() == 0))
        dft_nothing_explain();
    if (state != DFT_SESSION_ON)
        return;
    bool outer = dft_busy;
    int cancel_state;

    dft_busy = true;
    /* A thread that calls exit() may have been cancelled; signals still end the program. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    stop(spool->header);
    /* The spool stays mapped: other threads may still be running hooks. */
    if (dft_session_is_hosted())
        dft_spool_wake(spool); /* the rest is the host's */
    else
        dft_host_finish(spool, dft_lifecycle_functions());
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
    if (dft_kin() != DFT_KIN_OWN)
        return;
    dft_session_end_unattended();
    dft_host_await();
}

void dft_session_miss_call(const char *what)
{
    if (atomic_fetch_add(&missed, 1) == 0)
        dft_log(DFT_LEVEL_ERROR,
                "the spool has no room for more %s; calls of some are not recorded", what);
}
