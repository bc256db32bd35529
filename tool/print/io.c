/*
 * I/O as tables for people, and as advice. The name of a file is the last column, so that it may be
 * as long as it is; on a terminal its front is cut.
 */
#include "tool/print/io.h"

#include "tool/base/tool.h"
#include "tool/print/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 10
#define LEAST_NAME 24

/* --- numbers -------------------------------------------------------------------------------- */

/* Three significant digits with their unit: "1.23MiB". */
static struct dft_cell format_bytes(double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    struct dft_cell cell;
    size_t unit = 0;

    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        unit++;
    }
    int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
    snprintf(cell.text, sizeof cell.text, "%.*f%s", decimals, bytes, units[unit]);
    return cell;
}

static struct dft_cell format_rate(double rate, bool is_estimate)
{
    struct dft_cell cell = {"-"}, bytes = format_bytes(rate);

    if (rate > 0)
        snprintf(cell.text, sizeof cell.text, "%s%.16s/s", is_estimate ? "~" : "", bytes.text);
    return cell;
}

static unsigned percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (unsigned)(((unsigned __int128)part * 100 + whole / 2) / whole) : 0;
}

static struct dft_cell format_percent(uint64_t part, uint64_t whole)
{
    struct dft_cell cell = {"-"};

    if (whole > 0)
        snprintf(cell.text, sizeof cell.text, "%u%%", percent(part, whole));
    return cell;
}

const char *dft_io_size_name(enum dft_io_size size)
{
    static const char *const names[DFT_IO_SIZES] = {"0-1K", "1-4K", "4-64K", "64K-1M", ">1M"};

    return names[size];
}

double dft_io_bandwidth(const struct dft_io_file *file)
{
    double bytes = (double)file->sums.bytes_read + (double)file->sums.bytes_written;

    return file->busy_ns > 0 ? bytes * 1e9 / (double)file->busy_ns : 0;
}

/* The most frequent class: "1-4K 97%". */
static struct dft_cell format_sizes(const struct dft_io_file *file)
{
    struct dft_cell cell = {"-"};
    uint64_t all = 0;
    size_t most = 0;

    for (size_t i = 0; i < DFT_IO_SIZES; i++) {
        all += file->sizes[i];
        most = file->sizes[i] > file->sizes[most] ? i : most;
    }
    if (all > 0)
        snprintf(cell.text, sizeof cell.text, "%s %u%%", dft_io_size_name((enum dft_io_size)most),
                 percent(file->sizes[most], all));
    return cell;
}

/* --- tables --------------------------------------------------------------------------------- */

struct row {
    struct dft_cell cells[COLUMNS_MAX];
    struct dft_text name;
    struct dft_text more; /* behind the name; may be empty */
};

struct table {
    const char *titles[COLUMNS_MAX + 1]; /* the last one is that of the names; then NULL */
    struct row *rows;
    size_t count, all;
};

static size_t shown(size_t count, size_t top)
{
    return top > 0 && top < count ? top : count;
}

static struct table begin_table(size_t all, size_t top)
{
    struct table table = {.count = shown(all, top), .all = all};

    table.rows = dft_tool_zeroed(table.count, sizeof *table.rows);
    return table;
}

static void print_name(FILE *out, const struct row *row, size_t room)
{
    if (room == SIZE_MAX)
        dft_text_print_visible(out, row->name);
    else
        dft_text_print_cut(out, row->name, room > LEAST_NAME ? room : LEAST_NAME, DFT_CUT_FRONT);
    if (row->more.length > 0) {
        fputs("  ", out);
        dft_text_print_visible(out, row->more);
    }
    fputc('\n', out);
}

/* Prints the table, and frees its rows. */
static void end_table(FILE *out, struct table *table, size_t width)
{
    size_t widths[COLUMNS_MAX], columns = 0, used = 0;

    for (; table->titles[columns + 1]; columns++) {
        widths[columns] = strlen(table->titles[columns]);
        for (size_t i = 0; i < table->count; i++) {
            size_t cell = dft_text_width(dft_text(table->rows[i].cells[columns].text));
            widths[columns] = cell > widths[columns] ? cell : widths[columns];
        }
        used += widths[columns] + 2;
    }
    fputc('\n', out);
    for (size_t c = 0; c < columns; c++)
        fprintf(out, "%*s  ", (int)widths[c], table->titles[c]);
    fprintf(out, "%s\n", table->titles[columns]);
    for (size_t i = 0; i < table->count; i++) {
        for (size_t c = 0; c < columns; c++) {
            const char *text = table->rows[i].cells[c].text;
            dft_format_pad(out, dft_text_width(dft_text(text)), widths[c]);
            fprintf(out, "%s  ", text);
        }
        print_name(out, &table->rows[i],
                   width == 0     ? SIZE_MAX
                   : width > used ? width - used
                                  : LEAST_NAME);
    }
    if (table->all > table->count)
        fprintf(out, "… and %zu more; --top 0 shows all\n", table->all - table->count);
    free(table->rows);
}

