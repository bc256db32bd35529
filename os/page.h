/* The size of a page. Any thread, any context. */
#ifndef DFT_OS_PAGE_H
#define DFT_OS_PAGE_H

#include <stddef.h>
#include <sys/auxv.h>

static inline size_t dft_page_size(void)
{
    return getauxval(AT_PAGESZ);
}

/* `size`, rounded up to whole pages. */
static inline size_t dft_page_round_up(size_t size)
{
    return (size + dft_page_size() - 1) & -dft_page_size();
}

#endif
