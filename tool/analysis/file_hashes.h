/*
 * The hashes that stand for names of files in DFTracer's lines.
 */
#ifndef DFT_TOOL_ANALYSIS_FILE_HASHES_H
#define DFT_TOOL_ANALYSIS_FILE_HASHES_H

#include "tool/base/index.h"
#include "tool/base/memory_limit.h"
#include "tool/trace/reader.h"

struct dft_file_hash;

/* All zero initially. */
struct dft_file_hashes {
    struct dft_file_hash *list;
    size_t count, room;
    struct dft_index index;
};

/* An event of kind HASH. Those of other texts are ignored, and all if there is no memory. */
void dft_file_hashes_note(struct dft_file_hashes *hashes, struct dft_memory_limit *memory,
                          struct dft_reader *reader, const struct dft_event *event);

/* The name, if the text is a known hash; otherwise the text. Valid as long as both. */
struct dft_text dft_file_hashes_resolve(const struct dft_file_hashes *hashes, struct dft_text text);

void dft_file_hashes_free(struct dft_file_hashes *hashes);

#endif
