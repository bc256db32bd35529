/*
 * Keeps the code and data that only traced programs use out of an untraced program's resident set.
 * Runs in constructors, in any thread.
 *
 * On a page fault the kernel maps the pages around the faulting one as well, as far as the mapping
 * goes. The cold pages lie in the middle of pages that every program uses. Different advice
 * (madvise) for a range makes it a mapping of its own, so that such faults stop at its edges. The
 * advice itself does not matter.
 */
#include "runtime/base/cold_pages.h"
#include "os/kernel.h"
#include "os/memory.h"
#include "os/page.h"

#include <stdint.h>
#include <sys/mman.h>

/* For a section whose name is a C identifier, the linker defines symbols for both ends. */
#define END_OF_SECTION extern const char __attribute__((weak, visibility("hidden")))

END_OF_SECTION __start_dftrace_cold_code[];
END_OF_SECTION __stop_dftrace_cold_code[];
END_OF_SECTION __start_dftrace_cold_data[];
END_OF_SECTION __stop_dftrace_cold_data[];

/* Applies the advice to all pages that are completely between the two addresses. */
static void advise(const char *begin, const char *end, int advice)
{
    uintptr_t page = dft_page_size();
    uintptr_t from = ((uintptr_t)begin + page - 1) & -page;
    uintptr_t to = (uintptr_t)end & -page;

    if (from < to)
        dft_memory_advise(from, to, advice);
}

/*
 * Makes the range a mapping of its own, and releases pages that are already resident. These pages
 * are unchanged copies of the file, and an untraced program does not touch them again.
 */
static void leave(const char *begin, const char *end)
{
    advise(begin, end, MADV_RANDOM);
    advise(begin, end, MADV_DONTNEED);
}

void dft_cold_pages_release(void)
{
    leave(__start_dftrace_cold_code, __stop_dftrace_cold_code);
    leave(__start_dftrace_cold_data, __stop_dftrace_cold_data);
}

/*
 * Linkers usually keep texts in the order of their sites. If a linker does not, the range may
 * contain other data, so no page is released here.
 */
void dft_cold_pages_isolate_texts(const struct dftrace_site *begin, const struct dftrace_site *end)
{
    const char *first = begin->text, *last = end[-1].text;

    if (first < last)
        advise(first, last, MADV_RANDOM);
    else
        advise(last, first, MADV_RANDOM);
}
