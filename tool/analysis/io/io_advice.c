/*
 * See io_advice.h. Pure, except for memory.
 */
#include "tool/analysis/io/io_advice.h"

#include "tool/base/tool.h"

#include <stdlib.h>

struct list {
    struct dft_io_advice *items;
    size_t count, room;
};

const char *dft_io_rule_name(enum dft_io_rule rule)
{
    static const char *const names[DFT_IO_RULES] = {
        [DFT_IO_SMALL_READS] = "small-reads",       [DFT_IO_READ_AGAIN] = "read-again",
        [DFT_IO_OPENED_OFTEN] = "opened-often",     [DFT_IO_MANY_FILES] = "many-files",
        [DFT_IO_SYNC_PER_WRITE] = "sync-per-write", [DFT_IO_UNALIGNED] = "unaligned",
        [DFT_IO_SLOW_FILE] = "slow-file",
    };

    return names[rule];
}

static void add(struct list *list, struct dft_io_advice advice)
{
    list->items = dft_tool_grow(list->items, list->count, &list->room, sizeof *list->items);
    list->items[list->count++] = advice;
}

static bool begins_with(struct dft_text text, const char *start)
{
    size_t length = strlen(start);

    return text.length >= length && memcmp(text.at, start, length) == 0;
}

/* Not a pipe or socket, nor what the kernel makes up. */
static bool is_on_disk(const struct dft_io_file *file)
{
    return begins_with(file->name, "/") && !begins_with(file->name, "/dev/") &&
           !begins_with(file->name, "/proc/") && !begins_with(file->name, "/sys/") &&
           !begins_with(file->name, "/memfd:");
}

static bool is_percent(uint64_t part, uint64_t whole, unsigned percent)
{
    return (__int128)part * 100 >= (__int128)whole * percent;
}

static uint64_t accesses_of(const struct dft_io_file *file)
{
    return file->sums.reads + file->sums.writes;
}

static int64_t bytes_of(const struct dft_io_sums *sums)
{
    int64_t bytes;

    return __builtin_add_overflow(sums->bytes_read, sums->bytes_written, &bytes) ? INT64_MAX
                                                                                 : bytes;
}

static void check_reads(struct list *list, const struct dft_io_file *file)
{
    const struct dft_io_sums *sums = &file->sums;

    if (file->small_reads >= DFT_IO_SMALL_READS_MIN &&
        is_percent(file->small_reads, file->posix_reads, DFT_IO_SMALL_READS_PERCENT))
        add(list, (struct dft_io_advice){.rule = DFT_IO_SMALL_READS,
                                         .subject = file->name,
                                         .count = file->small_reads,
                                         .of = file->posix_reads,
                                         .bytes = file->small_bytes,
                                         .ns = file->small_ns});
    if (file->again_bytes >= DFT_IO_AGAIN_MIN &&
        is_percent((uint64_t)file->again_bytes, (uint64_t)sums->bytes_read, DFT_IO_AGAIN_PERCENT))
        add(list, (struct dft_io_advice){.rule = DFT_IO_READ_AGAIN,
                                         .subject = file->name,
                                         .bytes = file->again_bytes,
                                         .of_bytes = sums->bytes_read,
                                         .ns = sums->data_ns});
}

static void check_opens(struct list *list, const struct dft_io_file *file)
{
    if (file->opens >= DFT_IO_OPENS_MIN * file->processes &&
        accesses_of(file) <= DFT_IO_ACCESSES_PER_OPEN * file->opens)
        add(list, (struct dft_io_advice){.rule = DFT_IO_OPENED_OFTEN,
                                         .subject = file->name,
                                         .count = file->opens,
                                         .of = accesses_of(file),
                                         .ns = file->sums.metadata_ns});
}

static void check_writes(struct list *list, const struct dft_io_file *file)
{
    if (file->syncs >= DFT_IO_SYNCS_MIN &&
        file->sums.writes <= DFT_IO_WRITES_PER_SYNC * file->syncs)
        add(list, (struct dft_io_advice){.rule = DFT_IO_SYNC_PER_WRITE,
                                         .subject = file->name,
                                         .count = file->syncs,
                                         .of = file->sums.writes,
                                         .ns = file->sync_ns});
}

static void check_alignment(struct list *list, const struct dft_io_file *file)
{
    if (file->end >= DFT_IO_OFF_FILE_BYTES && file->posix_accesses >= DFT_IO_OFF_MIN &&
        is_percent(file->off_accesses, file->posix_accesses, DFT_IO_OFF_PERCENT) &&
        !is_percent(file->sequential, file->followers, DFT_IO_OFF_SEQUENTIAL_PERCENT))
        add(list, (struct dft_io_advice){.rule = DFT_IO_UNALIGNED,
                                         .subject = file->name,
                                         .count = file->off_accesses,
                                         .of = file->posix_accesses,
                                         .ns = file->sums.data_ns});
}

