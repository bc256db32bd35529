/*
 * Shared by rebuild.c (events), rebuild_calls.c (calls and their args), rebuild_files.c
 * (names of files in args), rebuild_process_events.c
 * (events of a whole process) and rebuild_processes.c (what is known of processes): traces that are written by the writer's encoders, from events that were read.
 */
#ifndef DFT_TOOL_CONVERT_REBUILD_H
#define DFT_TOOL_CONVERT_REBUILD_H

#include "tool/analysis/file_hashes.h"
#include "tool/analysis/io/io_call.h"
#include "tool/base/index.h"
#include "tool/convert/arg_fields.h"
#include "tool/convert/convert.h"
#include "tool/convert/encoding.h"

struct dft_rebuilt_track {
    int32_t tid, parent;
    char *path;
};

/* A process of an input file. */
struct dft_rebuilt_process {
    uint32_t trace;
    int64_t pid;
    bool has_start;
    int64_t first_ns; /* of its events */
    int64_t shift_ns; /* from its clock to that of the first process */
    struct dft_encoding_start start;
    char *texts[6]; /* that `start` refers to */
    struct dft_rebuilt_track *tracks;
    size_t track_count;
    size_t track_room;
    struct dft_encoding_process *encoding; /* NULL: it has not begun */
};

/* A text that DFTracer's lines refer to by a number. */
struct dft_rebuilt_hash {
    char *hash;
    char *text;
    bool is_used;
    bool is_file; /* events refer to it, too */
};

struct dft_rebuild {
    struct dft_conversion *conversion;
    bool has_clock; /* the first process with a start: its host, and the offset of its clock */
    char *clock_host;
    int64_t clock_offset;
    struct dft_encoding *encoding;
    struct dft_rebuilt_process *processes;
    size_t process_count;
    size_t process_room;
    struct dft_index process_index;
    struct dft_rebuilt_hash *hashes; /* of the open file */
    size_t hash_count;
    size_t hash_room;
    uint32_t hash_trace;
    int64_t *ids; /* numbers that are too large for a process or thread */
    size_t id_count;
    size_t id_room;
    struct dft_index id_index;
    struct dft_file_hashes files; /* of all traces */
    struct dft_attachment_list attachments;
    struct dft_scratch scratch; /* of one event */
};

/* --- rebuild_processes.c --- */

/* A number that fits: other numbers are replaced. */
int32_t dft_rebuild_id(struct dft_rebuild *rebuild, int64_t id);

void dft_rebuild_survey(void *rebuild, struct dft_reader *reader, const struct dft_event *event);

/* How much is to be added to the times of an event. */
int64_t dft_rebuild_shift(struct dft_rebuild *rebuild, const struct dft_event *event);

/* The process of an event, which has begun. Valid until the next one begins. */
struct dft_encoding_process *dft_rebuild_process(struct dft_rebuild *rebuild,
                                                 const struct dft_event *event);

/* Counts texts that no event that is written refers to. */
void dft_rebuild_end_trace(void *rebuild);
void dft_rebuild_free_processes(struct dft_rebuild *rebuild);

/* A text that ends with a NUL and contains no other one, valid as long as the event. */
const char *dft_rebuild_text(struct dft_rebuild *rebuild, struct dft_text text);

/* An arg of an event, as such a text. */
const char *dft_rebuild_text_arg(struct dft_rebuild *rebuild, struct dft_reader *reader,
                                 const struct dft_event *event, const char *key);

/* --- rebuild_process_events.c --- */

/* False if the encoders have no form for the values. */
bool dft_rebuild_usage(struct dft_rebuild *rebuild, const struct dft_event *event);
void dft_rebuild_function(struct dft_rebuild *rebuild, struct dft_reader *reader,
                          const struct dft_event *event);
void dft_rebuild_aggregate(struct dft_rebuild *rebuild, const struct dft_event *event);
void dft_rebuild_throttling(struct dft_rebuild *rebuild, struct dft_reader *reader,
                            const struct dft_event *event);
void dft_rebuild_end(struct dft_rebuild *rebuild, struct dft_reader *reader,
                     const struct dft_event *event);

/* --- rebuild_calls.c --- */

void dft_rebuild_call(struct dft_rebuild *rebuild, struct dft_reader *reader,
                      const struct dft_event *event);

/* --- rebuild_files.c --- */

/* Whether an arg of an I/O call names a file. */
bool dft_rebuild_is_file(const struct dft_event *event, struct dft_text key);

/* Adds these args to the attachments. */
void dft_rebuild_files(struct dft_rebuild *rebuild, struct dft_reader *reader,
                       const struct dft_event *event);

/* Adds the args that are values of the program to the attachments. */
void dft_rebuild_args(struct dft_rebuild *rebuild, const struct dft_event *event,
                      bool (*is_other)(const struct dft_event *event, struct dft_text key));

#endif
