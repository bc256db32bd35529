/*
 * Spool files, chunks and thread slots.
 *
 * Creation runs once, in whichever thread starts a session; taking and freeing chunks and slots
 * runs in every traced thread and in the writer, without locks. No heap, no output.
 */
#include "os/futex.h"
#include "os/page.h"
#include "os/time.h"
#include "spool/owner.h"
#include "spool/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u
#define POPULATE_ATTEMPTS_MAX 100

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

void dft_spool_lay_out(struct dft_spool_header *plan, uint32_t chunk_limit)
{
    uint32_t chunk_max = chunk_limit + DFT_THREAD_MAX;
    struct {
        struct dft_region *region;
        uint64_t size;
    } regions[] = {
        {&plan->directory, (uint64_t)chunk_max * sizeof(struct dft_chunk)},
        {&plan->site_index, (uint64_t)DFT_SITE_MAX * sizeof(uint32_t)},
        {&plan->site_hash, (uint64_t)DFT_SITE_BUCKETS * sizeof(uint32_t)},
        {&plan->site_text, DFT_SITE_TEXT_MAX},
        {&plan->segments, (uint64_t)DFT_SEGMENT_MAX * sizeof(struct dft_clock_segment)},
        {&plan->throttled, (uint64_t)DFT_THROTTLED_MAX * sizeof(struct dft_throttled)},
        {&plan->threads, (uint64_t)DFT_THREAD_MAX * DFT_THREAD_SIZE},
        {&plan->counts, (uint64_t)DFT_THREAD_MAX * DFT_THROTTLED_MAX * sizeof(uint64_t)},
        {&plan->chunks, (uint64_t)chunk_max * DFT_CHUNK_SIZE},
    };
    uint64_t offset = round_up(sizeof(struct dft_spool_header), PAGE);

    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        regions[i].region->offset = offset;
        regions[i].region->size = regions[i].size;
        offset += round_up(regions[i].size, PAGE);
    }
    plan->file_size = offset;
    plan->chunk_limit = chunk_limit;
    plan->chunk_max = chunk_max;
    plan->chunk_keep = DFT_KEEP_SIZE / DFT_CHUNK_SIZE;
}

/*
 * Access to a page for which the file system has no room would end the traced program by SIGBUS.
 * Kernels before 5.14 cannot reserve pages through the mapping. There the file is opened again by
 * name: the program might close a descriptor that is kept open, and reuse its number.
 */
