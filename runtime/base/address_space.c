/*
 * Tells a forked child from a child that shares our memory. Any thread, any context.
 *
 * The owner's pid stands in a page that the kernel wipes in forked children. So another pid with
 * the page intact is a guest, which must not touch anything; the page wiped is a fork.
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
            /* A kernel that cannot do this takes unnoticed forks for guests, which do nothing. */
            madvise(page, dft_page_size(), MADV_WIPEONFORK);
        owner = page;
    }
    *owner = dft_kernel_pid();
}

enum dft_address_space dft_address_space_kind(void)
{
    if (!owner || *owner == dft_kernel_pid())
        return DFT_ADDRESS_SPACE_OWN;
    return *owner == 0 ? DFT_ADDRESS_SPACE_FORKED : DFT_ADDRESS_SPACE_SHARED;
}