static double rate_of(int64_t bytes, int64_t ns)
{
    return ns > 0 ? (double)bytes * 1e9 / (double)ns : 0;
}

static void check_speed(struct list *list, const struct dft_io_file *files, size_t count)
{
    const struct dft_io_file *slow = NULL;
    int64_t ns = 0, bytes = 0;

    for (size_t i = 0; i < count; i++) {
        const struct dft_io_sums *sums = &files[i].sums;

        if (!is_on_disk(&files[i]))
            continue;
        if (__builtin_add_overflow(ns, sums->data_ns, &ns) ||
            __builtin_add_overflow(bytes, bytes_of(sums), &bytes))
            return;
        slow = !slow || sums->data_ns > slow->sums.data_ns ? &files[i] : slow;
    }
    if (!slow || slow->sums.data_ns < DFT_IO_SLOW_NS ||
        !is_percent((uint64_t)slow->sums.data_ns, (uint64_t)ns, DFT_IO_SLOW_PERCENT))
        return;
    double rate = rate_of(bytes_of(&slow->sums), slow->sums.data_ns);
    double others = rate_of(bytes - bytes_of(&slow->sums), ns - slow->sums.data_ns);
    if (bytes - bytes_of(&slow->sums) >= DFT_IO_SLOW_OTHERS && rate * DFT_IO_SLOW_FACTOR < others)
        add(list, (struct dft_io_advice){.rule = DFT_IO_SLOW_FILE,
                                         .subject = slow->name,
                                         .bytes = bytes_of(&slow->sums),
                                         .ns = slow->sums.data_ns,
                                         .rate = rate,
                                         .others = others});
}

/* --- many files ----------------------------------------------------------------------------- */

static struct dft_text directory_of(struct dft_text name)
{
    const char *slash = name.length > 0 ? memrchr(name.at, '/', name.length) : NULL;

    return (struct dft_text){name.at, slash ? (size_t)(slash - name.at) + 1 : 0};
}

static int compare_directories(const void *left, const void *right)
{
    const struct dft_text a = directory_of((*(const struct dft_io_file *const *)left)->name);
    const struct dft_text b = directory_of((*(const struct dft_io_file *const *)right)->name);
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.at, b.at, shorter);

    return order ? order : a.length < b.length ? -1 : a.length > b.length;
}

/* Opened for very little. */
static bool is_record(const struct dft_io_file *file)
{
    return is_on_disk(file) && file->opens > 0 && accesses_of(file) > 0 &&
           accesses_of(file) <= DFT_IO_ACCESSES_PER_OPEN * file->opens &&
           bytes_of(&file->sums) <= DFT_IO_FILE_BYTES;
}

static void check_directories(struct list *list, const struct dft_io_file *files, size_t count)
{
    const struct dft_io_file **records = dft_tool_zeroed(count, sizeof *records);
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        if (is_record(&files[i]))
            records[found++] = &files[i];
    if (found > 1)
        qsort(records, found, sizeof *records, compare_directories);
    for (size_t i = 0, next; i < found; i = next) {
        struct dft_io_advice advice = {.rule = DFT_IO_MANY_FILES,
                                       .subject = directory_of(records[i]->name)};

        for (next = i; next < found && compare_directories(&records[i], &records[next]) == 0;
             next++) {
            advice.count++;
            advice.of += records[next]->opens;
            advice.bytes += bytes_of(&records[next]->sums);
            if (__builtin_add_overflow(advice.ns, records[next]->sums.metadata_ns, &advice.ns))
                advice.ns = INT64_MAX;
        }
        if (advice.count >= DFT_IO_FILES_MIN)
            add(list, advice);
    }
    free(records);
}

/* -------------------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
    const struct dft_io_advice *a = left, *b = right;

    if (a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    size_t shorter = a->subject.length < b->subject.length ? a->subject.length : b->subject.length;
    return memcmp(a->subject.at, b->subject.at, shorter);
}

struct dft_io_advice *dft_io_advise(const struct dft_io_file *files, size_t file_count,
                                    size_t *count)
{
    struct list list = {0};

    for (size_t i = 0; i < file_count; i++) {
        if (!is_on_disk(&files[i]))
            continue;
        check_reads(&list, &files[i]);
        check_opens(&list, &files[i]);
        check_writes(&list, &files[i]);
        check_alignment(&list, &files[i]);
    }
    check_speed(&list, files, file_count);
    check_directories(&list, files, file_count);
    if (list.count > 1)
        qsort(list.items, list.count, sizeof *list.items, compare);
    *count = list.count;
    return list.items;
}
