/* The spool: chunks go round, sites are found again, nothing is handed out twice. */
#include "made_events.h"
#include "refused.h"
#include "spool/spool.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNKS 64
#define THREADS 4
#define ROUNDS 20000

static struct dft_spool spool;
static _Atomic int owned[CHUNKS];
static _Atomic int collisions;

static void *take_and_free(void *unused)
{
    (void)unused;
    for (int i = 0; i < unit_rounds(ROUNDS); i++) {
        uint32_t mine[8];
        int count = 0;
        for (int j = 0; j < 8; j++) {
            uint32_t chunk = dft_spool_take_chunk(&spool, false);
            if (chunk == DFT_NO_CHUNK)
                break;
            if (atomic_exchange(&owned[chunk], 1))
                atomic_fetch_add(&collisions, 1);
            mine[count++] = chunk;
        }
        while (count-- > 0) {
            atomic_store(&owned[mine[count]], 0);
            dft_spool_free_chunk(&spool, mine[count]);
        }
    }
    return NULL;
}

static void chunks_have_one_owner(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, take_and_free, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_INT(atomic_load(&collisions), 0);

    uint32_t taken = 0;
    while (dft_spool_take_chunk(&spool, false) != DFT_NO_CHUNK)
        taken++;
    CHECK_INT(taken, CHUNKS);
}

static long used_blocks(void)
{
    struct stat status;

    return stat(spool.path, &status) == 0 ? (long)status.st_blocks : -1;
}

/* What was needed for a while goes back to the system, and can be had again. */
static void a_grown_spool_gets_small_again(void)
{
    enum { KEPT = 4, MOST = 40 };
    struct dft_spool before = spool;

    CHECK_INT(dft_spool_create(&spool, "/dev/shm", MOST * DFT_CHUNK_SIZE), 0);
    spool.header->chunk_keep = KEPT;
    long at_first = used_blocks();
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < MOST; i++) {
            uint32_t chunk = dft_spool_take_chunk(&spool, false);
            if (!CHECK(chunk < MOST))
                break;
            const char *records = (const char *)dft_spool_chunk_records(&spool, chunk);
            CHECK(records[0] == 0 && records[DFT_CHUNK_SIZE - 1] == 0);
            memset(dft_spool_chunk_records(&spool, chunk), 1, DFT_CHUNK_SIZE);
        }
        CHECK_INT(dft_spool_take_chunk(&spool, false), DFT_NO_CHUNK);
        CHECK(used_blocks() >= (long)(MOST * DFT_CHUNK_SIZE / 512));
        for (uint32_t i = 0; i < MOST; i++)
            dft_spool_free_chunk(&spool, i);
        CHECK(used_blocks() <= at_first + (long)((KEPT * DFT_CHUNK_SIZE + 8192) / 512));
    }
    dft_spool_unlink(&spool);
    dft_spool_unmap(&spool);
    spool = before;
}

/*
 * Kernels before 5.14 have no MADV_POPULATE_WRITE. The file has no name any more, as after a failed
 * exec. At its end there is no room for another chunk, as on a full disk.
 */
static void old_kernels_reserve_pages_of_unnamed_files(void)
{
    enum { MADV_POPULATE_WRITE_NUMBER = 23, ROOM = 3 };
    struct dft_spool old;

    CHECK(refuse_call(SYS_madvise, 2, MADV_POPULATE_WRITE_NUMBER, MADV_POPULATE_WRITE_NUMBER));
    if (!CHECK_INT(dft_spool_create(&old, "/dev/shm", CHUNKS * DFT_CHUNK_SIZE), 0))
        return;
    int fd = open(old.path, O_RDWR);
    CHECK_INT(dft_spool_unlink(&old), 0);
    for (uint32_t i = 0; i < ROOM; i++) {
        CHECK_INT(dft_spool_take_chunk(&old, false), i);
        memset(dft_spool_chunk_records(&old, i), 7, DFT_CHUNK_SIZE);
    }
    const char *records = (const char *)dft_spool_chunk_records(&old, 0);
    uint64_t offset = (uint64_t)(records - (const char *)old.header);
    CHECK_INT(dft_spool_reserve(&old, offset, DFT_CHUNK_SIZE), 0);
    for (uint32_t i = 0; i < DFT_CHUNK_SIZE; i++)
        if (!CHECK_INT(records[i], 7))
            break;
    CHECK_INT(ftruncate(fd, (off_t)(offset + ROOM * DFT_CHUNK_SIZE)), 0);
    CHECK_INT(dft_spool_take_chunk(&old, false), DFT_NO_CHUNK);
    close(fd);
    dft_spool_unmap(&old);
}

