/*
 * Recording of one intercepted call: `begin` before libc's function, `end` after it. `begin`
 * returns a token, which is 0 if the call is not recorded. Both keep errno.
 */
#ifndef DFT_IO_RECORD_H
#define DFT_IO_RECORD_H

#include "io/descriptors.h"
#include "io/names.h"
#include "io/stdio_header.h"
#include "runtime/io/io.h"
#include "spool/fields.h"

#include <dirent.h>
#include <errno.h>

enum dft_io_event {
#define DFT_IO_EVENT(name, category) DFT_IO_EVENT_##name,
#include "io/events.def"
#undef DFT_IO_EVENT
    DFT_IO_EVENTS
};

enum dft_io_key {
#define DFT_IO_KEY(name) DFT_IO_KEY_##name,
#include "io/keys.def"
#undef DFT_IO_KEY
    DFT_IO_KEYS
};

extern struct dftrace_site dft_io_sites[DFT_IO_EVENTS];

#define DFT_IO_NO_FD INT32_MIN

/* The file of a call. */
struct dft_io_file {
    uint64_t entry;   /* see descriptors.h; 0: no file */
    int fd;           /* DFT_IO_NO_FD: the call has none */
    const char *text; /* the name, where `entry` has no number */
};

#define DFT_IO_OMITTED 0 /* instead of a type: the value is omitted */

struct dft_io_value {
    uint32_t key;
    uint32_t type; /* INT, POINTER, TEXT or NAME of enum dft_field_type */
    union {
        uint64_t bits;
        const char *text; /* may be at an invalid address */
        const struct dft_io_file *file;
    } as;
};

/* The cases that need more than one look at the descriptor. */
uint64_t dft_io_begin_unknown(struct dftrace_site *site, int fd, struct dft_io_file *file);

static inline uint64_t dft_io_begin_fd(struct dftrace_site *site, int fd, struct dft_io_file *file)
{
    if (!site->on)
        return 0;
    uint64_t entry = dft_io_descriptor(fd);
    if (__builtin_expect(!(entry & DFT_IO_KNOWN) || dft_io_is_suspicious, 0))
        return dft_io_begin_unknown(site, fd, file);
    if (entry & DFT_IO_EXCLUDED)
        return 0;
    *file = (struct dft_io_file){.entry = entry, .fd = fd};
    return __dftrace_io_enter(site);
}

uint64_t dft_io_begin_stream(struct dftrace_site *site, FILE *stream, struct dft_io_file *file);
uint64_t dft_io_begin_directory(struct dftrace_site *site, DIR *stream, struct dft_io_file *file);
uint64_t dft_io_begin_none(struct dftrace_site *site, struct dft_io_file *file);

/* `text` has room for the name until the end of the call. */
uint64_t dft_io_begin_path(struct dftrace_site *site, int directory, const char *path,
                           struct dft_io_file *file, char text[DFT_IO_NAME_ROOM]);
uint64_t dft_io_begin_paths(struct dftrace_site *site, int directory, const char *path,
                            struct dft_io_file *file, char text[DFT_IO_NAME_ROOM], int newdirectory,
                            const char *newpath, struct dft_io_file *second,
                            char more[DFT_IO_NAME_ROOM]);

/* For calls that open a file: what is recorded follows from the file that was opened. */
uint64_t dft_io_begin_open(struct dftrace_site *site, int directory, const char *path,
                           struct dft_io_file *file, char text[DFT_IO_NAME_ROOM]);

/* amounts.c: what a call has moved, in bytes that `dftrace report --io` shows as well. */
struct dft_io_amount dft_io_amount_of(enum dft_io_event event, const struct dft_io_value *values,
                                      size_t count);

/* `error`: errno if the call has failed, else 0. */
void dft_io_end(struct dftrace_site *site, uint64_t token, const struct dft_io_file *file,
                const struct dft_io_value *values, size_t count, int error);

/*
 * For a call that closes the descriptor of `file`, before it is closed: afterwards, a name without
 * a number could not be looked up. `text` has room for the name until the end of the call.
 */
void dft_io_keep_name(uint64_t token, struct dft_io_file *file, char text[DFT_IO_NAME_ROOM]);

/* The same for a call that has opened `fd`, or failed with `error`. */
void dft_io_end_open(struct dftrace_site *site, uint64_t token, struct dft_io_file *file, int fd,
                     const struct dft_io_value *values, size_t count, int error);

/* The same for a call without a token, which began at `start`: see __dftrace_io_note. */
void dft_io_note(struct dftrace_site *site, uint64_t start, const struct dft_io_file *file,
                 const struct dft_io_value *values, size_t count, int error);

/* The number of a stream's descriptor; -1: it has none. */
int dft_io_number_of(FILE *stream);

#endif
