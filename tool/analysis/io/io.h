/*
 * I/O calls (io_call.h) by file and by process; and, together with a profile that has a tree, by
 * the function that made them.
 *
 * Memory grows with the number of files, and of files per process; not with the number of calls.
 * Times of several threads or processes are on one line: that of the trace's clock, or the time of
 * day if the trace knows it.
 */
#ifndef DFT_TOOL_ANALYSIS_IO_H
#define DFT_TOOL_ANALYSIS_IO_H

#include "tool/analysis/io/coverage.h"
#include "tool/trace/walk.h"

#define DFT_IO_OTHER_FILES "(other files)"
#define DFT_IO_NO_FILE "(no file)"

/* Reads and writes by the bytes that they moved; each class up to and including its limit. */
enum dft_io_size {
    DFT_IO_TO_1K,
    DFT_IO_TO_4K,
    DFT_IO_TO_64K,
    DFT_IO_TO_1M,
    DFT_IO_MORE,
    DFT_IO_SIZES,
};

struct dft_io_sums {
    uint64_t calls; /* all of them */
    uint64_t reads, writes;
    int64_t bytes_read, bytes_written;
    int64_t data_ns; /* of reads and writes */
    uint64_t metadata_calls;
    int64_t metadata_ns; /* of all other calls */
};

struct dft_io_file {
    struct dft_text name; /* NUL-terminated */
    struct dft_io_sums sums;
    int64_t busy_ns; /* some read or write is under way */
    bool busy_is_estimate;
    uint64_t sizes[DFT_IO_SIZES]; /* reads and writes that moved something */
    uint64_t followers;           /* of them, those with an earlier one in the same process, */
    uint64_t sequential;          /* and those that begin where that one ended */
    uint64_t opens;               /* that succeeded */
    uint64_t syncs;
    int64_t sync_ns;      /* part of metadata_ns */
    int64_t again_bytes;  /* that the same process had read before */
    uint64_t small_reads; /* of category POSIX: up to DFT_IO_SMALL bytes */
    uint64_t posix_reads; /* of category POSIX, with at least one byte */
    int64_t small_bytes;  /* of the small reads */
    int64_t small_ns;
    uint64_t posix_accesses;
    uint64_t off_accesses; /* of category POSIX, whose offset or size is just off 4 KiB */
    int64_t end;           /* the largest offset so far */
    uint64_t processes;    /* that have used it */
    struct dft_coverage busy;
};

struct dft_io_process {
    uint64_t trace; /* from 1 */
    int64_t pid;
    int64_t rank; /* -1: none */
    struct dft_io_sums sums;
};

/* A function or region with I/O calls directly in it. */
struct dft_io_function {
    uint32_t function; /* in the profile; UINT32_MAX: the calls are in no function */
    uint64_t calls;
    int64_t total_ns;
    uint32_t file; /* on which it spent most; UINT32_MAX: unknown */
    int64_t file_ns;
};

#define DFT_IO_SMALL 4096
#define DFT_IO_PAGE 4096
#define DFT_IO_JUST_OFF 512 /* bytes away from a page's border, at most */

struct dft_io;

struct dft_io *dft_io_new(size_t memory); /* bytes, about; 0: no limit */

/* Shows every event to `inner` as well, and does everything else that `inner` does. */
struct dft_visitor dft_io_visitor(struct dft_io *io, const struct dft_visitor *inner);

/* After the last trace. Files in no order, processes by time. */
const struct dft_io_file *dft_io_files(const struct dft_io *io, size_t *count);
const struct dft_io_process *dft_io_processes(struct dft_io *io, size_t *count);

/*
 * The profile must separate I/O calls by file (dft_profile_separate_io) and have a tree. Ordered by
 * time. To be freed.
 */
struct dft_profile;
struct dft_io_function *dft_io_functions(struct dft_io *io, struct dft_profile *profile,
                                         size_t *count);

/* UINT32_MAX: there is no such file. In DFTracer's lines, `name` may be a hash. */
uint32_t dft_io_find_file(const struct dft_io *io, struct dft_text name);

bool dft_io_has_others(const struct dft_io *io);

void dft_io_free(struct dft_io *io);

static inline int64_t dft_io_time(const struct dft_io_sums *sums)
{
    int64_t time;

    return __builtin_add_overflow(sums->data_ns, sums->metadata_ns, &time) ? INT64_MAX : time;
}

#endif
