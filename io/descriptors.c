/*
 * The table of file descriptors: see descriptors.h. Any thread, any context. No lock, no heap;
 * errno is kept, and nothing is a cancellation point.
 *
 * The table is reserved for a million descriptors and takes memory only where it is used. Two
 * threads that open and close the same number at the same time may leave an entry cleared, which
 * only costs another lookup. An entry is never that of a file that was closed before: who looks a
 * descriptor up, or gives it another file, first replaces its entry by a mark of his own, and sets
 * the entry only if the mark is still there.
 */
#include "io/descriptors.h"
#include "io/names.h"
#include "os/descriptor.h"
#include "runtime/io/io.h"

#include <sys/mman.h>

#define SMALL 1024 /* entries if the table cannot be reserved */

/* Marks: see above. */
#define LOOKED_UP (UINT64_C(1) << 34)
#define CHANGED (UINT64_C(1) << 35)

static uint64_t small[SMALL];

uint64_t *dft_io_descriptors = small;
uint32_t dft_io_descriptor_limit = SMALL;
uint8_t dft_io_is_active;
__thread uint8_t dft_io_is_suspicious __attribute__((tls_model("initial-exec")));

/* No descriptor with an entry is above it. */
static uint32_t highest;

void dft_io_descriptors_begin(void)
{
    void *table = mmap(NULL, DFT_IO_DESCRIPTORS_MAX * sizeof *dft_io_descriptors,
                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (table == MAP_FAILED)
        return;
    dft_io_descriptors = table;
    dft_io_descriptor_limit = DFT_IO_DESCRIPTORS_MAX;
}

bool dft_io_owns_descriptors(void)
{
    if (!dft_io_is_active)
        return false;
    dft_io_is_suspicious = __dftrace_io_is_shared();
    return !dft_io_is_suspicious;
}

static void set(int fd, uint64_t entry)
{
    uint32_t before = __atomic_load_n(&highest, __ATOMIC_RELAXED);

    if ((uint32_t)fd >= dft_io_descriptor_limit)
        return;
    while (entry && before < (uint32_t)fd &&
           !__atomic_compare_exchange_n(&highest, &before, (uint32_t)fd, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
    /* Entries that are 0 already need no write, which would make a page for them. */
    if (entry || dft_io_descriptor(fd))
        __atomic_store_n(&dft_io_descriptors[fd], entry, __ATOMIC_RELAXED);
}

void dft_io_descriptor_forget(int fd)
{
    if (dft_io_owns_descriptors())
        set(fd, 0);
}

void dft_io_descriptors_forget(unsigned first, unsigned last)
{
    if (!dft_io_owns_descriptors())
        return;
    uint32_t end = __atomic_load_n(&highest, __ATOMIC_RELAXED);
    for (uint32_t fd = first; fd <= end && fd <= last; fd++)
        set((int)fd, 0);
}

/* A value that no other entry has. `kind` is LOOKED_UP or CHANGED. */
static uint64_t make_mark(uint64_t kind)
{
    static uint32_t marks;

    return kind | __atomic_add_fetch(&marks, 1, __ATOMIC_RELAXED);
}

/* Sets the entry if the mark is still there; otherwise somebody else has changed it meanwhile. */
static bool set_if_marked(int fd, uint64_t mark, uint64_t entry)
{
    return (uint32_t)fd < dft_io_descriptor_limit &&
           __atomic_compare_exchange_n(&dft_io_descriptors[fd], &mark, entry, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/*
 * The number `to` changes its file inside the call. Until the call has returned, nobody may set its
 * entry: a thread that looks the descriptor up now may find the file of before.
 */
struct dft_io_copy dft_io_copy_begin(int from, int to)
{
    struct dft_io_copy copy = {.from = from, .to = to, .entry = dft_io_descriptor(from)};

    if (to >= 0 && to != from && dft_io_owns_descriptors()) {
        copy.mark = make_mark(CHANGED);
        set(to, copy.mark);
    }
    return copy;
}

/*
 * If `from` has another entry now, it is not known which file was copied. If the mark is gone, two
 * threads have changed `to` at the same time, and the file of the last one is not known.
 */
void dft_io_copy_end(struct dft_io_copy copy, int ret)
{
    bool same = copy.entry & DFT_IO_KNOWN && copy.entry == dft_io_descriptor(copy.from);
    uint64_t entry = ret >= 0 && same ? copy.entry : 0;

    if (copy.mark && !set_if_marked(copy.to, copy.mark, entry))
        set(copy.to, 0);
    else if (!copy.mark && ret >= 0 && ret != copy.from && dft_io_owns_descriptors())
        set(ret, entry);
}

uint64_t dft_io_descriptor_resolve(int fd)
{
    char name[DFT_IO_NAME_ROOM];
    uint64_t entry = 0, mark = make_mark(LOOKED_UP);
    bool changes = dft_io_descriptor(fd) & CHANGED;

    if (!dft_descriptor_is_open(fd)) /* programs close any number: no memory for a mark then */
        return 0;
    if (!changes)
        set(fd, mark);
    if (dft_io_name_of(fd, name))
        entry = dft_io_name_entry(name, true);
    if (!changes)
        set_if_marked(fd, mark, entry);
    return entry;
}
