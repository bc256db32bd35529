/*
 * Rules of thumb for I/O: what a program could do better, with the numbers that say so. docs/IO.md
 * documents the thresholds.
 */
#ifndef DFT_TOOL_ANALYSIS_IO_ADVICE_H
#define DFT_TOOL_ANALYSIS_IO_ADVICE_H

#include "tool/analysis/io/io.h"

enum dft_io_rule {
    DFT_IO_SMALL_READS,
    DFT_IO_READ_AGAIN,
    DFT_IO_OPENED_OFTEN,
    DFT_IO_MANY_FILES,
    DFT_IO_SYNC_PER_WRITE,
    DFT_IO_UNALIGNED,
    DFT_IO_SLOW_FILE,
    DFT_IO_RULES,
};

/* Small reads: so many system calls, and so many percent of a file's reads. */
#define DFT_IO_SMALL_READS_MIN 1000
#define DFT_IO_SMALL_READS_PERCENT 90

/* The same bytes again: so many bytes, and so many percent of what is read. */
#define DFT_IO_AGAIN_MIN ((int64_t)1 << 20)
#define DFT_IO_AGAIN_PERCENT 50

/* Opened often: so many times by one process on average, with so few reads and writes each. */
#define DFT_IO_OPENS_MIN 100
#define DFT_IO_ACCESSES_PER_OPEN 4

/* Many files: so many of a directory, each with so few bytes and accesses per open. */
#define DFT_IO_FILES_MIN 256
#define DFT_IO_FILE_BYTES ((int64_t)64 << 10)

/* A sync per write: so many, and at most so many writes for each. */
#define DFT_IO_SYNCS_MIN 50
#define DFT_IO_WRITES_PER_SYNC 2

/* Unaligned: so many reads and writes of a large file, mostly just off and not sequential. */
#define DFT_IO_OFF_MIN 1000
#define DFT_IO_OFF_PERCENT 90
#define DFT_IO_OFF_SEQUENTIAL_PERCENT 50
#define DFT_IO_OFF_FILE_BYTES ((int64_t)16 << 20)

/*
 * A slow file: so many percent of the time of all reads and writes, and at least that time, at so
 * small a part of the others' bandwidth, which have read and written so much.
 */
#define DFT_IO_SLOW_PERCENT 50
#define DFT_IO_SLOW_NS ((int64_t)50000000)
#define DFT_IO_SLOW_FACTOR 10
#define DFT_IO_SLOW_OTHERS ((int64_t)1 << 20)

struct dft_io_advice {
    enum dft_io_rule rule;
    struct dft_text subject; /* the file, or the directory of many files */
    uint64_t count, of;      /* how many calls or files, of how many */
    int64_t bytes, of_bytes;
    int64_t ns;          /* the time that they took */
    double rate, others; /* of a slow file: bytes per second */
};

/* "small-reads": the name of a rule in JSON. */
const char *dft_io_rule_name(enum dft_io_rule rule);

/* To be freed; the subjects belong to the files. By rule, then by time. */
struct dft_io_advice *dft_io_advise(const struct dft_io_file *files, size_t file_count,
                                    size_t *count);

#endif
