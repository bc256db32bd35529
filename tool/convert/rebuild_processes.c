/*
 * What must be known before the first event is written: processes with their names, and tracks.
 */
#include "tool/convert/rebuild.h"

#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of threads that stand for others, below those of tracks. */
#define REPLACED_FIRST 0x3f000000
#define REPLACED_MAX 0xfffff0u
#define HASHES_MAX 100000u

/* --- numbers --- */

struct id_key {
    const struct dft_rebuild *rebuild;
    int64_t id;
};

static bool matches_id(const void *context, uint32_t number)
{
    const struct id_key *key = context;

    return key->rebuild->ids[number] == key->id;
}

int32_t dft_rebuild_id(struct dft_rebuild *rebuild, int64_t id)
{
    struct id_key key = {rebuild, id};
    uint64_t hash = dft_hash_number(12, (uint64_t)id);

    if (id >= 0 && id <= INT32_MAX)
        return (int32_t)id;
    uint32_t found = dft_index_find(&rebuild->id_index, hash, matches_id, &key);
    if (found == DFT_INDEX_NONE) {
        if (rebuild->id_count == REPLACED_MAX)
            return REPLACED_FIRST;
        rebuild->ids =
            dft_tool_grow(rebuild->ids, rebuild->id_count, &rebuild->id_room, sizeof *rebuild->ids);
        found = (uint32_t)rebuild->id_count++;
        rebuild->ids[found] = id;
        dft_index_add(&rebuild->id_index, hash, found);
        dft_losses_add(rebuild->conversion->losses, "large thread number (replaced)",
                       "large thread numbers (replaced)", 1);
    }
    return REPLACED_FIRST + (int32_t)found;
}

const char *dft_rebuild_text(struct dft_rebuild *rebuild, struct dft_text text)
{
    char *copy = dft_scratch_take(&rebuild->scratch, text.length + 1);

    for (size_t i = 0; i < text.length; i++)
        copy[i] = text.at[i] ? text.at[i] : '?';
    copy[text.length] = '\0';
    return copy;
}

/* --- processes --- */

struct process_key {
    const struct dft_rebuild *rebuild;
    uint32_t trace;
    int64_t pid;
};

static bool matches_process(const void *context, uint32_t number)
{
    const struct process_key *key = context;
    const struct dft_rebuilt_process *process = &key->rebuild->processes[number];

    return process->trace == key->trace && process->pid == key->pid;
}

static struct dft_rebuilt_process *find_process(struct dft_rebuild *rebuild, int64_t pid)
{
    uint32_t trace = rebuild->conversion->trace;
    struct process_key key = {rebuild, trace, pid};
    uint64_t hash = dft_hash_number(dft_hash_number(13, trace), (uint64_t)pid);
    uint32_t found = dft_index_find(&rebuild->process_index, hash, matches_process, &key);

    if (found != DFT_INDEX_NONE)
        return &rebuild->processes[found];
    rebuild->processes = dft_tool_grow(rebuild->processes, rebuild->process_count,
                                       &rebuild->process_room, sizeof *rebuild->processes);
    found = (uint32_t)rebuild->process_count++;
    rebuild->processes[found] = (struct dft_rebuilt_process){
        .trace = trace,
        .pid = pid,
        .first_ns = INT64_MAX,
        .start = {.pid = dft_rebuild_id(rebuild, pid), .rank = -1},
    };
    dft_index_add(&rebuild->process_index, hash, found);
    return &rebuild->processes[found];
}

enum { TEXT_APP, TEXT_COMMAND, TEXT_EXE, TEXT_DIRECTORY, TEXT_HOST, TEXT_CORES };

static void set_text(struct dft_rebuilt_process *process, unsigned which, struct dft_text text)
{
    if (text.length == 0)
        return;
    free(process->texts[which]);
    process->texts[which] = dft_tool_copy(text.at, text.length);
}

/* --- texts of DFTracer's lines --- */

static void add_hash(struct dft_rebuild *rebuild, struct dft_reader *reader,
                     const struct dft_event *event)
{
    struct dft_text hash = dft_event_arg_text(reader, event, "value");
    struct dft_text text = dft_event_arg_text(reader, event, "name");
    struct dft_memory_limit no_limit = {.limit = 0};

    dft_file_hashes_note(&rebuild->files, &no_limit, reader, event);
    if (rebuild->hash_count == HASHES_MAX)
        return;
    rebuild->hashes = dft_tool_grow(rebuild->hashes, rebuild->hash_count, &rebuild->hash_room,
                                    sizeof *rebuild->hashes);
    rebuild->hashes[rebuild->hash_count++] = (struct dft_rebuilt_hash){
        .hash = dft_tool_copy(hash.at, hash.length),
        .text = dft_tool_copy(text.at, text.length),
        .is_file = dft_text_is(event->name, "FH"),
    };
}

