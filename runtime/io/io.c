/*
 * The runtime's half of recording I/O calls: see io.h. A call is recorded like that of a function,
 * with its values attached.
 *
 * Runs in traced threads, in any context. Keeps errno.
 */
#include "runtime/io/io.h"
#include "os/own_thread.h"
#include "runtime/base/address_space.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/detail/safe_read.h"
#include "runtime/hooks/fast_path.h"
#include "runtime/interpose/mlockall.h"
#include "runtime/interpose/next.h"
#include "runtime/io/io_filter.h"
#include "runtime/library.h"
#include "runtime/session/own_work.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/sites/sites.h"

#include <errno.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static _Atomic uint32_t names_used;

const struct dft_io_observer *dft_io_observer;

/*
 * If only libdftrace-io.so is preloaded, the runtime comes after libc, and the runtime's own
 * functions, such as _exit, are never called.
 */
static void warn_of_order(void)
{
    if (dlsym && !dlsym(RTLD_NEXT, "_exit"))
        dft_log(DFT_LEVEL_ERROR,
                "libdftrace.so is loaded after libc: traces of processes that end by _exit or exec "
                "are incomplete. Set LD_PRELOAD=libdftrace-io.so:libdftrace.so");
}

EXPORT bool __dftrace_io_register(struct dftrace_site *begin, struct dftrace_site *end,
                                  const struct dft_io_observer *observer)
{
    if (!dft_library_prepare() || dft_options.disable_io)
        return false;
    warn_of_order();
    dft_io_filter_begin();
    if (!dft_library_add_io(begin, end))
        return false;
    dft_io_observer = observer;
    return true;
}

EXPORT void __dftrace_io_exclude_from_mlockall(const void *mapping, size_t size)
{
    dft_mlockall_exclude(mapping, size);
}

EXPORT bool __dftrace_io_is_own(void)
{
    return dft_busy || dft_guard_depth || (!dft_self && dft_own_thread_is_starting());
}

static struct dft_place place_of(const void *caller)
{
    return (struct dft_place){(uint64_t)(uintptr_t)__builtin_frame_address(0),
                              (uint64_t)(uintptr_t)caller};
}

EXPORT uint64_t __dftrace_io_enter(struct dftrace_site *site)
{
    struct dft_thread *self = dft_self;
    struct dft_place place = place_of(__builtin_return_address(0));
    uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
    uint64_t start = 0;

    if (__dftrace_io_is_own())
        return 0;
    if (DFT_LIKELY(self && (int32_t)id > 0))
        start = dft_clock_kind == DFT_CLOCK_COUNTER
                    ? dft_fast_path_enter(self, id, place, dft_ticks_counter)
                    : dft_fast_path_enter(self, id, place, dft_clock_monotonic);
    return DFT_LIKELY(start) ? start : dft_slow_path_enter(site, place);
}

/*
 * Only the threads with the first slots have a part for themselves. For them, one instruction without
 * a lock is enough: a signal handler of the thread cannot come between.
 */
static inline void add_moved(const struct dft_thread *self, struct dft_io_amount amount)
{
    struct dft_spool_header *header = dft_session.spool.header;
    const char *slots = (const char *)header + header->threads.offset;
    uint64_t slot = (uint64_t)((const char *)self - slots) / DFT_THREAD_SIZE;
    _Atomic uint64_t *sum = &header->moved[slot < DFT_MOVED_PARTS - 1 ? slot : DFT_MOVED_PARTS - 1]
                                 .bytes[amount.direction];

#if defined(__x86_64__)
    if (DFT_LIKELY(slot < DFT_MOVED_PARTS - 1)) {
        __asm__("addq %1, %0" : "+m"(*sum) : "r"(amount.bytes) : "cc");
        return;
    }
#endif
    atomic_fetch_add_explicit(sum, amount.bytes, memory_order_relaxed);
}

EXPORT void __dftrace_io_exit(struct dftrace_site *site, uint64_t token,
                              const struct dft_attachments *attachments,
                              struct dft_io_amount amount)
{
    uint64_t now = dft_clock_now();
    struct dft_thread *self = dft_self;

    if (amount.bytes && DFT_LIKELY(self != NULL))
        add_moved(self, amount);
    if (attachments && DFT_LIKELY(self && self->top[-1].start == token) &&
        DFT_LIKELY(dft_records_end_attached(
            self, now, (struct dft_record_bytes){attachments->bytes, attachments->used})))
        return;
    if (!dft_busy)
        dft_slow_path_exit_io(site, token, now, place_of(NULL).stack, attachments);
}

EXPORT uint64_t __dftrace_io_now(void)
{
    return __dftrace_io_is_own() ? 0 : dft_clock_now();
}

EXPORT void __dftrace_io_note(struct dftrace_site *site, uint64_t start,
                              const struct dft_attachments *attachments)
{
    if (!dft_busy)
        dft_slow_path_note_io(site, start, attachments);
}

EXPORT bool __dftrace_io_is_shared(void)
{
    return dft_address_space_kind() == DFT_ADDRESS_SPACE_SHARED;
}

static void warn_of_names(void)
{
    static atomic_bool warned;

    if (!atomic_exchange(&warned, true))
        dft_log(
            DFT_LEVEL_ERROR,
            "I/O on more than %u different names of files: calls on further ones take more time "
            "and space; DFTRACER_DATA_DIR and rules file:PATTERN select files",
            DFT_IO_NAMES_MAX);
}

/* Inside a guard. */
static uint32_t intern(const char *name, size_t length, const char *category)
{
    char text[DFT_EVENT_NAME_SIZE + 16 + DFTRACE_TEXT_COUNT] = {0};
    bool is_file = strcmp(category, DFT_FILE_CATEGORY) == 0;

    if (length > DFT_EVENT_NAME_SIZE)
        return 0;
    memcpy(text, name, length);
    memcpy(text + length + DFTRACE_TEXT_CATEGORY, category, strlen(category) + 1);
    if (is_file && atomic_load(&names_used) >= DFT_IO_NAMES_MAX) {
        uint32_t known = dft_spool_find_site(&dft_session.spool, text, 0, DFT_SITE_EVENT);
        if (known == 0)
            warn_of_names();
        return known;
    }
    uint32_t before = dft_spool_sites(&dft_session.spool);
    uint32_t id = dft_spool_intern_site(&dft_session.spool, text, 0, DFT_SITE_EVENT);
    if (is_file && id > before)
        atomic_fetch_add(&names_used, 1);
    return id;
}

EXPORT uint32_t __dftrace_io_intern(const char *name, size_t length, const char *category)
{
    struct dft_guard guard;
    uint32_t id = DFT_IO_NO_SESSION;

    dft_guard_enter(&guard);
    bool outer = dft_busy;
    dft_busy = true; /* in a forked child, this begins the session */
    if (dft_session_ready())
        id = intern(name, length, category);
    dft_busy = outer;
    dft_guard_leave(&guard);
    return id;
}

EXPORT size_t __dftrace_io_read(const void *from, void *to, size_t length)
{
    int saved = errno;
    size_t copied = dft_safe_read((uintptr_t)from, to, length);

    errno = saved;
    return copied;
}
