/*
 * Fuzzes the trace reader and the profile with libFuzzer: the input is a trace file, JSON or
 * Perfetto's format, plain or compressed.
 *
 *   clang-14 -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I. -o fuzz_reader \
 *       tests/fuzz/fuzz_reader.c SOURCES -lz
 *   ./fuzz_reader -dict=tests/fuzz/trace.dict -max_total_time=120
 *
 * SOURCES are those of dft_tool (tool/CMakeLists.txt) and allowlist/path.c.
 *
 * What comes out must add up, whatever went in.
 */
#include "tool/analysis/call_tree.h"
#include "tool/analysis/profile.h"
#include "tool/analysis/steps.h"
#include "tool/print/results.h"
#include "tool/print/steps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Every promise of reader.h that can be checked without knowing the input. */
static void check_event(struct dft_reader *reader, const struct dft_event *event)
{
    int64_t end;
    int64_t number;

    if (event->ph == '\0' || event->dur_ns < 0 ||
        __builtin_add_overflow(event->ts_ns, event->dur_ns, &end))
        abort();
    if (event->raw.length > 0 &&
        (event->raw.length < 2 || event->raw.at[event->raw.length - 1] != '}'))
        abort();
    for (size_t i = 0; i < event->arg_count; i++) {
        if (event->args[i].value.length == 0)
            abort();
    }
    dft_event_arg_text(reader, event, "file");
    dft_event_arg_int(event, "line", &number);

    /* A decoded name is valid UTF-8: encoding what is in it gives the same bytes. */
    struct dft_text rest = event->name;
    while (rest.length > 0) {
        const char *before = rest.at;
        char encoded[4];
        size_t length = dft_text_encode(dft_text_next(&rest), encoded);

        if ((size_t)(rest.at - before) != length || memcmp(before, encoded, length) != 0)
            abort();
    }
}

static void check_steps(struct dft_steps *steps, const struct dft_results *results, FILE *out)
{
    struct dft_steps_results list = {.results = results};

    list.steps = dft_steps_list(steps, &list.step_count);
    list.epochs = dft_steps_epochs(steps, &list.epoch_count);
    for (size_t i = 0; i < list.step_count; i++)
        if (list.steps[i].calls == 0 || list.steps[i].total_ns < 0 ||
            dft_step_span(&list.steps[i]) < 0)
            abort();
    dft_steps_print_json(out, &list);
    dft_steps_print_text(out, &list);
    dft_steps_print_summary(out, &list);
}

static void check_profile(struct dft_profile *profile, struct dft_steps *steps)
{
    size_t count;
    const struct dft_function *functions = dft_profile_functions(profile, &count);
    const struct dft_function **rows = calloc(count + 1, sizeof *rows);
    const char *trace = "fuzz";
    FILE *out = fopen("/dev/null", "w");
    struct dft_results results = {
        .traces = &trace,
        .trace_count = 1,
        .summary = dft_profile_summarize(profile),
        .title = "FUNCTION",
        .rows = rows,
        .row_count = count,
    };
    uint64_t calls = 0;

    for (size_t i = 0; i < count; i++) {
        rows[i] = &functions[i];
        calls += functions[i].calls;
        if (functions[i].calls == 0 || functions[i].aggregated > functions[i].calls ||
            functions[i].throttled > functions[i].aggregated)
            abort();
        /* Sums that others have made may be anything, and the least is of ended calls only. */
        if (functions[i].aggregated == 0 &&
            ((functions[i].unfinished == 0 && functions[i].min_ns > functions[i].mean_ns) ||
             functions[i].mean_ns > functions[i].max_ns || functions[i].threads == 0))
            abort();
    }
    if (calls != results.summary.calls)
        abort();
    dft_results_print_json(out, &results);
    dft_results_print_text(out, &results);
    results.width = 80;
    dft_results_print_text(out, &results);
    check_steps(steps, &results, out);
    fclose(out);
    free(rows);
}

static void read_trace(const uint8_t *data, size_t size)
{
    char error[256];
    int fd = memfd_create("trace", MFD_CLOEXEC);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
        abort();
    struct dft_reader *reader = dft_reader_open_fd(fd, error, sizeof error);
    if (!reader)
        return;
    struct dft_profile *profile = dft_profile_new();
    struct dft_event event;
    enum dft_read result;

    struct dft_steps *steps = dft_steps_new(1 << 20);
    struct dft_visitor inner = dft_profile_visitor(profile);
    struct dft_visitor visitor = dft_steps_visitor(steps, &inner);

    visitor.open(steps, "trace");
    while ((result = dft_reader_next(reader, &event)) == DFT_READ_EVENT) {
        check_event(reader, &event);
        visitor.event(steps, reader, &event);
    }
    if (result == DFT_READ_ERROR && strlen(dft_reader_error(reader)) == 0)
        abort();
    if (dft_reader_next(reader, &event) != result)
        abort();
    visitor.close(steps);
    check_profile(profile, steps);
    dft_steps_free(steps);
    dft_profile_free(profile);
    dft_reader_close(reader);
}

/* The call tree, with every further pass that it asks for. */
static void read_tree(const uint8_t *data, size_t size)
{
    char error[256];
    int fd = memfd_create("trace", MFD_CLOEXEC);
    struct dft_event event;
    enum dft_pass pass;

    if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
        abort();
    struct dft_reader *reader = dft_reader_open_fd(fd, error, sizeof error);
    if (!reader)
        return;
    struct dft_profile *profile = dft_profile_new();
    dft_profile_make_tree(profile);
    struct dft_visitor visitor = dft_profile_visitor(profile);
    visitor.open(profile, "trace");
    while (dft_reader_next(reader, &event) == DFT_READ_EVENT)
        visitor.event(profile, reader, &event);
    while ((pass = visitor.next_pass(profile, reader)) != DFT_PASS_NONE) {
        size_t pieces = pass == DFT_PASS_FORWARD ? 1 : dft_reader_pieces(reader);

        for (size_t i = 0; i < pieces; i++) {
            if (pass == DFT_PASS_FORWARD)
                dft_reader_rewind_all(reader);
            else
                dft_reader_rewind(reader, pieces - 1 - i);
            while (dft_reader_next(reader, &event) == DFT_READ_EVENT)
                visitor.event_again(profile, reader, &event);
            visitor.end_piece(profile);
        }
    }
    if (!visitor.close(profile))
        abort(); /* a file that does not change has the same events in every pass */

    size_t count;
    struct dft_results table = {.width = 80, .top = 3};
    struct dft_tree_results results = {
        .results = &table,
        .tree = dft_profile_tree(profile),
        .functions = dft_profile_functions(profile, &count),
        .depth = SIZE_MAX,
        .what = "FUNCTION",
    };
    FILE *out = fopen("/dev/null", "w");
    dft_tree_print_text(out, &results);
    dft_tree_print_json(out, &results);
    fclose(out);
    dft_profile_free(profile);
    dft_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_trace(data, size);
    read_tree(data, size);
    return 0;
}
