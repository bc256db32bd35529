/*
 * dftrace convert: writes traces in another format.
 */
#include "tool/convert/convert.h"
#include "tool/base/flags.h"
#include "tool/base/progress.h"
#include "tool/base/suggest.h"
#include "tool/base/text.h"
#include "tool/base/tool.h"
#include "tool/trace/walk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FLAG_TO };

static const struct dft_flag flags[] = {
    [FLAG_TO] = {"--to", "FORMAT", "the format of OUT; without it, OUT's extension decides"},
    {0},
};

static struct dft_help usage = {
    .command = "convert",
    .synopsis = "[--to FORMAT] IN... OUT",
    .text =
        "Writes the events of traces in another format. IN is what a traced program wrote, or\n"
        "another trace in Chrome's JSON or Perfetto's binary format, compressed by gzip or not.\n"
        "Several of them, for example of the processes of one run, become one OUT. - is stdin\n"
        "and stdout. OUT is compressed if its name ends in .gz. It is replaced when it is\n"
        "complete, and left as it was if anything fails.",
    .flags = flags,
};

/* --- the command line --- */

static char *explain_formats(void)
{
    const struct dft_target *target;
    char *text = dft_tool_copy("Formats, and the extensions of OUT that stand for them:\n", 56);

    for (size_t i = 0; (target = dft_target_at(i)); i++) {
        char *longer = dft_tool_format("%s\n  %-11s %s\n  %11s %s", text, target->name,
                                       target->help, "", target->extensions);
        free(text);
        text = longer;
    }
    char *all = dft_tool_format("%s\n\nWhat a format has no place for is left out and counted on "
                                "stderr; docs/CONVERT.md has a\ntable of what each format keeps.",
                                text);
    free(text);
    return all;
}

struct request {
    const struct dft_target *target;
    const char **paths; /* the last one is OUT */
    size_t count;
};

static const char *target_candidate(const void *context, size_t index)
{
    const struct dft_target *target = dft_target_at(index);

    (void)context;
    return target ? target->name : NULL;
}

static char *list_formats(void)
{
    char *list = dft_tool_copy("", 0);
    const struct dft_target *target;

    for (size_t i = 0; (target = dft_target_at(i)); i++) {
        char *longer = dft_tool_format("%s%s%s", list,
                                       i == 0                 ? ""
                                       : dft_target_at(i + 1) ? ", "
                                                              : " or ",
                                       target->name);
        free(list);
        list = longer;
    }
    return list;
}

static int take_format(struct request *request, const char *name)
{
    request->target = dft_target_find(name);
    if (request->target)
        return DFT_EXIT_OK;
    const char *nearest = dft_suggest_nearest(name, target_candidate, NULL);
    if (nearest)
        return dft_flags_refuse(&usage, "unknown format '%s', did you mean '%s'?", name, nearest);
    char *list = list_formats();
    int status = dft_flags_refuse(&usage, "unknown format '%s', expected %s", name, list);
    free(list);
    return status;
}

static int complete_request(struct request *request)
{
    size_t pipes = 0;

    if (request->count < 2)
        return dft_flags_refuse(&usage, request->count == 0 ? "no IN and no OUT are given"
                                                            : "no OUT is given");
    const char *out = request->paths[request->count - 1];
    for (size_t i = 0; i + 1 < request->count; i++)
        pipes += strcmp(request->paths[i], "-") == 0;
    if (pipes > 1)
        return dft_flags_refuse(&usage, "stdin can be read only once");
    if (!request->target)
        request->target = dft_target_of_path(out);
    if (request->target)
        return DFT_EXIT_OK;
    char *list = list_formats();
    int status = dft_flags_refuse(&usage, "%s: which format? add --to with %s",
                                  strcmp(out, "-") == 0 ? "(stdout)" : out, list);
    free(list);
    return status;
}

/* Returns DFT_EXIT_OK to go on; `*done` after --help. */
static int read_request(int argc, char **argv, struct request *request, bool *done)
{
    struct dft_flags line = {.usage = &usage, .argc = argc, .argv = argv};
    char *notes = explain_formats();
    int status = DFT_EXIT_OK;

    usage.notes = notes;
    while (status == DFT_EXIT_OK && !*done) {
        switch (dft_flags_next(&line)) {
        case DFT_FLAG_WORD:
            request->paths[request->count++] = line.value;
            continue;
        case DFT_FLAG_FOUND:
            status = take_format(request, line.value);
            continue;
        case DFT_FLAG_HELP:
            *done = true;
            continue;
        case DFT_FLAG_WRONG:
            status = DFT_EXIT_USAGE;
            continue;
        case DFT_FLAG_END:
            break;
        }
        status = complete_request(request);
        break;
    }
    usage.notes = NULL;
    free(notes);
    return status;
}

