/*
 * Collects I/O calls while a trace is read: see io.h. One thread of the tool uses it.
 */
#include "tool/analysis/io/io.h"

#include "tool/analysis/file_hashes.h"
#include "tool/analysis/io/io_call.h"
#include "tool/base/index.h"
#include "tool/base/tool.h"

#include <stdlib.h>

/* A file in a process of the open trace. */
struct use {
    int64_t pid;
    uint32_t file;
    bool has_last;
    int64_t last_end; /* of the last read or write */
    int64_t position;
    struct dft_coverage read;
};

struct dft_io {
    struct dft_companion companion; /* first */
    struct dft_memory_limit memory;
    struct dft_io_file *files;
    size_t file_count, file_room;
    struct dft_index file_index;
    bool has_others;
    struct dft_io_process *processes;
    size_t process_count, process_room;
    struct dft_index process_index;
    struct dft_file_hashes hashes;

    /* Of the open trace: */
    uint64_t trace;
    int64_t offset; /* from the trace's clock to the time of day, if it is known */
    struct use *uses;
    size_t use_count, use_room;
    struct dft_index use_index;
};

struct dft_io *dft_io_new(size_t memory)
{
    struct dft_io *io = dft_tool_zeroed(1, sizeof *io);

    io->memory.limit = memory;
    return io;
}

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* --- names ---------------------------------------------------------------------------------- */

struct search {
    const struct dft_io *io;
    struct dft_text text;
    int64_t pid;
    uint32_t file;
};

static bool matches_file(const void *context, uint32_t number)
{
    const struct search *search = context;

    return dft_text_equal(search->io->files[number].name, search->text);
}

uint32_t dft_io_find_file(const struct dft_io *io, struct dft_text text)
{
    struct search search = {.io = io, .text = dft_file_hashes_resolve(&io->hashes, text)};

    return dft_index_find(&io->file_index, dft_hash_text(0, search.text), matches_file, &search);
}

static uint32_t add_file(struct dft_io *io, struct dft_text name)
{
    io->files = dft_tool_grow(io->files, io->file_count, &io->file_room, sizeof *io->files);
    io->files[io->file_count] = (struct dft_io_file){.name = dft_text_copy(name)};
    io->memory.used += 2 * sizeof *io->files + name.length + 96;
    dft_index_add(&io->file_index, dft_hash_text(0, name), (uint32_t)io->file_count);
    return (uint32_t)io->file_count++;
}

static uint32_t find_or_add_file(struct dft_io *io, struct dft_text text)
{
    struct dft_text name =
        text.length > 0 ? dft_file_hashes_resolve(&io->hashes, text) : dft_text(DFT_IO_NO_FILE);
    uint32_t found = dft_io_find_file(io, name);

    if (found != DFT_INDEX_NONE)
        return found;
    if (!dft_memory_limit_is_reached(&io->memory))
        return add_file(io, name);
    io->has_others = true;
    found = dft_io_find_file(io, dft_text(DFT_IO_OTHER_FILES));
    return found == DFT_INDEX_NONE ? add_file(io, dft_text(DFT_IO_OTHER_FILES)) : found;
}

/* --- processes ------------------------------------------------------------------------------ */

static bool matches_process(const void *context, uint32_t number)
{
    const struct search *search = context;
    const struct dft_io_process *process = &search->io->processes[number];

    return process->pid == search->pid && process->trace == search->io->trace;
}

static struct dft_io_process *find_or_add_process(struct dft_io *io, int64_t pid)
{
    struct search search = {.io = io, .pid = pid};
    uint64_t hash = dft_hash_number(dft_hash_number(0, io->trace), (uint64_t)pid);
    uint32_t found = dft_index_find(&io->process_index, hash, matches_process, &search);

    if (found != DFT_INDEX_NONE)
        return &io->processes[found];
    io->processes =
        dft_tool_grow(io->processes, io->process_count, &io->process_room, sizeof *io->processes);
    io->processes[io->process_count] =
        (struct dft_io_process){.trace = io->trace, .pid = pid, .rank = -1};
    dft_index_add(&io->process_index, hash, (uint32_t)io->process_count);
    return &io->processes[io->process_count++];
}

