/*
 * What is known of each file descriptor: its file, and whether calls on it are recorded.
 *
 * An entry is one word, so it is read and written without a lock. It is set when a descriptor is
 * opened or copied, and cleared when it is closed. A descriptor without an entry is looked up in
 * /proc when it is first used: those that the process inherited or received, and those that libc
 * opened by itself.
 */
#ifndef DFT_IO_DESCRIPTORS_H
#define DFT_IO_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The lower half is the number of the file's name in the site table. */
#define DFT_IO_KNOWN (UINT64_C(1) << 32)    /* else the entry is 0, or a mark */
#define DFT_IO_EXCLUDED (UINT64_C(1) << 33) /* its calls are not recorded */

#define DFT_IO_DESCRIPTORS_MAX (1u << 20) /* others are looked up each time */

extern uint64_t *dft_io_descriptors;
extern uint32_t dft_io_descriptor_limit;
extern uint8_t dft_io_is_active; /* calls may be recorded */
/*
 * A vfork child of this thread has changed descriptors, and may still be running: it shares the
 * thread-local memory of the thread, which waits for it.
 */
extern __thread uint8_t dft_io_is_suspicious __attribute__((tls_model("initial-exec")));

static inline uint64_t dft_io_descriptor(int fd)
{
    return (uint32_t)fd < dft_io_descriptor_limit
               ? __atomic_load_n(&dft_io_descriptors[(uint32_t)fd], __ATOMIC_RELAXED)
               : 0;
}

/* Reserves the table. Called once, at the start. */
void dft_io_descriptors_begin(void);

/*
 * Whether this process may change the table: it is traced, and not a vfork child, which shares the
 * table with its parent but not the descriptors.
 */
bool dft_io_owns_descriptors(void);

/* All of them do nothing if the process does not own its table. */
void dft_io_descriptor_forget(int fd);
void dft_io_descriptors_forget(unsigned first, unsigned last);

/*
 * A copy of a descriptor: `begin` before the call, `end` after it with the call's result. Other
 * threads may give both descriptors other files at the same time. `to` is -1 if the call chooses
 * the number.
 */
struct dft_io_copy {
    int from, to;
    uint64_t entry, mark;
};
struct dft_io_copy dft_io_copy_begin(int from, int to);
void dft_io_copy_end(struct dft_io_copy copy, int ret);

/* Looks up the descriptor and sets its entry. 0: there is no such descriptor. */
uint64_t dft_io_descriptor_resolve(int fd);

#endif