/* Of a thread that has ended, the rest of its chunk is as it was. */
static void chunks_are_wiped_as_far_as_they_were_used(void)
{
    uint32_t chunk = dft_spool_take_chunk(&spool, true);
    struct dft_record *records = dft_spool_chunk_records(&spool, chunk);

    for (int i = 0; i < 3; i++)
        records[i].site = records[i].duration = 1;
    atomic_store(&spool.directory[chunk].used, 2 * sizeof *records);
    CHECK_INT(dft_spool_chunk_used(&spool, chunk), 2);
    dft_spool_free_chunk(&spool, chunk);
    CHECK(records[0].site == 0 && records[1].duration == 0 && records[2].site == 1);
    atomic_store(&spool.directory[chunk].used, 0); /* not known: all of it */
    CHECK_INT(dft_spool_chunk_used(&spool, chunk), DFT_CHUNK_RECORDS);
    CHECK_INT(dft_spool_take_chunk(&spool, true), chunk);
    dft_spool_free_chunk(&spool, chunk);
    CHECK_INT(records[2].site, 0);
    atomic_store(&spool.directory[chunk].used, UINT32_MAX); /* damaged */
    CHECK_INT(dft_spool_chunk_used(&spool, chunk), DFT_CHUNK_RECORDS);
    atomic_store(&spool.directory[chunk].used, 0);
}

static void sites_are_found_again(void)
{
    static const char first[64] = "ns::f\0_ZN2ns1fEv\0a.cc\0x,y\0FUNC";
    static const char other_file[64] = "ns::f\0_ZN2ns1fEv\0b.cc\0x,y\0FUNC";
    struct dft_site_view view;

    uint32_t id = dft_spool_intern_site(&spool, first, 12, 0);
    CHECK(id != 0);
    CHECK_INT(dft_spool_intern_site(&spool, first, 12, 0), id);
    CHECK(dft_spool_intern_site(&spool, other_file, 12, 0) != id);
    CHECK(dft_spool_intern_site(&spool, first, 13, 0) != id);
    CHECK(dft_spool_intern_site(&spool, first, 12, 1) != id);
    if (CHECK(dft_spool_site(&spool, id, &view))) {
        CHECK_TEXT(view.name, "ns::f");
        CHECK_TEXT(view.linkage, "_ZN2ns1fEv");
        CHECK_TEXT(view.file, "a.cc");
        CHECK_TEXT(view.parameters, "x,y");
        CHECK_TEXT(view.category, "FUNC");
        CHECK_INT(view.line, 12);
    }
    CHECK(!dft_spool_site(&spool, 0, &view));
    CHECK(!dft_spool_site(&spool, 5, &view));

    struct dft_spool copy;
    if (CHECK_INT(dft_spool_create(&copy, "/dev/shm", 1 << 20), 0)) {
        CHECK_INT(dft_spool_copy_sites(&copy, &spool), 0);
        CHECK(dft_spool_site(&copy, id, &view) && strcmp(view.file, "a.cc") == 0);
        CHECK_INT(dft_spool_intern_site(&copy, first, 12, 0), id);
        dft_spool_unlink(&copy);
        dft_spool_unmap(&copy);
    }
}