static bool matches_use(const void *context, uint32_t number)
{
    const struct search *search = context;
    const struct use *use = &search->io->uses[number];

    return use->file == search->file && use->pid == search->pid;
}

static struct use *find_or_add_use(struct dft_io *io, int64_t pid, uint32_t file)
{
    struct search search = {.io = io, .pid = pid, .file = file};
    uint64_t hash = dft_hash_number(dft_hash_number(0, file), (uint64_t)pid);
    uint32_t found = dft_index_find(&io->use_index, hash, matches_use, &search);

    if (found != DFT_INDEX_NONE)
        return &io->uses[found];
    io->uses = dft_tool_grow(io->uses, io->use_count, &io->use_room, sizeof *io->uses);
    io->uses[io->use_count] = (struct use){.pid = pid, .file = file};
    io->files[file].processes++;
    dft_index_add(&io->use_index, hash, (uint32_t)io->use_count);
    return &io->uses[io->use_count++];
}

/* --- calls ---------------------------------------------------------------------------------- */

static enum dft_io_size size_class(int64_t bytes)
{
    static const int64_t limits[] = {1 << 10, 4 << 10, 64 << 10, 1 << 20};
    size_t size = 0;

    while (size < DFT_IO_MORE && bytes > limits[size])
        size++;
    return (enum dft_io_size)size;
}

static void count_sums(struct dft_io_sums *sums, const struct dft_io_call *call, int64_t time)
{
    bool reads = call->kind == DFT_IO_READ, writes = call->kind == DFT_IO_WRITE;

    sums->calls++;
    sums->reads += reads;
    sums->writes += writes;
    if (reads)
        sums->bytes_read = add(sums->bytes_read, call->bytes);
    if (writes)
        sums->bytes_written = add(sums->bytes_written, call->bytes);
    if (reads || writes) {
        sums->data_ns = add(sums->data_ns, time);
    } else {
        sums->metadata_calls++;
        sums->metadata_ns = add(sums->metadata_ns, time);
    }
}

static bool is_just_off(int64_t number)
{
    int64_t past = number % DFT_IO_PAGE, missing = DFT_IO_PAGE - past;

    return past != 0 && (past < missing ? past : missing) <= DFT_IO_JUST_OFF;
}

/* A read or write that moved something. */
static void count_access(struct dft_io_file *file, struct use *use, const struct dft_io_call *call,
                         int64_t time)
{
    int64_t start = call->has_offset ? call->offset : use->position;
    int64_t end = add(start, call->bytes);

    file->sizes[size_class(call->bytes)]++;
    file->followers += use->has_last;
    file->sequential += use->has_last && use->last_end == start;
    use->has_last = true;
    use->last_end = end;
    if (!call->has_offset)
        use->position = end;
    file->end = end > file->end ? end : file->end;
    if (call->kind == DFT_IO_READ)
        file->again_bytes =
            add(file->again_bytes, end - start - dft_coverage_add(&use->read, start, end));
    if (!call->is_posix)
        return;
    file->posix_accesses++;
    file->off_accesses += is_just_off(start) || is_just_off(call->bytes);
    if (call->kind == DFT_IO_READ) {
        file->posix_reads++;
        if (call->bytes <= DFT_IO_SMALL) {
            file->small_reads++;
            file->small_bytes = add(file->small_bytes, call->bytes);
            file->small_ns = add(file->small_ns, time);
        }
    }
}