static struct dft_text look_up(struct dft_rebuild *rebuild, struct dft_text hash)
{
    struct dft_text text = {"", 0};

    for (size_t i = 0; i < rebuild->hash_count; i++) {
        struct dft_rebuilt_hash *entry = &rebuild->hashes[i];

        if (hash.length > 0 && dft_text_is(hash, entry->hash)) {
            entry->is_used = true;
            text = dft_text(entry->text);
        }
    }
    return text;
}

/* A text of the start: itself in JSON, or its hash. */
static struct dft_text start_text(struct dft_rebuild *rebuild, struct dft_reader *reader,
                                  const struct dft_event *event, const char *key,
                                  const char *hash_key)
{
    struct dft_text text = dft_event_arg_text(reader, event, key);
    struct dft_text hash = dft_event_arg_text(reader, event, hash_key);
    struct dft_text found = look_up(rebuild, hash);

    return found.length > 0 || (hash.length > 0 && strcmp(key, hash_key) != 0) ? found : text;
}

/* --- the survey --- */

/* A number that is not negative; `otherwise` if it is missing. */
static uint64_t number_arg(const struct dft_event *event, const char *key, uint64_t otherwise)
{
    int64_t number;

    return dft_event_arg_int(event, key, &number) && number >= 0 ? (uint64_t)number : otherwise;
}

#define SAME_CLOCK_NS 1000000000 /* offsets of one host differ by less, even over a long time */

/* A file has one clock: times of other hosts, and wall-clock times, are converted to it. */
static void choose_clock(struct dft_rebuild *rebuild, struct dft_rebuilt_process *process,
                         struct dft_text host, int64_t offset)
{
    int64_t difference;

    if (!rebuild->has_clock) {
        rebuild->has_clock = true;
        rebuild->clock_host = dft_tool_copy(host.at, host.length);
        rebuild->clock_offset = offset;
        return;
    }
    if (__builtin_sub_overflow(offset, rebuild->clock_offset, &difference))
        return;
    if (!dft_text_is(host, rebuild->clock_host) || difference > SAME_CLOCK_NS ||
        difference < -SAME_CLOCK_NS)
        process->shift_ns = difference;
}

int64_t dft_rebuild_shift(struct dft_rebuild *rebuild, const struct dft_event *event)
{
    return find_process(rebuild, event->pid)->shift_ns;
}

static void note_start(struct dft_rebuild *rebuild, struct dft_rebuilt_process *process,
                       struct dft_reader *reader, const struct dft_event *event)
{
    struct dft_encoding_start *start = &process->start;
    int64_t offset;
    int64_t budget;

    if (!dft_event_arg_int(event, "realtime_offset_ns", &offset))
        offset = 0;
    process->has_start = true;
    choose_clock(rebuild, process, start_text(rebuild, reader, event, "host", "hhash"), offset);
    uint64_t ns = (uint64_t)event->ts_ns + (uint64_t)process->shift_ns;
    start->monotonic_ns = (int64_t)ns > 0 ? ns : 0;
    start->realtime_ns = start->monotonic_ns + (uint64_t)offset - (uint64_t)process->shift_ns;
    start->ppid = (int32_t)number_arg(event, "ppid", 0);
    start->rank = (int64_t)number_arg(event, "rank", UINT64_MAX);
    start->rank_count = (int64_t)number_arg(event, "ranks", 0);
    start->sample_cost_ns = number_arg(event, "sample_cost_ns", 0);
    start->call_cost_ns = (uint32_t)number_arg(event, "call_cost_ns", 0);
    start->count_cost_ns = (uint32_t)number_arg(event, "count_cost_ns", 0);
    if (dft_event_arg_decimal(event, "budget_pct", 3, &budget) && budget > 0 &&
        budget <= UINT32_MAX)
        start->budget = (uint32_t)budget;
    set_text(process, TEXT_COMMAND, start_text(rebuild, reader, event, "cmd", "cmd_hash"));
    set_text(process, TEXT_EXE, start_text(rebuild, reader, event, "exe", "exec_hash"));
    set_text(process, TEXT_DIRECTORY, start_text(rebuild, reader, event, "cwd", "cwd"));
    set_text(process, TEXT_HOST, start_text(rebuild, reader, event, "host", "hhash"));
    set_text(process, TEXT_CORES, dft_event_arg_text(reader, event, "cores"));
}

static void note_track(struct dft_rebuilt_process *process, struct dft_reader *reader,
                       const struct dft_event *event)
{
    struct dft_text path = dft_event_arg_text(reader, event, "name");
    int64_t parent;

    if (!dft_record_is_track(event->tid))
        return;
    if (!dft_event_arg_int(event, "parent", &parent) || !dft_record_is_track(parent))
        parent = 0;
    process->tracks = dft_tool_grow(process->tracks, process->track_count, &process->track_room,
                                    sizeof *process->tracks);
    process->tracks[process->track_count++] =
        (struct dft_rebuilt_track){.tid = (int32_t)event->tid,
                                   .parent = (int32_t)parent,
                                   .path = dft_tool_copy(path.at, path.length)};
}

