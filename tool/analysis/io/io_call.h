/*
 * What an event says of an I/O call. Depends on the event only.
 */
#ifndef DFT_TOOL_ANALYSIS_IO_CALL_H
#define DFT_TOOL_ANALYSIS_IO_CALL_H

#include "tool/trace/reader.h"

enum dft_io_kind {
    DFT_IO_OTHER, /* no I/O call; or one about processes, such as fork and wait */
    DFT_IO_READ,
    DFT_IO_WRITE,
    DFT_IO_OPEN,
    DFT_IO_SYNC, /* fsync and its relatives */
    DFT_IO_SEEK,
    DFT_IO_METADATA, /* all others */
};

struct dft_io_call {
    enum dft_io_kind kind;
    bool is_posix;
    bool has_failed;      /* or has not ended */
    struct dft_text file; /* in DFTracer's lines the hash of its name; empty: none */
    int64_t bytes;        /* that were read or written */
    bool has_offset;      /* of a read or write: where it begins; of a seek: where that led */
    int64_t offset;
    bool is_relative; /* of a seek: the offset is relative to the position */
};

/* Whether this is a call of libc that dftrace run --io records, whatever it is about. */
bool dft_io_is_call(const struct dft_event *event);

/* Whether a call is one of I/O, of which kind. */
enum dft_io_kind dft_io_kind_of(const struct dft_event *event);

/* Its file: valid as long as the event. */
struct dft_text dft_io_file_of(struct dft_reader *reader, const struct dft_event *event);

struct dft_io_call dft_io_call_read(struct dft_reader *reader, const struct dft_event *event);

#endif
