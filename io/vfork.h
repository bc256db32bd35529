/*
 * What vfork_x86_64.S and vfork.c share: one vfork call of a thread, between its beginning and its
 * return in the parent.
 */
#ifndef DFT_IO_VFORK_H
#define DFT_IO_VFORK_H

#define DFT_IO_VFORK_RETURN 0
#define DFT_IO_VFORK_RBX 8

#ifndef __ASSEMBLER__
#include <stdint.h>
#include <sys/types.h>

struct dft_io_vfork {
    uint64_t return_address; /* of the caller of vfork */
    uint64_t rbx;            /* of the caller of vfork */
    uint64_t start;
};

/* `call` is NULL: the call is not recorded. */
struct dft_io_vfork_begin {
    struct dft_io_vfork *call;
    void *next;
};

struct dft_io_vfork_begin dft_io_vfork_begin(void);

/* In the parent. Returns `pid`. */
pid_t dft_io_vfork_end(pid_t pid, struct dft_io_vfork *call);
#endif

#endif
