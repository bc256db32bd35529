/*
 * Distinguishes a forked child from a child that shares our memory. Any thread, any context.
 *
 * The pid of the memory's owner is in a page that the kernel clears in forked children. If the page
 * is clear, the caller is a forked child. If it contains another pid than the caller's, the caller
 * shares its parent's memory and must not change anything.
 */
#include "runtime/base/address_space.h"
#include "os/kernel.h"
#include "os/page.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

static pid_t *owner;
static pid_t without_page;

void dft_address_space_claim(void)
{
    if (!owner) {
        void *page =
            mmap(NULL, dft_page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED)
            page = &without_page;
        else
            /*
             * If the kernel lacks this, a child whose fork libc did not report seems to share its
             * parent's memory, and is not traced.
             */
            madvise(page, dft_page_size(), MADV_WIPEONFORK);
        owner = page;
    }
    *owner = dft_kernel_pid();
}

bool dft_address_space_is_forked(void)
{
    return owner && *owner == 0;
}

enum dft_address_space dft_address_space_kind(void)
{
    if (!owner || *owner == dft_kernel_pid())
        return DFT_ADDRESS_SPACE_OWN;
    return *owner == 0 ? DFT_ADDRESS_SPACE_FORKED : DFT_ADDRESS_SPACE_SHARED;
}
