/*
 * Prints a profile as strict JSON. Members may be added; none is removed or changes its meaning.
 */
#include "tool/analysis/grouping.h"
#include "tool/print/columns.h"
#include "tool/print/results.h"

#include <inttypes.h>

static void print_list(FILE *out, const struct dft_results *results)
{
    fputs("{\"traces\":[", out);
    for (size_t i = 0; i < results->trace_count; i++) {
        fputs(i > 0 ? "," : "", out);
        dft_text_print_json(out, dft_text(results->traces[i]));
    }
    fputs("],\n\"commands\":[", out);
    for (size_t i = 0; i < results->summary.command_count; i++) {
        fputs(i > 0 ? "," : "", out);
        dft_text_print_json(out, results->summary.commands[i].text);
    }
    fputs("],\n", out);
}

static void print_row(FILE *out, const struct dft_results *results, const struct dft_function *row)
{
    fprintf(out, "{\"%s\":", dft_grouping_name(results->summary.by));
    dft_text_print_json(out, row->name);
    if (results->summary.by == DFT_BY_FUNCTION) {
        fputs(",\"category\":", out);
        dft_text_print_json(out, row->category);
        fputs(",\"file\":", out);
        dft_text_print_json(out, row->file);
        fprintf(out, ",\"line\":%" PRId64, row->line);
        fputs(row->is_region ? ",\"kind\":\"region\"" : "", out);
    }
    dft_columns_print_json(out, row, false);
    fputs(row->throttled > 0 ? ",\"estimated\":true" : "", out);
    fputs(row->self_estimated ? ",\"self_estimated\":true" : "", out);
    fputc('}', out);
}

static void print_switches(FILE *out, const struct dft_profile_summary *summary)
{
    for (size_t i = 0; i < summary->switch_count; i++) {
        const struct dft_profile_throttling *made = &summary->switches[i];

        fputs(i == 0 ? ",\n\"switched\":[{\"function\":" : ",\n{\"function\":", out);
        dft_text_print_json(out, made->function);
        fprintf(out,
                ",\"after_ns\":%" PRId64 ",\"calls\":%" PRId64 ",\"calls_ns\":%" PRId64
                ",\"cost_ns\":%" PRId64 ",\"cpu_ns\":%" PRId64 "}",
                made->after_ns, made->calls, made->calls_ns, made->cost_ns, made->window_ns);
    }
    if (summary->switch_count > 0)
        fputc(']', out);
}

static void print_metadata(FILE *out, const struct dft_profile_summary *summary)
{
    for (size_t i = 0; i < summary->metadata_count; i++) {
        fputs(i == 0 ? ",\n\"metadata\":{" : ",", out);
        dft_text_print_json(out, summary->metadata[i].key);
        fputc(':', out);
        dft_text_print_utf8(out, summary->metadata[i].value);
    }
    fputs(summary->metadata_count > 0 ? "}" : "", out);
}

void dft_results_print_json_summary(FILE *out, const struct dft_results *results)
{
    const struct dft_profile_summary *summary = &results->summary;

    print_list(out, results);
    fprintf(out,
            "\"processes\":%" PRIu64 ",\"threads\":%" PRIu64 ",\"calls\":%" PRIu64
            ",\"unfinished\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"lost\":%" PRIu64
            ",\"disordered\":%" PRIu64 ",\"wall_ns\":%" PRId64,
            summary->processes, summary->threads, summary->calls, summary->unfinished,
            summary->dropped, summary->lost, summary->disordered, summary->wall_ns);
    if (summary->instants > 0)
        fprintf(out, ",\"instants\":%" PRIu64, summary->instants);
    if (summary->counters > 0)
        fprintf(out, ",\"counters\":%" PRIu64, summary->counters);
    if (summary->flows > 0)
        fprintf(out, ",\"flows\":%" PRIu64, summary->flows);
    if (summary->tracks > 0)
        fprintf(out, ",\"tracks\":%" PRIu64, summary->tracks);
    if (summary->reason.length > 0) {
        fputs(",\"missing_because\":", out);
        dft_text_print_json(out, summary->reason);
    }
    if (summary->aggregated > 0)
        fprintf(out, ",\"aggregated\":%" PRIu64, summary->aggregated);
    if (summary->throttled > 0)
        fprintf(out, ",\"counted\":%" PRIu64, summary->throttled);
    if (summary->over_budget)
        fprintf(out, ",\"over_budget\":true,\"counting_ns\":%" PRIu64, summary->counting_ns);
    if (summary->waits > 0)
        fprintf(out, ",\"waits\":%" PRIu64 ",\"waited_ns\":%" PRId64, summary->waits,
                summary->waited_ns);
    if (summary->bookkeeping_ns > 0)
        fprintf(out, ",\"bookkeeping_ns\":%" PRId64, summary->bookkeeping_ns);
    if (summary->left_out > 0)
        fprintf(out, ",\"left_out\":%" PRIu64, summary->left_out);
    if (summary->has_usage)
        fprintf(out, ",\"cpu_ns\":%" PRId64 ",\"peak_rss_kb\":%" PRId64, summary->cpu_ns,
                summary->peak_rss_kb);
    print_metadata(out, summary);
    print_switches(out, summary);
}

void dft_results_print_json(FILE *out, const struct dft_results *results)
{
    dft_results_print_json_summary(out, results);
    if (results->summary.by == DFT_BY_FUNCTION)
        fputs(",\n\"functions\":[", out);
    else
        fprintf(out, ",\n\"by\":\"%s\",\"groups\":[", dft_grouping_name(results->summary.by));
    for (size_t i = 0; i < results->row_count; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        print_row(out, results, results->rows[i]);
    }
    fputs("\n]}\n", out);
}
