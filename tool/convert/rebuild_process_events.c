/*
 * Events of a whole process: what it uses, its functions, sums of calls, its end.
 */
#include "tool/convert/rebuild.h"

#include "dftrace/abi.h"
#include "tool/base/tool.h"
#include "writer/writer.h"

#include <stdio.h>
#include <stdlib.h>

/* Percentages have one decimal, everything else has none. */
static bool read_usage(struct dft_rebuild *rebuild, const struct dft_event *event,
                       struct dft_encoding_value *values, unsigned *count)
{
    *count = 0;
    for (size_t i = 0; i < event->arg_count; i++) {
        const struct dft_arg *arg = &event->args[i];
        bool tenths = dft_text_ends_with(arg->key, "pct");
        int64_t value;
        bool rounded;

        if (dft_record_is_format_arg(arg->key))
            continue;
        if (*count == DFT_ENCODING_VALUES_MAX || *arg->value.at < '0' || *arg->value.at > '9' ||
            !dft_number_scale(arg->value, tenths, &value, &rounded) || rounded)
            return false;
        values[(*count)++] = (struct dft_encoding_value){dft_rebuild_text(rebuild, arg->key),
                                                         (uint64_t)value, tenths};
    }
    return *count > 0;
}

bool dft_rebuild_usage(struct dft_rebuild *rebuild, const struct dft_event *event)
{
    struct dft_encoding_value values[DFT_ENCODING_VALUES_MAX];
    unsigned count;

    if (!read_usage(rebuild, event, values, &count))
        return false;
    dft_encoding_counter(dft_rebuild_process(rebuild, event),
                         dft_rebuild_text(rebuild, event->name), (uint64_t)event->ts_ns, values,
                         count);
    return true;
}