int dft_spool_reserve(const struct dft_spool *spool, uint64_t offset, uint64_t size)
{
    char *base = (char *)spool->header;
    uint64_t begin = offset / PAGE * PAGE;
    uint64_t end = round_up(offset + size, PAGE);

    for (unsigned i = 0; i < POPULATE_ATTEMPTS_MAX; i++) {
        if (madvise(base + begin, end - begin, MADV_POPULATE_WRITE) == 0)
            return 0;
        if (errno != EAGAIN && errno != EINTR)
            break;
    }
    if (errno != EINVAL)
        return -ENOSPC;
    int fd = open(spool->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return -errno;
    int result = fallocate(fd, 0, (off_t)begin, (off_t)(end - begin)) == 0 ? 0 : -errno;
    close(fd);
    return result == -EOPNOTSUPP ? 0 : result;
}

static int open_new_file(struct dft_spool *spool, const char *directory)
{
    for (int attempt = 0; attempt < 16; attempt++) {
        unsigned long now = (unsigned long)dft_time_now(CLOCK_MONOTONIC);
        int length = snprintf(spool->path, sizeof spool->path, "%s/dftrace-%ld-%08lx", directory,
                              (long)dft_kernel_pid(), now & 0xffffffffffffu);
        if (length < 0 || (size_t)length >= sizeof spool->path)
            return -ENAMETOOLONG;
        int fd = open(spool->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd >= 0 ? fd : -errno;
    }
    return -EEXIST;
}

static void *map_file(int fd, uint64_t size, int rights)
{
    return mmap(NULL, size, rights, MAP_SHARED | MAP_NORESERVE, fd, 0);
}

/*
 * Whether the kernel locks every new mapping into memory, because the program has asked for that
 * (MCL_FUTURE).
 */
static bool is_locked_at_once(int fd)
{
    size_t size = dft_page_size();
    void *page = map_file(fd, size, PROT_READ | PROT_WRITE);

    if (page == MAP_FAILED)
        return false;
    bool locked = msync(page, size, MS_INVALIDATE) != 0 && errno == EBUSY;
    munmap(page, size);
    return locked;
}

/*
 * Locking the spool would load all of its pages. The kernel does not load pages of a mapping
 * without access permission, so the mapping is unlocked before it becomes accessible.
 */
static void *map_unlocked(int fd, uint64_t size)
{
    void *map = map_file(fd, size, PROT_NONE);

    if (map == MAP_FAILED)
        return map;
    munlock(map, size);
    if (mprotect(map, size, PROT_READ | PROT_WRITE) == 0)
        return map;
    int error = errno;
    munmap(map, size);
    errno = error;
    return MAP_FAILED;
}

bool dft_spool_holds_record_zero(const void *map, uint64_t size)
{
    uint64_t first = (uint64_t)(uintptr_t)map;

    return (first - 1) >> 32 != (first + size - 1) >> 32;
}

/*
 * Maps the file where no record has the number 0 in frames, which means "none" there. Mappings in
 * the wrong place are kept until there is one in another place. Spools of 4 GiB or more contain such
 * an address wherever they are; then a chunk may be written later than it could be.
 */
static void *map_spool(int fd, uint64_t size)
{
    enum { TRIES = 4 };
    bool locked = is_locked_at_once(fd);
    void *maps[TRIES] = {MAP_FAILED};
    int count = 0;

    do {
        maps[count] = locked ? map_unlocked(fd, size) : map_file(fd, size, PROT_READ | PROT_WRITE);
        count++;
    } while (count < TRIES && maps[count - 1] != MAP_FAILED && size >> 32 == 0 &&
             dft_spool_holds_record_zero(maps[count - 1], size));
    int error = errno, last = count - 1;
    if (maps[last] == MAP_FAILED && last > 0)
        last--; /* a mapping in the wrong place is better than none */
    for (int i = 0; i < last; i++)
        munmap(maps[i], size);
    errno = error;
    return maps[last];
}

/* Growing a file past RLIMIT_FSIZE would send SIGXFSZ to the traced program. */
static bool exceeds_file_limit(uint64_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           size > limit.rlim_cur;
}

int dft_spool_create(struct dft_spool *spool, const char *directory, uint64_t record_bytes)
{
    struct dft_spool_header plan = {.version = DFT_SPOOL_VERSION};
    uint64_t chunks = record_bytes / DFT_CHUNK_SIZE;

    if (chunks < 4)
        chunks = 4;
    if (chunks > DFT_SPOOL_CHUNKS_MAX)
        chunks = DFT_SPOOL_CHUNKS_MAX;
    dft_spool_lay_out(&plan, (uint32_t)chunks);
    memset(spool, 0, sizeof *spool);
    if (exceeds_file_limit(plan.file_size))
        return -EFBIG;
    int fd = open_new_file(spool, directory);
    if (fd < 0)
        return fd;

    int error = 0;
    void *map = MAP_FAILED;
    /* Mode 0600 whatever the umask: the file may have to be opened again. */
    if (fchmod(fd, 0600) != 0 || ftruncate(fd, (off_t)plan.file_size) != 0)
        error = -errno;
    else
        map = map_spool(fd, plan.file_size);
    if (!error && map == MAP_FAILED)
        error = -errno;
    close(fd);
    if (error) {
        unlink(spool->path);
        return error;
    }
    spool->header = map;
    spool->size = plan.file_size;
    madvise(map, plan.file_size, MADV_DONTDUMP);
    if ((error = dft_spool_reserve(spool, 0, plan.directory.offset)) != 0 ||
        (error = dft_spool_reserve(spool, plan.site_hash.offset, plan.site_hash.size)) != 0) {
        dft_spool_unlink(spool);
        dft_spool_unmap(spool);
        return error;
    }
    dft_owner_describe(&plan); /* complete before the magic number makes the spool valid */
    *spool->header = plan;
    spool->header->header_size = sizeof plan;
    spool->header->base = (uint64_t)(uintptr_t)map;
    spool->directory = (struct dft_chunk *)((char *)map + plan.directory.offset);
    atomic_thread_fence(memory_order_release);
    memcpy(spool->header->magic, DFT_SPOOL_MAGIC, sizeof spool->header->magic);
    return 0;
}

void dft_spool_unmap(struct dft_spool *spool)
{
    if (spool->header)
        munmap(spool->header, spool->size);
    spool->header = NULL;
    spool->directory = NULL;
}

int dft_spool_unlink(struct dft_spool *spool)
{
    if (spool->path[0] && unlink(spool->path) != 0 && errno != ENOENT)
        return -errno;
    spool->path[0] = '\0';
    return 0;
}

/*
 * The tag in the upper half changes with every pop. So the exchange fails if the chunk was popped
 * and pushed again meanwhile.
 */
static uint32_t pop_chunk(struct dft_spool *spool, _Atomic uint64_t *stack)
{
    uint64_t head = atomic_load_explicit(stack, memory_order_acquire);

    while ((uint32_t)head != 0) {
        uint32_t chunk = (uint32_t)head - 1;
        uint32_t next =
            atomic_load_explicit(&spool->directory[chunk].next_free, memory_order_relaxed);
        uint64_t replacement = ((head >> 32) + 1) << 32 | next;
        if (atomic_compare_exchange_weak_explicit(stack, &head, replacement, memory_order_acq_rel,
                                                  memory_order_acquire))
            return chunk;
    }
    return DFT_NO_CHUNK;
}

static void push_chunk(struct dft_spool *spool, _Atomic uint64_t *stack, uint32_t chunk)
{
    struct dft_chunk *entry = &spool->directory[chunk];
    uint64_t head = atomic_load_explicit(stack, memory_order_relaxed);
    uint64_t replacement;

    do {
        atomic_store_explicit(&entry->next_free, (uint32_t)head, memory_order_relaxed);
        replacement = (head >> 32) << 32 | (chunk + 1);
    } while (!atomic_compare_exchange_weak_explicit(stack, &head, replacement, memory_order_acq_rel,
                                                    memory_order_relaxed));
}

/* On a read fault the kernel also maps the pages around; on write faults it maps one page each. */
static void map_chunk(const struct dft_spool *spool, uint32_t chunk)
{
    const volatile char *bytes = (const char *)dft_spool_chunk_records(spool, chunk);

    (void)bytes[0];
    (void)bytes[DFT_CHUNK_SIZE - 1];
}

static int reserve_chunk(const struct dft_spool *spool, uint32_t chunk)
{
    int error = dft_spool_reserve(
        spool, spool->header->chunks.offset + (uint64_t)chunk * DFT_CHUNK_SIZE, DFT_CHUNK_SIZE);

    if (!error)
        map_chunk(spool, chunk);
    return error;
}

static uint32_t take_free_chunk(struct dft_spool *spool)
{
    struct dft_spool_header *header = spool->header;
    uint32_t chunk = pop_chunk(spool, &header->free_chunks);

    if (chunk != DFT_NO_CHUNK)
        return chunk;
    chunk = pop_chunk(spool, &header->cold_chunks);
    if (chunk != DFT_NO_CHUNK && reserve_chunk(spool, chunk) != 0) {
        push_chunk(spool, &header->cold_chunks, chunk);
        return DFT_NO_CHUNK;
    }
    return chunk;
}

uint32_t dft_spool_take_chunk(struct dft_spool *spool, bool first)
{
    struct dft_spool_header *header = spool->header;
    uint32_t chunk = take_free_chunk(spool);

    if (chunk != DFT_NO_CHUNK)
        return chunk;
    chunk = atomic_load_explicit(&header->chunk_count, memory_order_relaxed);
    do {
        if (chunk >= (first ? header->chunk_max : header->chunk_limit))
            return DFT_NO_CHUNK;
        /*
         * The chunk is reserved before it is counted. If two threads race for it, one of them
         * retries.
         */
        if (dft_spool_reserve(spool, header->directory.offset + chunk * sizeof(struct dft_chunk),
                              sizeof(struct dft_chunk)) != 0 ||
            reserve_chunk(spool, chunk) != 0)
            return DFT_NO_CHUNK;
    } while (!atomic_compare_exchange_weak(&header->chunk_count, &chunk, chunk + 1));
    return chunk;
}

/*
 * Gives the pages of a chunk back to the system, so that they read as zeroes. Some systems, such as
 * emulators of another processor, report success and do nothing. The first chunk shows which.
 */
static bool give_back(char *records)
{
    enum { NOT_KNOWN, GIVES, KEEPS };
    static atomic_int answer = NOT_KNOWN;

    if (atomic_load_explicit(&answer, memory_order_relaxed) == NOT_KNOWN) {
        records[0] = 1;
        if (madvise(records, DFT_CHUNK_SIZE, MADV_REMOVE) != 0)
            return false;
        atomic_store_explicit(&answer, records[0] == 0 ? GIVES : KEEPS, memory_order_relaxed);
    }
    return atomic_load_explicit(&answer, memory_order_relaxed) == GIVES &&
           madvise(records, DFT_CHUNK_SIZE, MADV_REMOVE) == 0;
}

uint32_t dft_spool_chunk_used(const struct dft_spool *spool, uint32_t chunk)
{
    uint32_t used = atomic_load_explicit(&spool->directory[chunk].used, memory_order_acquire);

    return (used && used <= DFT_CHUNK_SIZE ? used : DFT_CHUNK_SIZE) / sizeof(struct dft_record);
}

void dft_spool_free_chunk(struct dft_spool *spool, uint32_t chunk)
{
    struct dft_spool_header *header = spool->header;
    void *records = dft_spool_chunk_records(spool, chunk);
    bool enough = (uint32_t)atomic_load_explicit(&header->free_chunks, memory_order_relaxed) != 0;
    bool cold = chunk >= header->chunk_keep && enough && give_back(records);

    if (!cold)
        memset(records, 0, dft_spool_chunk_used(spool, chunk) * sizeof(struct dft_record));
    atomic_store_explicit(&spool->directory[chunk].state, DFT_CHUNK_FREE, memory_order_relaxed);
    push_chunk(spool, cold ? &header->cold_chunks : &header->free_chunks, chunk);
}

struct dft_record *dft_spool_chunk_records(const struct dft_spool *spool, uint32_t chunk)
{
    return (struct dft_record *)((char *)spool->header + spool->header->chunks.offset +
                                 (uint64_t)chunk * DFT_CHUNK_SIZE);
}

struct dft_thread *dft_spool_thread(const struct dft_spool *spool, uint32_t slot)
{
    return (struct dft_thread *)((char *)spool->header + spool->header->threads.offset +
                                 (uint64_t)slot * DFT_THREAD_SIZE);
}

uint32_t dft_spool_slot(const struct dft_spool *spool, const struct dft_thread *thread)
{
    const char *slots = (const char *)spool->header + spool->header->threads.offset;
    return (uint32_t)(((const char *)thread - slots) / DFT_THREAD_SIZE);
}

uint64_t dft_spool_open_frames(const struct dft_spool *spool, const struct dft_thread *thread)
{
    const struct dft_spool_header *header = spool->header;
    uint64_t top = (uint64_t)(uintptr_t)__atomic_load_n(&thread->top, __ATOMIC_ACQUIRE);
    uint64_t frames =
        header->base + (uint64_t)((const char *)thread->frames - (const char *)header);
    uint64_t count = top > frames ? (top - frames) / sizeof(struct dft_frame) : 0;

    return count <= DFT_THREAD_FRAMES ? count : 0;
}

static bool claim(struct dft_thread *thread)
{
    uint32_t expected = DFT_THREAD_FREE;

    return atomic_load_explicit(&thread->state, memory_order_relaxed) == DFT_THREAD_FREE &&
           atomic_compare_exchange_strong(&thread->state, &expected, DFT_THREAD_CLAIMED);
}

/*
 * Slots are used in turn. The writer frees slots in the order in which their threads ended, so the
 * next slot is nearly always free, however many other slots wait for the writer.
 */
static struct dft_thread *claim_used_slot(struct dft_spool *spool, uint32_t *slot)
{
    uint32_t count = atomic_load_explicit(&spool->header->thread_count, memory_order_acquire);
    uint32_t first = atomic_load_explicit(&spool->cursor, memory_order_relaxed);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (first + i) % count;
        if (claim(dft_spool_thread(spool, at))) {
            atomic_store_explicit(&spool->cursor, at + 1, memory_order_relaxed);
            *slot = at;
            return dft_spool_thread(spool, at);
        }
    }
    return NULL;
}

static struct dft_thread *claim_new_slot(struct dft_spool *spool, uint32_t *slot)
{
    struct dft_spool_header *header = spool->header;

    for (;;) {
        uint32_t count = atomic_load_explicit(&header->thread_count, memory_order_acquire);
        if (count >= DFT_THREAD_MAX ||
            dft_spool_reserve(spool, header->threads.offset + (uint64_t)count * DFT_THREAD_SIZE,
                              DFT_THREAD_SIZE) != 0)
            return NULL;
        *slot = count;
        /*
         * Adds a slot, which any thread may claim. If another thread is faster, this one tries
         * again.
         */
        atomic_compare_exchange_strong(&header->thread_count, &count, count + 1);
        if (claim(dft_spool_thread(spool, *slot)))
            return dft_spool_thread(spool, *slot);
    }
}

struct dft_thread *dft_spool_claim_thread(struct dft_spool *spool, uint32_t *slot)
{
    struct dft_thread *thread = claim_used_slot(spool, slot);

    if (!thread)
        thread = claim_new_slot(spool, slot);
    if (thread)
        thread->pending_commit = 0; /* that of the slot's previous thread */
    return thread;
}

void dft_spool_end_thread(struct dft_spool *spool, struct dft_thread *thread)
{
    atomic_fetch_add(&spool->header->ended_threads, 1);
    atomic_store_explicit(&thread->state, DFT_THREAD_ENDED, memory_order_release);
}

void dft_spool_free_thread(struct dft_spool *spool, struct dft_thread *thread)
{
    atomic_store_explicit(&thread->state, DFT_THREAD_FREE, memory_order_release);
    atomic_fetch_sub(&spool->header->ended_threads, 1);
}

bool dft_spool_read_record(const struct dft_record *record, uint32_t room,
                           struct dft_record_view *view)
{
    uint32_t site = __atomic_load_n(&record->site, __ATOMIC_ACQUIRE);

    *view = (struct dft_record_view){
        .start = record->start, .duration = record->duration, .site = site, .units = 1};
    if (!(site & DFT_RECORD_EXTENDED)) {
        view->kind = site ? DFT_RECORDED_CALL : DFT_RECORDED_NOTHING;
        return true;
    }
    view->site = 0;
    view->units = DFT_RECORD_UNITS(site) + 1;
    if (view->units > room)
        return false;
    uint32_t kind = DFT_RECORD_KIND(site);
    if ((kind == DFT_RECORD_LONG && view->units == 2) ||
        (kind == DFT_RECORD_ATTACHED && view->units >= 2) ||
        (kind == DFT_RECORD_INSTANT && view->units >= 2)) {
        const struct dft_record_long *more = (const struct dft_record_long *)(record + 1);
        view->site = more->site & ~DFT_RECORD_EXTENDED;
        view->duration = more->duration;
        view->attached = view->units - 2;
        if (kind == DFT_RECORD_INSTANT)
            view->kind = DFT_RECORDED_INSTANT;
        else if (view->site)
            view->kind = DFT_RECORDED_CALL;
    } else if (kind == DFT_RECORD_OPEN) {
        view->open = view->units - 1;
    }
    return true;
}

void dft_spool_keep_anchor(struct dft_spool *spool, const struct dft_anchor *anchor)
{
    struct dft_spool_header *header = spool->header;
    uint32_t count = atomic_load_explicit(&header->anchor_count, memory_order_relaxed) + 1;

    header->latest[count & 1] = *anchor;
    atomic_store_explicit(&header->anchor_count, count, memory_order_release);
}

void dft_spool_wake(struct dft_spool *spool)
{
    struct dft_spool_header *header = spool->header;

    atomic_fetch_add(&header->wake, 1);
    if (atomic_load(&header->asleep))
        dft_futex_wake(&header->wake, DFT_FUTEX_SHARED);
}

void dft_spool_wait(struct dft_spool *spool, uint32_t seen, unsigned timeout_ms)
{
    struct dft_spool_header *header = spool->header;

    atomic_store(&header->asleep, 1);
    if (atomic_load(&header->wake) == seen)
        dft_futex_wait(&header->wake, seen, timeout_ms * UINT64_C(1000000), DFT_FUTEX_SHARED);
    atomic_store(&header->asleep, 0);
}

void dft_spool_wake_waiting(struct dft_spool *spool)
{
    struct dft_spool_header *header = spool->header;

    atomic_fetch_add(&header->freed, 1);
    if (atomic_load(&header->waiting))
        dft_futex_wake(&header->freed, DFT_FUTEX_SHARED);
}

void dft_spool_wait_freed(struct dft_spool *spool, uint32_t seen, unsigned timeout_us)
{
    dft_futex_wait(&spool->header->freed, seen, timeout_us * UINT64_C(1000), DFT_FUTEX_SHARED);
}
