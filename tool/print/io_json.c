/*
 * I/O as JSON, times in nanoseconds; and the order of files, for tables as well.
 */
#include "tool/base/tool.h"
#include "tool/print/io.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const orders[] = {
    [DFT_IO_BY_TOTAL] = "total", [DFT_IO_BY_CALLS] = "calls", [DFT_IO_BY_NAME] = "name"};

bool dft_io_find_order(const char *sort, enum dft_io_order *order)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (strcmp(orders[i], sort) == 0) {
            *order = (enum dft_io_order)i;
            return true;
        }
    return false;
}

static int compare_files(const void *left, const void *right, void *context)
{
    const struct dft_io_file *a = *(const struct dft_io_file *const *)left;
    const struct dft_io_file *b = *(const struct dft_io_file *const *)right;
    enum dft_io_order order = *(const enum dft_io_order *)context;

    if (order == DFT_IO_BY_TOTAL && dft_io_time(&a->sums) != dft_io_time(&b->sums))
        return dft_io_time(&a->sums) > dft_io_time(&b->sums) ? -1 : 1;
    if (order == DFT_IO_BY_CALLS && a->sums.calls != b->sums.calls)
        return a->sums.calls > b->sums.calls ? -1 : 1;
    return strcmp(a->name.at, b->name.at);
}

const struct dft_io_file **dft_io_sort_files(const struct dft_io_results *results)
{
    const struct dft_io_file **files = dft_tool_zeroed(results->file_count, sizeof *files);
    enum dft_io_order order = results->order;

    for (size_t i = 0; i < results->file_count; i++)
        files[i] = &results->files[i];
    if (results->file_count > 1)
        qsort_r(files, results->file_count, sizeof *files, compare_files, &order);
    return files;
}

static void print_sums(FILE *out, const struct dft_io_sums *sums)
{
    fprintf(out,
            ",\"calls\":%" PRIu64 ",\"reads\":%" PRIu64 ",\"writes\":%" PRIu64
            ",\"bytes_read\":%" PRId64 ",\"bytes_written\":%" PRId64 ",\"data_ns\":%" PRId64
            ",\"metadata_calls\":%" PRIu64 ",\"metadata_ns\":%" PRId64,
            sums->calls, sums->reads, sums->writes, sums->bytes_read, sums->bytes_written,
            sums->data_ns, sums->metadata_calls, sums->metadata_ns);
}

static void print_file(FILE *out, const struct dft_io_file *file)
{
    fputs("{\"file\":", out);
    dft_text_print_json(out, file->name);
    print_sums(out, &file->sums);
    fprintf(out, ",\"busy_ns\":%" PRId64 ",\"bytes_per_second\":%.6g,\"sizes\":{", file->busy_ns,
            dft_io_bandwidth(file));
    for (size_t i = 0; i < DFT_IO_SIZES; i++)
        fprintf(out, "%s\"%s\":%" PRIu64, i > 0 ? "," : "", dft_io_size_name((enum dft_io_size)i),
                file->sizes[i]);
    fprintf(out,
            "},\"followers\":%" PRIu64 ",\"sequential\":%" PRIu64 ",\"again_bytes\":%" PRId64
            ",\"opens\":%" PRIu64 ",\"syncs\":%" PRIu64 ",\"sync_ns\":%" PRId64
            ",\"processes\":%" PRIu64 "%s}",
            file->followers, file->sequential, file->again_bytes, file->opens, file->syncs,
            file->sync_ns, file->processes, file->busy_is_estimate ? ",\"estimated\":true" : "");
}

static void print_made_by(FILE *out, const struct dft_io_results *results,
                          const struct dft_io_function *made)
{
    if (made->function == UINT32_MAX) {
        fputs("{\"function\":null", out);
    } else {
        const struct dft_function *function = &results->functions[made->function];

        fputs("{\"function\":", out);
        dft_text_print_json(out, function->name);
        fputs(",\"category\":", out);
        dft_text_print_json(out, function->category);
        fputs(",\"file\":", out);
        dft_text_print_json(out, function->file);
        fprintf(out, ",\"line\":%" PRId64, function->line);
    }
    fprintf(out, ",\"calls\":%" PRIu64 ",\"io_ns\":%" PRId64 ",\"most_on\":", made->calls,
            made->total_ns);
    if (made->file == UINT32_MAX)
        fputs("null", out);
    else
        dft_text_print_json(out, results->files[made->file].name);
    fprintf(out, ",\"most_ns\":%" PRId64 "}", made->file_ns);
}

static void print_process(FILE *out, const struct dft_io_results *results,
                          const struct dft_io_process *process)
{
    fputs("{\"trace\":", out);
    dft_text_print_json(out, dft_text(results->results->traces[process->trace - 1]));
    fprintf(out, ",\"pid\":%" PRId64, process->pid);
    if (process->rank >= 0)
        fprintf(out, ",\"rank\":%" PRId64, process->rank);
    print_sums(out, &process->sums);
    fputc('}', out);
}

static void print_advice(FILE *out, const struct dft_io_advice *advice)
{
    fprintf(out, "{\"rule\":\"%s\",\"subject\":", dft_io_rule_name(advice->rule));
    dft_text_print_json(out, advice->subject);
    fprintf(out,
            ",\"count\":%" PRIu64 ",\"of\":%" PRIu64 ",\"bytes\":%" PRId64 ",\"of_bytes\":%" PRId64
            ",\"ns\":%" PRId64 "}",
            advice->count, advice->of, advice->bytes, advice->of_bytes, advice->ns);
}

void dft_io_print_json(FILE *out, const struct dft_io_results *results)
{
    const struct dft_io_file **files = dft_io_sort_files(results);

    dft_results_print_json_summary(out, results->results);
    fputs(",\n\"files\":[", out);
    for (size_t i = 0; i < results->file_count; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        print_file(out, files[i]);
    }
    fputs("\n],\n\"functions\":[", out);
    for (size_t i = 0; i < results->made_by_count; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        print_made_by(out, results, &results->made_by[i]);
    }
    fputs("\n],\n\"io_processes\":[", out);
    for (size_t i = 0; i < results->process_count; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        print_process(out, results, &results->processes[i]);
    }
    fputs("\n],\n\"advice\":[", out);
    for (size_t i = 0; i < results->advice_count; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        print_advice(out, &results->advice[i]);
    }
    fputs("\n]}\n", out);
    free(files);
}
