/*
 * Writes events with the encoders of the writer, so that each format has one implementation. The
 * encoders' own types stay inside encoding.c.
 *
 * Calls may come in any order that a trace can have; the encoder gets them in the order in which
 * they ended.
 */
#ifndef DFT_TOOL_CONVERT_ENCODING_H
#define DFT_TOOL_CONVERT_ENCODING_H

#include "spool/attachments.h"
#include "spool/fields.h"
#include "spool/format.h"
#include "tool/convert/out_file.h"

struct dft_encoding;         /* a file */
struct dft_encoding_process; /* of a process in it */

/* What is known of a process. Texts are copied. */
struct dft_encoding_start {
    uint64_t monotonic_ns;
    uint64_t realtime_ns;
    bool metadata; /* calls have args */
    int32_t pid, ppid;
    int64_t rank, rank_count;
    const char *app, *command, *exe, *directory, *host, *cores;
    uint64_t sample_cost_ns;
    uint32_t budget, call_cost_ns, count_cost_ns;
};

/* An entry of the site table; NULL is an empty text. */
struct dft_encoding_site {
    const char *name, *category, *file, *linkage, *parameters, *types, *locals, *rule;
    const char *guest_module, *language, *stack_size; /* of a function of an interpreted language */
    uint32_t line;
    uint32_t flags;
    uint32_t module;
};

struct dft_encoding *dft_encoding_new(enum dft_trace_format format, struct dft_out_file *out);

/* Begins a process; the START event comes first. */
struct dft_encoding_process *dft_encoding_begin(struct dft_encoding *encoding,
                                                const struct dft_encoding_start *start);

/* When the process started. */
uint64_t dft_encoding_start_ns(const struct dft_encoding_process *process);

/* The number of a site, which is added where it is new. */
uint32_t dft_encoding_site(struct dft_encoding_process *process,
                           const struct dft_encoding_site *site);

/* A track of the program. `parent` is the tid of the track around it, or 0. */
void dft_encoding_track(struct dft_encoding_process *process, int32_t tid, const char *path,
                        int32_t parent);

/* A call, or another event of the program: see struct dft_call and struct dft_attached. */
struct dft_encoding_event {
    unsigned kind; /* enum dft_recorded_kind */
    uint64_t start_ns, end_ns;
    uint32_t site;
    int32_t tid;
    bool unfinished;
    bool from_pair; /* of calls with equal times, the one that comes later is the caller */
    uint32_t detail;
    uint64_t value;
    const unsigned char *attachments;
    uint32_t length;
};

void dft_encoding_add(struct dft_encoding_process *process, const struct dft_encoding_event *event);

/* Events of the process. */
void dft_encoding_describe(struct dft_encoding_process *process, uint32_t site);
void dft_encoding_name_thread(struct dft_encoding_process *process, int32_t tid, const char *name);

struct dft_encoding_value {
    const char *key;
    uint64_t value;
    bool tenths;
};

/* At most DFT_ENCODING_VALUES_MAX values. */
#define DFT_ENCODING_VALUES_MAX 4
void dft_encoding_counter(struct dft_encoding_process *process, const char *name, uint64_t ns,
                          const struct dft_encoding_value *values, unsigned count);

struct dft_encoding_aggregate {
    uint32_t site;
    bool estimated;
    uint64_t first_ns, count, sum_ns, min_ns, max_ns;
    int64_t self_ns;
    bool self_estimated;
};

void dft_encoding_aggregate(struct dft_encoding_process *process,
                            const struct dft_encoding_aggregate *aggregate);
void dft_encoding_throttling(struct dft_encoding_process *process, uint32_t site, uint64_t ns,
                             uint64_t calls, uint64_t calls_ns, uint64_t cost_ns,
                             uint64_t window_ns);
void dft_encoding_end(struct dft_encoding_process *process, uint64_t ns,
                      const struct dft_totals *totals, int write_error);

/* Writes the rest, completes the file's text, and frees everything. */
void dft_encoding_finish(struct dft_encoding *encoding);

#endif
