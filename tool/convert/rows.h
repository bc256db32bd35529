/*
 * The processes and threads of all input files, and what the traces say of them.
 */
#ifndef DFT_TOOL_CONVERT_ROWS_H
#define DFT_TOOL_CONVERT_ROWS_H

#include "tool/base/index.h"
#include "tool/trace/reader.h"

struct dft_row {
    uint32_t process; /* its number */
    int64_t tid;
    struct dft_text name; /* empty: unknown */
    bool has_calls;
};

struct dft_row_process {
    uint32_t trace; /* processes of different files are different */
    int64_t pid;
    struct dft_text name;
    struct dft_text command;
    struct dft_text host;
    bool has_offset;
    int64_t offset; /* from the trace's clock to nanoseconds since the epoch */
    int64_t started;
    int64_t sample_cost;
    bool has_calls;
    struct dft_text metadata; /* members of a JSON object, separated by commas */
};

/* All zero initially. */
struct dft_rows {
    struct dft_row *rows;
    size_t count;
    size_t room;
    struct dft_index row_index;
    struct dft_row_process *processes;
    size_t process_count;
    size_t process_room;
    struct dft_index process_index;
    size_t with_calls; /* how many rows, and processes, have calls */
    size_t processes_with_calls;
};

/* The numbers of an event's process and thread. */
uint32_t dft_rows_process(struct dft_rows *rows, uint32_t trace, int64_t pid);
uint32_t dft_rows_find(struct dft_rows *rows, uint32_t trace, int64_t pid, int64_t tid);

/* Both numbers as one, so that the threads of a process follow each other. */
static inline uint64_t dft_rows_key(const struct dft_rows *rows, uint32_t row)
{
    return (uint64_t)rows->rows[row].process << 32 | row;
}

/* Notes that the row has calls. */
void dft_rows_note_call(struct dft_rows *rows, uint32_t row);

/* Keeps what an event says of its process or thread. True if that is all that it says. */
bool dft_rows_note(struct dft_rows *rows, uint32_t trace, struct dft_reader *reader,
                   const struct dft_event *event);

/* "loader (tid 43)", to be freed. */
char *dft_rows_label(const struct dft_rows *rows, uint32_t row);

/* "app (pid 42)", to be freed. */
char *dft_rows_process_label(const struct dft_rows *rows, uint32_t process);
void dft_rows_free(struct dft_rows *rows);

#endif
