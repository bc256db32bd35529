/*
 * The interface between libdftrace-io.so, which intercepts the I/O calls of libc, and the runtime.
 * Both libraries are from the same build.
 *
 * All functions keep errno. Unless stated otherwise, they may be called by any thread, in any
 * context, signal handlers included, and allocate nothing from the program's heap.
 */
#ifndef DFT_RUNTIME_IO_IO_H
#define DFT_RUNTIME_IO_IO_H

#include "dftrace/abi.h"
#include "spool/attachments.h"

#include <stdbool.h>

#define DFT_IO_AS_GIVEN (-200) /* instead of a directory: a path is not made absolute */
#define DFT_IO_NO_SESSION UINT32_MAX
#define DFT_IO_NAMES_MAX 65536u /* names of files in the site table; further ones are texts */

/*
 * What the runtime reports to libdftrace-io.so about the calls that the runtime itself intercepts.
 * exec: `begin` is called before an attempt that will probably succeed, since nothing can be recorded
 * after it; `end` if an attempt has failed. `start` is from __dftrace_io_now.
 */
struct dft_io_observer {
    void (*exec_begins)(int directory, const char *path);
    void (*exec_failed)(int directory, const char *path, uint64_t start, int error);
};
extern const struct dft_io_observer *dft_io_observer; /* NULL: the library is not there */

/*
 * Registers the calls that can be recorded; in the constructor. Each site has DFTRACE_SITE_IO. This
 * begins the session. False if nothing will ever be recorded.
 */
bool __dftrace_io_register(struct dftrace_site *begin, struct dftrace_site *end,
                           const struct dft_io_observer *observer);

/* From now on mlockall does not lock this mapping: see runtime/interpose/mlockall.h. */
void __dftrace_io_exclude_from_mlockall(const void *mapping, size_t size);

/*
 * Begins a call. Returns a token for the end, or 0 if the call is not recorded: because the thread
 * is one of our own, or does work of ours, or is a vfork child.
 */
uint64_t __dftrace_io_enter(struct dftrace_site *site);

/* What a call has read or written. */
struct dft_io_amount {
    uint64_t bytes;
    enum dft_direction direction;
};

/* Ends the call, with its values as attachments. NULL: the call is not recorded after all. */
void __dftrace_io_exit(struct dftrace_site *site, uint64_t token,
                       const struct dft_attachments *attachments, struct dft_io_amount amount);

/*
 * Records a call that may not return to this process: one that has ended (fork), or one that is
 * about to begin (exec). `start` is from __dftrace_io_now, which returns 0 if the call is not
 * recorded.
 */
uint64_t __dftrace_io_now(void);
void __dftrace_io_note(struct dftrace_site *site, uint64_t start,
                       const struct dft_attachments *attachments);

/* Whether this thread's calls are not those of the program, see __dftrace_io_enter. */
bool __dftrace_io_is_own(void);

/* Whether this process shares its parent's memory, but not its descriptors: a vfork child. */
bool __dftrace_io_is_shared(void);

/*
 * The number of a name in the site table; 0 if there is no room for it, DFT_IO_NO_SESSION if there is
 * no session, or not yet. The category is
 * DFT_FILE_CATEGORY or DFT_KEY_CATEGORY.
 */
uint32_t __dftrace_io_intern(const char *name, size_t length, const char *category);

/* Copies memory that may be unreadable; returns how much of it could be read. */
size_t __dftrace_io_read(const void *from, void *to, size_t length);

/*
 * Whether DFTRACER_DATA_DIR and the allowlist exclude this file. `path` is absolute, or a label.
 * `is_real`: it is the path of an open file, without symbolic links.
 */
bool __dftrace_io_excludes(const char *path, bool is_real);

#endif
