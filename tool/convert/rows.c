/*
 * Two tables with an index each.
 */
#include "tool/convert/rows.h"

#include "tool/base/tool.h"

#include <inttypes.h>
#include <stdlib.h>

struct key {
    const struct dft_rows *rows;
    uint32_t owner; /* number of the trace, or of the process */
    int64_t id;
};

static bool matches_process(const void *context, uint32_t number)
{
    const struct key *key = context;
    const struct dft_row_process *process = &key->rows->processes[number];

    return process->trace == key->owner && process->pid == key->id;
}

static bool matches_row(const void *context, uint32_t number)
{
    const struct key *key = context;
    const struct dft_row *row = &key->rows->rows[number];

    return row->process == key->owner && row->tid == key->id;
}

static uint64_t hash_key(uint32_t owner, int64_t id)
{
    return dft_hash_number(dft_hash_number(8, owner), (uint64_t)id);
}

uint32_t dft_rows_process(struct dft_rows *rows, uint32_t trace, int64_t pid)
{
    struct key key = {rows, trace, pid};
    uint64_t hash = hash_key(trace, pid);
    uint32_t found = dft_index_find(&rows->process_index, hash, matches_process, &key);
    static const struct dft_text none = {"", 0};

    if (found != DFT_INDEX_NONE)
        return found;
    rows->processes = dft_tool_grow(rows->processes, rows->process_count, &rows->process_room,
                                    sizeof *rows->processes);
    found = (uint32_t)rows->process_count++;
    rows->processes[found] = (struct dft_row_process){.trace = trace,
                                                      .pid = pid,
                                                      .name = dft_text_copy(none),
                                                      .command = dft_text_copy(none),
                                                      .host = dft_text_copy(none),
                                                      .metadata = dft_text_copy(none)};
    dft_index_add(&rows->process_index, hash, found);
    return found;
}

uint32_t dft_rows_find(struct dft_rows *rows, uint32_t trace, int64_t pid, int64_t tid)
{
    uint32_t process = dft_rows_process(rows, trace, pid);
    struct key key = {rows, process, tid};
    uint64_t hash = hash_key(process, tid);
    uint32_t found = dft_index_find(&rows->row_index, hash, matches_row, &key);

    if (found != DFT_INDEX_NONE)
        return found;
    rows->rows = dft_tool_grow(rows->rows, rows->count, &rows->room, sizeof *rows->rows);
    found = (uint32_t)rows->count++;
    rows->rows[found] =
        (struct dft_row){.process = process, .tid = tid, .name = dft_text_copy(dft_text(""))};
    dft_index_add(&rows->row_index, hash, found);
    return found;
}

void dft_rows_note_call(struct dft_rows *rows, uint32_t row)
{
    struct dft_row_process *process = &rows->processes[rows->rows[row].process];

    rows->with_calls += !rows->rows[row].has_calls;
    rows->processes_with_calls += !process->has_calls;
    rows->rows[row].has_calls = process->has_calls = true;
}

static void set_text(struct dft_text *text, struct dft_text value)
{
    if (value.length == 0)
        return;
    dft_text_free(*text);
    *text = dft_text_copy(value);
}

static void note_start(struct dft_row_process *process, struct dft_reader *reader,
                       const struct dft_event *event)
{
    set_text(&process->command, dft_event_arg_text(reader, event, "cmd"));
    set_text(&process->host, dft_event_arg_text(reader, event, "host"));
    process->has_offset = dft_event_arg_int(event, "realtime_offset_ns", &process->offset);
    process->started = event->ts_ns;
    if (!dft_event_arg_int(event, "sample_cost_ns", &process->sample_cost))
        process->sample_cost = 0;
}

static void note_metadata(struct dft_row_process *process, struct dft_reader *reader,
                          const struct dft_event *event)
{
    struct dft_record_metadata metadata = dft_record_read_metadata(reader, event);
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    if (!stream)
        return;
    dft_text_print_utf8(stream, process->metadata);
    fputs(process->metadata.length > 0 ? "," : "", stream);
    dft_text_print_json(stream, metadata.key);
    fputc(':', stream);
    dft_text_print_utf8(stream, metadata.value);
    fclose(stream);
    set_text(&process->metadata, (struct dft_text){text, length});
    free(text);
}

bool dft_rows_note(struct dft_rows *rows, uint32_t trace, struct dft_reader *reader,
                   const struct dft_event *event)
{
    uint32_t number = dft_rows_process(rows, trace, event->pid);
    struct dft_row_process *process = &rows->processes[number];

    switch (event->kind) {
    case DFT_TRACE_PROCESS_NAME:
        set_text(&process->name, dft_event_arg_text(reader, event, "name"));
        return true;
    case DFT_TRACE_THREAD_NAME: {
        uint32_t row = dft_rows_find(rows, trace, event->pid, event->tid);

        set_text(&rows->rows[row].name, dft_event_arg_text(reader, event, "name"));
        return true;
    }
    case DFT_TRACE_START:
        note_start(process, reader, event);
        return true;
    case DFT_TRACE_METADATA:
        note_metadata(process, reader, event);
        return true;
    case DFT_TRACE_END:
    case DFT_TRACE_FUNCTION:
    case DFT_TRACE_HASH:
        return true;
    default:
        return false;
    }
}

char *dft_rows_label(const struct dft_rows *rows, uint32_t row)
{
    const struct dft_row *found = &rows->rows[row];

    if (found->name.length == 0)
        return dft_tool_format("tid %" PRId64, found->tid);
    return dft_record_is_track(found->tid)
               ? dft_tool_format("%s", found->name.at)
               : dft_tool_format("%s (tid %" PRId64 ")", found->name.at, found->tid);
}

char *dft_rows_process_label(const struct dft_rows *rows, uint32_t process)
{
    const struct dft_row_process *found = &rows->processes[process];

    return found->name.length == 0
               ? dft_tool_format("pid %" PRId64, found->pid)
               : dft_tool_format("%s (pid %" PRId64 ")", found->name.at, found->pid);
}

void dft_rows_free(struct dft_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        dft_text_free(rows->rows[i].name);
    for (size_t i = 0; i < rows->process_count; i++) {
        dft_text_free(rows->processes[i].name);
        dft_text_free(rows->processes[i].command);
        dft_text_free(rows->processes[i].host);
        dft_text_free(rows->processes[i].metadata);
    }
    free(rows->rows);
    free(rows->processes);
    dft_index_free(&rows->row_index);
    dft_index_free(&rows->process_index);
}