static void forget_hashes(struct dft_rebuild *rebuild)
{
    for (size_t i = 0; i < rebuild->hash_count; i++) {
        free(rebuild->hashes[i].hash);
        free(rebuild->hashes[i].text);
    }
    rebuild->hash_count = 0;
}

void dft_rebuild_survey(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct dft_rebuild *rebuild = context;

    if (event->kind == DFT_TRACE_HASH) {
        add_hash(rebuild, reader, event);
        return;
    }
    struct dft_rebuilt_process *process = find_process(rebuild, event->pid);
    if (event->has_ts && event->ts_ns < process->first_ns && event->kind != DFT_TRACE_FUNCTION)
        process->first_ns = event->ts_ns;
    if (event->kind == DFT_TRACE_START)
        note_start(rebuild, process, reader, event);
    else if (event->kind == DFT_TRACE_PROCESS_NAME)
        set_text(process, TEXT_APP, dft_event_arg_text(reader, event, "name"));
    else if (event->kind == DFT_TRACE_THREAD_NAME)
        note_track(process, reader, event);
    else if (event->kind == DFT_TRACE_CALL && !process->start.metadata)
        process->start.metadata =
            event->file.length > 0 || dft_event_is_place_arg(event, dft_text("file"));
    else if (event->kind == DFT_TRACE_AGGREGATE && !process->start.metadata)
        process->start.metadata = event->file.length > 0;
}

/* --- beginning --- */

/* A track without events of its own is known only as the parent of others, by their paths. */
static void add_parent(struct dft_rebuilt_process *process, const struct dft_rebuilt_track *track)
{
    const char *end = strrchr(track->path, '/');

    for (size_t i = 0; i < process->track_count; i++)
        if (process->tracks[i].tid == track->parent)
            return;
    if (!track->parent || !end)
        return;
    char *path = dft_tool_copy(track->path, (size_t)(end - track->path));
    dft_encoding_track(process->encoding, track->parent, path, 0);
    free(path);
}

static void begin(struct dft_rebuild *rebuild, struct dft_rebuilt_process *process)
{
    struct dft_encoding_start *start = &process->start;

    if (!process->has_start && process->first_ns > 0 && process->first_ns != INT64_MAX)
        start->monotonic_ns = (uint64_t)process->first_ns;
    if (!process->has_start)
        start->realtime_ns = start->monotonic_ns + (uint64_t)rebuild->clock_offset;
    start->app = process->texts[TEXT_APP];
    start->command = process->texts[TEXT_COMMAND];
    start->exe = process->texts[TEXT_EXE];
    start->directory = process->texts[TEXT_DIRECTORY];
    start->host = process->texts[TEXT_HOST];
    start->cores = process->texts[TEXT_CORES];
    process->encoding = dft_encoding_begin(rebuild->encoding, start);
    for (size_t i = 0; i < process->track_count; i++) {
        const struct dft_rebuilt_track *track = &process->tracks[i];

        add_parent(process, track);
        dft_encoding_track(process->encoding, track->tid, track->path, track->parent);
    }
}

struct dft_encoding_process *dft_rebuild_process(struct dft_rebuild *rebuild,
                                                 const struct dft_event *event)
{
    struct dft_rebuilt_process *process = find_process(rebuild, event->pid);

    if (!process->encoding)
        begin(rebuild, process);
    return process->encoding;
}

void dft_rebuild_end_trace(void *context)
{
    struct dft_rebuild *rebuild = context;

    for (size_t i = 0; i < rebuild->hash_count; i++)
        dft_losses_add(rebuild->conversion->losses, "text with a hash", "texts with a hash",
                       !rebuild->hashes[i].is_used && !rebuild->hashes[i].is_file &&
                           rebuild->hashes[i].text[0]);
    forget_hashes(rebuild);
}

void dft_rebuild_free_processes(struct dft_rebuild *rebuild)
{
    for (size_t i = 0; i < rebuild->process_count; i++) {
        struct dft_rebuilt_process *process = &rebuild->processes[i];

        for (size_t t = 0; t < sizeof process->texts / sizeof *process->texts; t++)
            free(process->texts[t]);
        for (size_t t = 0; t < process->track_count; t++)
            free(process->tracks[t].path);
        free(process->tracks);
    }
    forget_hashes(rebuild);
    dft_file_hashes_free(&rebuild->files);
    free(rebuild->clock_host);
    free(rebuild->processes);
    free(rebuild->hashes);
    free(rebuild->ids);
    dft_index_free(&rebuild->process_index);
    dft_index_free(&rebuild->id_index);
}
