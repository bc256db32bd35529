/* From a spool to the text of its trace, for tests that look for words in it. */
#ifndef DFT_MADE_TRACE_H
#define DFT_MADE_TRACE_H

#include "unit.h"
#include "writer/writer.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>

static inline struct dft_writer *open_writer(struct dft_spool *spool)
{
    int error = 0;
    char path[2048];
    struct dft_writer *writer = dft_writer_open(spool, &error, path, sizeof path);

    CHECK_INT(error, 0);
    return writer;
}

/* Completes the trace and reads it back; spool and file are gone afterwards. */
static inline void finish_trace(struct dft_spool *spool, struct dft_writer *writer, uint64_t ended,
                                char *trace, size_t size)
{
    struct dft_writer_result result;

    spool->header->ended = ended;
    dft_writer_finish(writer);
    dft_writer_result(writer, &result);
    gzFile file = gzopen(result.path, "rb");
    int length = file ? gzread(file, trace, (unsigned)size - 1) : -1;
    trace[length > 0 ? length : 0] = '\0';
    if (file)
        gzclose(file);
    unlink(result.path);
    dft_writer_close(writer);
    dft_spool_unlink(spool);
    dft_spool_unmap(spool);
}

static inline unsigned count_parts(const char *text, const char *part)
{
    unsigned count = 0;

    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

#endif
