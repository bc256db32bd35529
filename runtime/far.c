/*
 * With the runtime from the archive, what only traced programs use is in the middle of the
 * program's own mappings, and the kernel maps a file's pages by the piece around the one that is
 * used, as far as the mapping goes. A mapping ends where the advice changes.
 */
#include "runtime/far.h"
#include "runtime/kernel.h"

#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>

/* Linkers name both ends of a section whose name is one of C. */
#define END_OF_SECTION extern const char __attribute__((weak, visibility("hidden")))

END_OF_SECTION __start_dftrace_far_code[];
END_OF_SECTION __stop_dftrace_far_code[];
END_OF_SECTION __start_dftrace_far_data[];
END_OF_SECTION __stop_dftrace_far_data[];

/* The pages that are the section's alone. They are as the file has them, and come back from there.
 */
static void leave(const char *begin, const char *end)
{
    uintptr_t page = getauxval(AT_PAGESZ);
    uintptr_t from = ((uintptr_t)begin + page - 1) & -page;
    uintptr_t to = (uintptr_t)end & -page;

    if (from >= to)
        return;
    dft_kernel(SYS_madvise, (long)from, (long)(to - from), MADV_RANDOM, 0);
    dft_kernel(SYS_madvise, (long)from, (long)(to - from), MADV_DONTNEED, 0);
}

void dft_far_leave(void)
{
    leave(__start_dftrace_far_code, __stop_dftrace_far_code);
    leave(__start_dftrace_far_data, __stop_dftrace_far_data);
}