static void note_call(struct dft_io *io, struct dft_reader *reader, const struct dft_event *event)
{
    struct dft_io_call call = dft_io_call_read(reader, event);

    if (call.kind == DFT_IO_OTHER)
        return;
    uint32_t number = find_or_add_file(io, call.file);
    struct use *use = find_or_add_use(io, event->pid, number);
    struct dft_io_file *file = &io->files[number];
    int64_t start = add(event->ts_ns, io->offset);

    count_sums(&file->sums, &call, event->dur_ns);
    count_sums(&find_or_add_process(io, event->pid)->sums, &call, event->dur_ns);
    if (call.kind == DFT_IO_READ || call.kind == DFT_IO_WRITE)
        file->busy_ns =
            add(file->busy_ns, dft_coverage_add(&file->busy, start, add(start, event->dur_ns)));
    if (call.bytes > 0)
        count_access(file, use, &call, event->dur_ns);
    if (call.kind == DFT_IO_OPEN && !call.has_failed) {
        file->opens++;
        use->position = 0;
    }
    if (call.kind == DFT_IO_SYNC) {
        file->syncs++;
        file->sync_ns = add(file->sync_ns, event->dur_ns);
    }
    if (call.kind == DFT_IO_SEEK && call.has_offset)
        use->position = call.is_relative ? add(use->position, call.offset) : call.offset;
}

/* --- the visitor ---------------------------------------------------------------------------- */

static void close_uses(struct dft_io *io)
{
    for (size_t i = 0; i < io->use_count; i++)
        dft_coverage_free(&io->uses[i].read);
    io->use_count = 0;
    dft_index_free(&io->use_index);
}

static void open_trace(void *context, const char *path)
{
    struct dft_io *io = context;

    io->offset = 0;
    io->trace++;
    dft_companion_open(context, path);
}

static void see_event(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct dft_io *io = context;
    int64_t rank;

    if (event->kind == DFT_TRACE_CALL) {
        note_call(io, reader, event);
    } else if (event->kind == DFT_TRACE_START) {
        dft_event_arg_int(event, "realtime_offset_ns", &io->offset);
        if (dft_event_arg_int(event, "rank", &rank) && rank >= 0)
            find_or_add_process(io, event->pid)->rank = rank;
    } else if (event->kind == DFT_TRACE_HASH) {
        dft_file_hashes_note(&io->hashes, &io->memory, reader, event);
    }
    dft_companion_event(context, reader, event);
}

static bool close_trace(void *context)
{
    struct dft_io *io = context;

    close_uses(io);
    return dft_companion_close(context);
}

struct dft_visitor dft_io_visitor(struct dft_io *io, const struct dft_visitor *inner)
{
    struct dft_visitor visitor = dft_companion_visitor(&io->companion, inner);

    visitor.open = open_trace;
    visitor.event = see_event;
    visitor.close = close_trace;
    return visitor;
}

/* --- results -------------------------------------------------------------------------------- */

const struct dft_io_file *dft_io_files(const struct dft_io *io, size_t *count)
{
    *count = io->file_count;
    for (size_t i = 0; i < io->file_count; i++)
        io->files[i].busy_is_estimate = io->files[i].busy.is_estimate;
    return io->files;
}

static int compare_processes(const void *left, const void *right)
{
    const struct dft_io_process *a = left, *b = right;

    if (dft_io_time(&a->sums) != dft_io_time(&b->sums))
        return dft_io_time(&a->sums) > dft_io_time(&b->sums) ? -1 : 1;
    if (a->trace != b->trace)
        return a->trace < b->trace ? -1 : 1;
    return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* The index is not valid afterwards: no trace follows. */
const struct dft_io_process *dft_io_processes(struct dft_io *io, size_t *count)
{
    *count = io->process_count;
    if (io->process_count > 1)
        qsort(io->processes, io->process_count, sizeof *io->processes, compare_processes);
    return io->processes;
}

bool dft_io_has_others(const struct dft_io *io)
{
    return io->has_others;
}

void dft_io_free(struct dft_io *io)
{
    close_uses(io);
    for (size_t i = 0; i < io->file_count; i++) {
        dft_text_free(io->files[i].name);
        dft_coverage_free(&io->files[i].busy);
    }
    dft_index_free(&io->file_index);
    dft_index_free(&io->process_index);
    dft_file_hashes_free(&io->hashes);
    dft_index_free(&io->use_index);
    free(io->files);
    free(io->processes);
    free(io->uses);
    free(io);
}
