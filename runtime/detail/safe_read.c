/*
 * Reads memory of the program that may be unmapped already, or be unmapped during the reading.
 *
 * The kernel does the copying and reports unreadable memory. So no handler for SIGSEGV is needed,
 * and no other thread can unmap the memory between a check and a copy. Runs in traced threads, with
 * signals unblocked.
 */
#include "runtime/detail/safe_read.h"
#include "os/kernel.h"
#include "os/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE_SIZE 4096u

/*
 * Set if the kernel lacks the system call or a seccomp filter refuses it: then nothing can be read.
 */
static volatile bool refused;

size_t dft_safe_read(uint64_t address, void *to, size_t length)
{
    size_t in_page = PAGE_SIZE - (size_t)(address % PAGE_SIZE);
    struct iovec local = {to, length};
    /* The kernel copies each part completely or not at all: so there is one for each page. */
    struct iovec parts[] = {
        {(void *)(uintptr_t)address, length < in_page ? length : in_page},
        {(void *)(uintptr_t)(address + in_page), length < in_page ? 0 : length - in_page},
    };

    if (refused || address == 0 || length == 0 || address + length < address)
        return 0;
    /* Not libc's function: a sanitizer may have replaced it. */
    long copied = dft_memory_copy(&local, parts, 2);
    if (copied < 0 && (errno == ENOSYS || errno == EPERM))
        refused = true;
    return copied > 0 ? (size_t)copied : 0;
}