/* --- converting --- */

struct work {
    struct dft_conversion conversion;
    const struct dft_target *target;
    void *state;
    bool is_surveyed; /* the open file has been read once */
    uint64_t surveyed;
    uint64_t converted;
};

static void open_trace(void *context, const char *path)
{
    struct work *work = context;

    work->conversion.path = path;
    work->is_surveyed = false;
    work->surveyed = work->converted = 0;
}

static void first_event(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct work *work = context;

    if (work->target->survey) {
        work->target->survey(work->state, reader, event);
        work->surveyed++;
    } else {
        work->target->event(work->state, reader, event);
    }
}

static enum dft_pass next_pass(void *context, const struct dft_reader *reader)
{
    struct work *work = context;

    (void)reader;
    if (!work->target->survey || work->is_surveyed)
        return DFT_PASS_NONE;
    work->is_surveyed = true;
    return DFT_PASS_FORWARD;
}

static void event_again(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct work *work = context;

    if (work->converted == work->surveyed)
        return; /* the file has grown meanwhile */
    work->converted++;
    work->target->event(work->state, reader, event);
}

static bool close_trace(void *context)
{
    struct work *work = context;

    if (work->target->end_trace)
        work->target->end_trace(work->state);
    work->conversion.trace++;
    return work->converted == work->surveyed;
}

/* --- the order of several traces --- */

#define PEEKED_MAX 64 /* events; the start of a trace of dftrace is among the first */

/* When a trace begins, on the wall clock; the largest time if that is not known. */
static int64_t find_start(const char *path)
{
    struct stat status;
    struct dft_event event;
    char error[256];
    int64_t start = INT64_MAX, offset;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return start;
    struct dft_reader *reader = dft_reader_open(path, error, sizeof error);
    for (int i = 0; reader && i < PEEKED_MAX; i++) {
        if (dft_reader_next(reader, &event) != DFT_READ_EVENT)
            break;
        if (event.kind != DFT_TRACE_START)
            continue;
        if (!dft_event_arg_int(&event, "realtime_offset_ns", &offset) ||
            __builtin_add_overflow(event.ts_ns, offset, &start))
            start = event.ts_ns;
        break;
    }
    if (reader)
        dft_reader_close(reader);
    return start;
}

/* Formats that relate clocks to each other need processes in the order in which they began. */
static void sort_by_start(const char **paths, size_t count)
{
    int64_t *starts = dft_tool_zeroed(count, sizeof *starts);

    for (size_t i = 0; i < count; i++) {
        const char *path = paths[i];
        int64_t start = find_start(path);
        size_t at = i;

        for (; at > 0 && starts[at - 1] > start; at--) {
            starts[at] = starts[at - 1];
            paths[at] = paths[at - 1];
        }
        starts[at] = start;
        paths[at] = path;
    }
    free(starts);
}

static int convert(const struct request *request)
{
    const char *path = request->paths[request->count - 1];
    bool compress = dft_text_ends_with(dft_text(path), ".gz");
    struct dft_losses losses = {.count = 0};
    struct work work = {.target = request->target};
    struct dft_visitor visitor = {
        .context = &work,
        .open = open_trace,
        .event = first_event,
        .reads_again = request->target->survey != NULL,
        .next_pass = next_pass,
        .event_again = event_again,
        .close = close_trace,
    };
    bool incomplete = false;

    work.conversion.out = dft_out_file_open(path, compress, request->target->has_members);
    if (!work.conversion.out)
        return DFT_EXIT_FAILED;
    work.conversion.losses = &losses;
    work.conversion.trace_count = (uint32_t)(request->count - 1);
    if (request->count > 2)
        sort_by_start(request->paths, request->count - 1);
    dft_progress_name("converting");
    work.state = work.target->begin(&work.conversion);
    bool is_read = dft_walk_traces(request->paths, request->count - 1, &visitor, &incomplete);
    work.target->end(work.state);
    bool is_written = dft_out_file_close(work.conversion.out, is_read);
    if (is_read && is_written)
        dft_losses_print(&losses);
    return is_read && is_written ? DFT_EXIT_OK : DFT_EXIT_FAILED;
}

int dft_cmd_convert(int argc, char **argv)
{
    struct request request = {.paths = dft_tool_zeroed((size_t)argc, sizeof *request.paths)};
    bool done = false;
    int status = read_request(argc, argv, &request, &done);

    if (status == DFT_EXIT_OK && !done && request.target)
        status = convert(&request);
    free(request.paths);
    return status;
}
