/*
 * Looking at memory of the program that may not be there, or may go while it is looked at.
 *
 * The kernel does the reading, and says where there is nothing to be read: so no handler for
 * SIGSEGV is needed, and no other thread can make it fail between a look and a copy. Runs in traced
 * threads, with signals open.
 */
#include "runtime/detail/safe_read.h"
#include "os/kernel.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE_SIZE 4096u

/* The kernel does not know the call, or a filter refuses it: then nothing can be read. */
static volatile bool refused;

size_t dft_safe_read(uint64_t address, void *to, size_t length)
{
    size_t in_page = PAGE_SIZE - (size_t)(address % PAGE_SIZE);
    struct iovec local = {to, length};
    /* A part is copied whole or not at all: one for each page. */
    struct iovec parts[] = {
        {(void *)(uintptr_t)address, length < in_page ? length : in_page},
        {(void *)(uintptr_t)(address + in_page), length < in_page ? 0 : length - in_page},
    };

    if (refused || address == 0 || length == 0 || address + length < address)
        return 0;
    /* Not libc's function: a sanitizer may stand before it. */
    long copied = syscall(SYS_process_vm_readv, (long)dft_kernel_pid(), &local, 1L, parts, 2L, 0L);
    if (copied < 0 && (errno == ENOSYS || errno == EPERM))
        refused = true;
    return copied > 0 ? (size_t)copied : 0;
}