static void print_files(FILE *out, const struct dft_io_results *results)
{
    const struct dft_io_file **files = dft_io_sort_files(results);
    struct table table = begin_table(results->file_count, results->results->top);
    static const char *const titles[] = {"TIME",      "CALLS", "READ", "WRITTEN", "BUSY",
                                         "BANDWIDTH", "SIZES", "SEQ",  "META",    "FILE"};

    memcpy(table.titles, titles, sizeof titles);
    for (size_t i = 0; i < table.count; i++) {
        const struct dft_io_file *file = files[i];
        struct dft_cell *cells = table.rows[i].cells;

        *cells++ = dft_format_time(dft_io_time(&file->sums));
        *cells++ = dft_format_count(file->sums.calls);
        *cells++ = format_bytes((double)file->sums.bytes_read);
        *cells++ = format_bytes((double)file->sums.bytes_written);
        *cells++ = dft_format_time(file->busy_ns);
        *cells++ = format_rate(dft_io_bandwidth(file), file->busy_is_estimate);
        *cells++ = format_sizes(file);
        *cells++ = format_percent(file->sequential, file->followers);
        *cells++ = dft_format_time(file->sums.metadata_ns);
        table.rows[i].name = file->name;
    }
    end_table(out, &table, results->results->width);
    free(files);
}

static void print_functions(FILE *out, const struct dft_io_results *results)
{
    struct table table = begin_table(results->made_by_count, results->results->top);
    static const char *const titles[] = {"I/O TIME", "CALLS", "MOST ON", "FUNCTION, FILE"};

    memcpy(table.titles, titles, sizeof titles);
    for (size_t i = 0; i < table.count; i++) {
        const struct dft_io_function *made = &results->made_by[i];
        struct row *row = &table.rows[i];

        row->cells[0] = dft_format_time(made->total_ns);
        row->cells[1] = dft_format_count(made->calls);
        row->cells[2] = dft_format_share(made->file_ns, made->total_ns);
        row->name = made->function == UINT32_MAX ? dft_text("(in no function)")
                                                 : results->functions[made->function].name;
        if (made->file != UINT32_MAX)
            row->more = results->files[made->file].name;
    }
    end_table(out, &table, 0);
}

static void print_processes(FILE *out, const struct dft_io_results *results)
{
    struct table table = begin_table(results->process_count, results->results->top);
    static const char *const titles[] = {"RANK",    "TIME", "CALLS",  "READ",
                                         "WRITTEN", "META", "PROCESS"};
    struct dft_cell *names = dft_tool_zeroed(table.count, sizeof *names);

    memcpy(table.titles, titles, sizeof titles);
    for (size_t i = 0; i < table.count; i++) {
        const struct dft_io_process *process = &results->processes[i];
        struct dft_cell *cells = table.rows[i].cells;

        *cells++ =
            process->rank < 0 ? (struct dft_cell){"-"} : dft_format_count((uint64_t)process->rank);
        *cells++ = dft_format_time(dft_io_time(&process->sums));
        *cells++ = dft_format_count(process->sums.calls);
        *cells++ = format_bytes((double)process->sums.bytes_read);
        *cells++ = format_bytes((double)process->sums.bytes_written);
        *cells++ = dft_format_time(process->sums.metadata_ns);
        snprintf(names[i].text, sizeof names[i].text, "%" PRId64, process->pid);
        table.rows[i].name = dft_text(names[i].text);
    }
    end_table(out, &table, 0);
    free(names);
}

/* --- advice --------------------------------------------------------------------------------- */

static void print_advice(FILE *out, const struct dft_io_advice *advice)
{
    const struct dft_cell bytes = format_bytes((double)advice->bytes);
    const struct dft_cell time = dft_format_time(advice->ns);

    fputs("advice     ", out);
    dft_text_print_visible(out, advice->subject);
    fputs(": ", out);
    switch (advice->rule) {
    case DFT_IO_SMALL_READS:
        fprintf(out,
                "%" PRIu64 " of %" PRIu64 " reads have at most 4 KiB, %s in %s: read larger "
                "blocks, or through a buffer (fread, mmap)",
                advice->count, advice->of, bytes.text, time.text);
        break;
    case DFT_IO_READ_AGAIN:
        fprintf(out, "%s of %s had been read before: keep them in memory", bytes.text,
                format_bytes((double)advice->of_bytes).text);
        break;
    case DFT_IO_OPENED_OFTEN:
        fprintf(out,
                "opened %" PRIu64 " times for %" PRIu64 " reads and writes, metadata took %s: "
                "keep it open",
                advice->count, advice->of, time.text);
        break;
    case DFT_IO_MANY_FILES:
        fprintf(out,
                "%" PRIu64 " small files with %s together, metadata took %s: pack the records "
                "into fewer files",
                advice->count, bytes.text, time.text);
        break;
    case DFT_IO_SYNC_PER_WRITE:
        fprintf(out, "%" PRIu64 " syncs for %" PRIu64 " writes took %s: sync once for many writes",
                advice->count, advice->of, time.text);
        break;
    case DFT_IO_UNALIGNED:
        fprintf(out,
                "%" PRIu64 " of %" PRIu64 " reads and writes are up to 512 bytes off 4 KiB and "
                "touch a page more: align offsets and sizes",
                advice->count, advice->of);
        break;
    case DFT_IO_SLOW_FILE:
        fprintf(out,
                "%s in %s, %s where other files have %s: put it on faster storage, or read it "
                "ahead",
                bytes.text, time.text, format_rate(advice->rate, false).text,
                format_rate(advice->others, false).text);
        break;
    case DFT_IO_RULES:
        break;
    }
    fputc('\n', out);
}

void dft_io_print_text(FILE *out, const struct dft_io_results *results)
{
    dft_results_print_header(out, results->results);
    for (size_t i = 0; i < shown(results->advice_count, results->results->top); i++)
        print_advice(out, &results->advice[i]);
    if (results->advice_count > shown(results->advice_count, results->results->top))
        fprintf(out, "           … and %zu more; --top 0 shows all\n",
                results->advice_count - shown(results->advice_count, results->results->top));
    if (results->file_count == 0)
        return;
    print_files(out, results);
    print_functions(out, results);
    print_processes(out, results);
}