static void thread_slots_are_used_again(void)
{
    uint32_t a, b, c;
    struct dft_thread *first = dft_spool_claim_thread(&spool, &a);
    struct dft_thread *second = dft_spool_claim_thread(&spool, &b);

    CHECK(first && second && a != b);
    CHECK_INT(dft_spool_slot(&spool, second), b);
    dft_spool_end_thread(&spool, first);
    dft_spool_free_thread(&spool, first);
    CHECK(dft_spool_claim_thread(&spool, &c) == first);
    CHECK_INT(c, a);
}

static void failures_are_errors(void)
{
    struct dft_spool none;
    struct rlimit before, small = {4096, RLIM_INFINITY};

    CHECK_INT(dft_spool_create(&none, "/nonexistent/place", 1 << 20), -ENOENT);
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    CHECK_INT(dft_spool_create(&none, "/dev/shm", 1 << 20), -EFBIG); /* and no SIGXFSZ */
    setrlimit(RLIMIT_FSIZE, &before);
}

#define FILLERS_MAX 4096

static void *map_nothing(uint64_t size)
{
    return mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/*
 * Fills the address space, a part of this size at a time, until the next mapping of this size would
 * contain such an address. Returns how many parts that took.
 */
static size_t make_record_zero_likely(uint64_t size, uint64_t part, void **fillers)
{
    for (size_t count = 0; count < FILLERS_MAX; count++) {
        void *next = map_nothing(size);
        munmap(next, size);
        if (dft_spool_holds_record_zero(next, size))
            return count;
        fillers[count] = map_nothing(part);
    }
    return FILLERS_MAX;
}

static void no_record_has_the_number_of_none(void)
{
    static void *fillers[FILLERS_MAX];
    uint64_t part = (spool.size / 2) & ~UINT64_C(0xfff);
    size_t count = make_record_zero_likely(spool.size, part, fillers);
    struct dft_spool other;

    CHECK(count < FILLERS_MAX);
    CHECK_INT(dft_spool_create(&other, "/dev/shm", CHUNKS * DFT_CHUNK_SIZE), 0);
    CHECK(!dft_spool_holds_record_zero(other.header, other.size));
    dft_spool_unlink(&other);
    dft_spool_unmap(&other);
    while (count > 0)
        munmap(fillers[--count], part);
    CHECK(dft_spool_holds_record_zero((void *)(uintptr_t)0x7f0100000000, 1));
    CHECK(!dft_spool_holds_record_zero((void *)(uintptr_t)0x7f0100000001, UINT32_MAX));
    CHECK(dft_spool_holds_record_zero((void *)(uintptr_t)0x7f0100000001, UINT64_C(1) << 32));
}

/* A killed program's trace ends with its last record. The value of a counter is not its duration. */
static void no_value_is_the_latest_moment(void)
{
    struct dft_spool other;
    struct dft_spool_findings findings;

    CHECK_INT(make_spool(&other, "/dev/shm"), 0);
    struct dft_thread *thread = make_thread(&other, 43);
    make_chunk(&other, thread);
    make_call(thread, make_site(&other, "f"), 2000, 500);
    fill_counters(&other, thread);
    CHECK_INT(dft_spool_examine(&other, &findings), 0);
    CHECK_INT(findings.latest, 2703);
    CHECK_INT(findings.calls, 5);
    dft_spool_unlink(&other);
    dft_spool_unmap(&other);
}

int main(void)
{
    if (!CHECK_INT(dft_spool_create(&spool, "/dev/shm", CHUNKS * DFT_CHUNK_SIZE), 0))
        return unit_result();
    chunks_have_one_owner();
    a_grown_spool_gets_small_again();
    run_in_child(old_kernels_reserve_pages_of_unnamed_files);
    chunks_are_wiped_as_far_as_they_were_used();
    sites_are_found_again();
    thread_slots_are_used_again();
    no_record_has_the_number_of_none();
    no_value_is_the_latest_moment();
    failures_are_errors();
    dft_spool_unlink(&spool);
    dft_spool_unmap(&spool);
    return unit_result();
}
