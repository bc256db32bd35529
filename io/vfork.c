/*
 * The part of vfork that is in C: see vfork_x86_64.S. Any thread, any context.
 *
 * A vfork child shares the memory of its parent: calls that it makes itself are not recorded. So
 * calls of a thread are nested only if a signal handler calls vfork, too.
 */
#include "io/vfork.h"
#include "io/table.h"

#include <unistd.h>

#define NESTED_MAX 4

_Static_assert(offsetof(struct dft_io_vfork, return_address) == DFT_IO_VFORK_RETURN, "assembly");
_Static_assert(offsetof(struct dft_io_vfork, rbx) == DFT_IO_VFORK_RBX, "assembly");

static __thread struct {
    struct dft_io_vfork calls[NESTED_MAX];
    uint32_t used;
} nested __attribute__((tls_model("initial-exec")));

struct dft_io_vfork_begin dft_io_vfork_begin(void)
{
    struct dft_io_vfork_begin begin = {.next = (void *)DFT_IO_NEXT(vfork)};

    if (!dft_io_sites[DFT_IO_EVENT_vfork].on || !dft_io_owns_descriptors() ||
        nested.used == NESTED_MAX)
        return begin;
    uint64_t start = __dftrace_io_now();
    if (start) {
        begin.call = &nested.calls[nested.used++];
        begin.call->start = start;
    }
    return begin;
}

pid_t dft_io_vfork_end(pid_t ret, struct dft_io_vfork *call)
{
    const struct dft_io_file file = {.fd = DFT_IO_NO_FD};
    int error = DFT_IO_ERROR_MINUS;

    nested.used = (uint32_t)(call - nested.calls);
    dft_io_note(&dft_io_sites[DFT_IO_EVENT_vfork], call->start, &file, DFT_IO_VALUES(V(ret, ret)),
                1, error);
    return ret;
}
