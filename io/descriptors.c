/*
 * The table of file descriptors: see descriptors.h. Any thread, any context. No lock, no heap;
 * errno is kept, and nothing is a cancellation point.
 *
 * The table is reserved for a million descriptors and takes memory only where it is used. Two
 * threads that open and close the same number at the same time may leave an entry cleared, which
 * only costs another lookup. An entry is never that of a file that was closed before.
 */
#include "io/descriptors.h"
#include "io/names.h"
#include "runtime/io/io.h"

#include <sys/mman.h>

#define SMALL 1024 /* entries if the table cannot be reserved */

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

void dft_io_descriptor_copy(int from, int to)
{
    if (dft_io_owns_descriptors())
        set(to, dft_io_descriptor(from));
}

uint64_t dft_io_descriptor_resolve(int fd)
{
    char name[DFT_IO_NAME_ROOM];
    uint64_t entry = 0;

    if (dft_io_name_of(fd, name))
        entry = dft_io_name_entry(name, true);
    set(fd, entry);
    return entry;
}