static uint32_t line_of(int64_t line)
{
    return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

const char *dft_rebuild_text_arg(struct dft_rebuild *rebuild, struct dft_reader *reader,
                                 const struct dft_event *event, const char *key)
{
    return dft_rebuild_text(rebuild, dft_event_arg_text(reader, event, key));
}

static uint32_t line_arg(const struct dft_event *event)
{
    int64_t line;

    return dft_event_arg_int(event, "line", &line) ? line_of(line) : 0;
}

/* "3:fun:f*" as the site table has it: the line of the rule, and the rule. */
static const char *rule_of(struct dft_rebuild *rebuild, struct dft_reader *reader,
                           const struct dft_event *event)
{
    const char *rule = dft_rebuild_text_arg(rebuild, reader, event, "rule");
    int64_t line;

    if (!dft_event_arg_int(event, "rule_line", &line))
        return "";
    char *text = dft_tool_format("%u:%s", line_of(line), rule);
    const char *kept = dft_rebuild_text(rebuild, dft_text(text));
    free(text);
    return kept;
}

/* What only a function of an interpreted language has. */
static void add_guest(struct dft_rebuild *rebuild, struct dft_reader *reader,
                      const struct dft_event *event, struct dft_encoding_site *site)
{
    int64_t stack_size = 0;
    char text[24] = "";

    site->language = dft_rebuild_text_arg(rebuild, reader, event, "language");
    if (!site->language[0])
        return;
    site->flags |= DFTRACE_SITE_GUEST;
    if (dft_event_arg_true(event, "resumed"))
        site->flags |= DFTRACE_SITE_RESUMED;
    site->guest_module = dft_rebuild_text_arg(rebuild, reader, event, "module");
    if (dft_event_arg_int(event, "stack_size", &stack_size))
        snprintf(text, sizeof text, "%u", line_of(stack_size));
    site->stack_size = dft_rebuild_text(rebuild, dft_text(text));
}

void dft_rebuild_function(struct dft_rebuild *rebuild, struct dft_reader *reader,
                          const struct dft_event *event)
{
    struct dft_encoding_process *process = dft_rebuild_process(rebuild, event);
    struct dft_encoding_site module = {
        .name = dft_rebuild_text_arg(rebuild, reader, event, "module"),
        .linkage = dft_rebuild_text_arg(rebuild, reader, event, "build_id"),
        .flags = DFT_SITE_MODULE,
    };
    struct dft_encoding_site site = {
        .name = dft_rebuild_text_arg(rebuild, reader, event, "function"),
        .linkage = dft_rebuild_text_arg(rebuild, reader, event, "linkage_name"),
        .file = dft_rebuild_text_arg(rebuild, reader, event, "file"),
        .category = dft_rebuild_text_arg(rebuild, reader, event, "category"),
        .parameters = dft_rebuild_text_arg(rebuild, reader, event, "parameters"),
        .types = dft_rebuild_text_arg(rebuild, reader, event, "types"),
        .locals = dft_rebuild_text_arg(rebuild, reader, event, "locals"),
        .rule = rule_of(rebuild, reader, event),
        .line = line_arg(event),
    };

    add_guest(rebuild, reader, event, &site);
    if (!site.language[0] && (module.name[0] || module.linkage[0]))
        site.module = dft_encoding_site(process, &module);
    dft_encoding_describe(process, dft_encoding_site(process, &site));
}

static uint64_t not_negative(int64_t number)
{
    return number > 0 ? (uint64_t)number : 0;
}

void dft_rebuild_aggregate(struct dft_rebuild *rebuild, const struct dft_event *event)
{
    struct dft_encoding_process *process = dft_rebuild_process(rebuild, event);
    struct dft_record_aggregate calls = dft_record_read_aggregate(event);
    const struct dft_encoding_site site = {
        .name = dft_rebuild_text(rebuild, calls.function),
        .category = dft_rebuild_text(rebuild, event->cat),
        .file = dft_rebuild_text(rebuild, event->file),
        .line = line_of(event->line),
    };
    const struct dft_encoding_aggregate aggregate = {
        .site = dft_encoding_site(process, &site),
        .estimated = event->kind == DFT_TRACE_THROTTLED,
        .first_ns = (uint64_t)event->ts_ns,
        .count = (uint64_t)calls.count,
        .sum_ns = not_negative(calls.sum_ns),
        .min_ns = not_negative(calls.min_ns),
        .max_ns = not_negative(calls.max_ns),
        .self_ns = calls.self_ns,
        .self_estimated = calls.self_is_estimated,
    };

    dft_encoding_aggregate(process, &aggregate);
}

static uint64_t time_arg(const struct dft_event *event, const char *key)
{
    int64_t ns;

    return dft_event_arg_decimal(event, key, 3, &ns) ? not_negative(ns) : 0;
}

void dft_rebuild_throttling(struct dft_rebuild *rebuild, struct dft_reader *reader,
                            const struct dft_event *event)
{
    struct dft_encoding_process *process = dft_rebuild_process(rebuild, event);
    const struct dft_encoding_site site = {
        .name = dft_rebuild_text_arg(rebuild, reader, event, "function"),
        .category = dft_rebuild_text_arg(rebuild, reader, event, "category"),
        .file = dft_rebuild_text_arg(rebuild, reader, event, "file"),
        .line = line_arg(event),
    };
    int64_t calls;

    if (!dft_event_arg_int(event, "calls", &calls))
        calls = 0;
    dft_encoding_throttling(process, dft_encoding_site(process, &site), (uint64_t)event->ts_ns,
                            not_negative(calls), time_arg(event, "calls_us"),
                            time_arg(event, "cost_us"), time_arg(event, "cpu_us"));
}

static uint64_t count_arg(const struct dft_event *event, const char *key)
{
    int64_t count;

    return dft_event_arg_int(event, key, &count) ? not_negative(count) : 0;
}

#define ERRORS_MAX 200

/* The number of an error, by its text. */
static int find_error(struct dft_text reason)
{
    for (int error = 1; reason.length > 0 && error < ERRORS_MAX; error++) {
        if (dft_text_is(reason, dft_writer_error_text(error)))
            return error;
    }
    return 0;
}

void dft_rebuild_end(struct dft_rebuild *rebuild, struct dft_reader *reader,
                     const struct dft_event *event)
{
    struct dft_totals totals = {
        .aggregated = count_arg(event, "aggregated"),
        .dropped = count_arg(event, "dropped"),
        .lost = count_arg(event, "lost"),
        .omitted = count_arg(event, "left_out"),
    };

    totals.events = count_arg(event, "num_events") + totals.aggregated;
    dft_encoding_end(dft_rebuild_process(rebuild, event), (uint64_t)event->ts_ns, &totals,
                     find_error(dft_event_arg_text(reader, event, "reason")));
}
