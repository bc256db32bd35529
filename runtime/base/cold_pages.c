/*
 * The kernel maps a file's pages by the piece around the one that is used, as far as the mapping
 * goes. A mapping ends where the advice changes, which is all that the advice is for here: what is
 * far lies in the middle of what the program uses.
 */
#include "runtime/base/cold_pages.h"
#include "os/kernel.h"
#include "os/page.h"

#include <stdint.h>
#include <sys/mman.h>

/* Linkers name both ends of a section whose name is one of C. */
#define END_OF_SECTION extern const char __attribute__((weak, visibility("hidden")))

END_OF_SECTION __start_dftrace_cold_code[];
END_OF_SECTION __stop_dftrace_cold_code[];
END_OF_SECTION __start_dftrace_cold_data[];
END_OF_SECTION __stop_dftrace_cold_data[];

/* The whole pages between the two. */
static void advise(const char *begin, const char *end, int advice)
{
    uintptr_t page = dft_page_size();
    uintptr_t from = ((uintptr_t)begin + page - 1) & -page;
    uintptr_t to = (uintptr_t)end & -page;

    if (from < to)
        dft_kernel(SYS_madvise, (long)from, (long)(to - from), advice, 0);
}

/*
 * Pages that are there already are given back: they are as the file has them. From then on nobody
 * touches the new mapping, so nothing is in it.
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
 * The linker keeps texts in the order of their sites. Where it had reasons of its own to put them
 * apart, something else may lie between: no page is given back.
 */
void dft_cold_pages_isolate_texts(const struct dftrace_site *begin, const struct dftrace_site *end)
{
    const char *first = begin->text, *last = end[-1].text;

    if (first < last)
        advise(first, last, MADV_RANDOM);
    else
        advise(last, first, MADV_RANDOM);
}
