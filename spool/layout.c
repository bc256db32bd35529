/*
 * Spool files: which region is where, and making, mapping and removing a file.
 *
 * Runs once for a session, in whichever thread starts it. No heap, no output.
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
 * Kernels before 5.14 cannot reserve pages at once. On such a kernel, each page is written to by a
 * system call, which fails instead. A descriptor of the file would not do: the program might close
 * it and reuse its number. Nor would the file's name, which it no longer has after a failed exec.
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
    for (uint64_t at = begin; at < end; at += PAGE)
        if (!dft_futex_may_write((_Atomic uint32_t *)(base + at)))
            return -ENOSPC;
    return 0;
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
 * Maps the file where DFT_FRAME_RECORD of every record differs from 0, since 0 in a frame means "no
 * record". Mappings in a wrong place are kept during further attempts, so that these attempts find
 * other places. A spool of 4 GiB or more contains an address with the number 0 wherever the spool
 * is mapped. Then frames without a record seem to refer to that address, and the writer may defer
 * the chunk there without need.
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

void dft_spool_keep_anchor(struct dft_spool *spool, const struct dft_anchor *anchor)
{
    struct dft_spool_header *header = spool->header;
    uint32_t count = atomic_load_explicit(&header->anchor_count, memory_order_relaxed) + 1;

    header->latest[count & 1] = *anchor;
    atomic_store_explicit(&header->anchor_count, count, memory_order_release);
}
