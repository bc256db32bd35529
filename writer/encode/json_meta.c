/*
 * Every event of the JSON format that is not a call: start and end of the trace, functions, thread
 * names, counters, aggregates. Pure; runs in any of the writer's threads.
 *
 * A function's description is a metadata event. Readers ignore metadata with names unknown to them.
 * Viewers draw a counter as one track for each of its args, which must be numbers: so the source
 * position of an aggregate is next to its args, not in them.
 */
#include "writer/encode/json_meta.h"
#include "dftrace/abi.h"
#include "writer/encode/json_text.h"
#include "writer/writer.h"

#include <stdlib.h>

/* Appends process and thread, for events of the whole process. */
static bool append_process(const struct dft_trace_start *start, const char *before,
                           struct dft_buffer *out)
{
    return dft_json_append_unsigned(out, before, (uint64_t)start->pid) &&
           dft_json_append_unsigned(out, ",\"tid\":", (uint64_t)start->pid);
}

/* Appends an event without a duration, up to its first arg. */
static bool append_moment(const struct dft_trace_start *start, const char *name, uint64_t ns,
                          struct dft_buffer *out)
{
    return dft_json_append_text(out, DFT_JSON_SEPARATOR "{\"name\":", name) &&
           append_process(start, ",\"cat\":\"dftrace\",\"ph\":\"X\",\"pid\":", out) &&
           dft_json_append_time(out, ",\"ts\":", ns) &&
           dft_append_text(out, ",\"dur\":0.000,\"args\":{");
}

/* --- the trace ------------------------------------------------------------------------------ */

/* Appends how much tracing may cost, and the measured cost of a call. */
static bool append_budget(const struct dft_trace_start *start, struct dft_buffer *out)
{
    return start->budget == 0 ||
           (dft_json_append_thousandths(out, ",\"budget_pct\":", start->budget) &&
            dft_json_append_unsigned(out, ",\"call_cost_ns\":", start->call_cost_ns) &&
            dft_json_append_unsigned(out, ",\"count_cost_ns\":", start->count_cost_ns));
}

static bool append_start_args(const struct dft_trace_start *start, struct dft_buffer *out)
{
    bool has_rank = start->rank >= 0;

    return dft_json_append_text(out, "\"version\":", DFTRACE_VERSION) &&
           dft_json_append_text(out, ",\"cmd\":", start->command) &&
           dft_json_append_text(out, ",\"exe\":", start->exe) &&
           dft_json_append_text(out, ",\"cwd\":", start->directory) &&
           dft_json_append_text(out, ",\"host\":", start->host) &&
           dft_json_append_unsigned(out, ",\"ppid\":", (uint64_t)start->ppid) &&
           dft_json_append_date(out, ",\"date\":", start->realtime_ns) &&
           dft_json_append_unsigned(
               out, ",\"realtime_offset_ns\":", start->realtime_ns - start->monotonic_ns) &&
           (!has_rank || dft_json_append_unsigned(out, ",\"rank\":", (uint64_t)start->rank)) &&
           (!has_rank || start->rank_count <= 0 ||
            dft_json_append_unsigned(out, ",\"ranks\":", (uint64_t)start->rank_count)) &&
           (!start->cores[0] || dft_json_append_text(out, ",\"cores\":", start->cores)) &&
           (start->sample_cost_ns == 0 ||
            dft_json_append_unsigned(out, ",\"sample_cost_ns\":", start->sample_cost_ns)) &&
           append_budget(start, out);
}

static bool append_start(const struct dft_trace_start *start, struct dft_buffer *out)
{
    return append_process(start, "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":", out) &&
           dft_json_append_text(out, ",\"args\":{\"name\":", start->app) &&
           dft_append_text(out, "}}\n") &&
           append_moment(start, "start", start->monotonic_ns, out) &&
           append_start_args(start, out) && dft_append_text(out, "}}\n");
}

bool dft_json_append_totals(const struct dft_trace_end *end, struct dft_buffer *out)
{
    const struct dft_totals *totals = &end->totals;
    uint64_t own_events = totals->events - totals->aggregated;
    bool is_short = totals->dropped || totals->lost;

    return dft_json_append_unsigned(out, "\"num_events\":", own_events) &&
           (!totals->aggregated ||
            dft_json_append_unsigned(out, ",\"aggregated\":", totals->aggregated)) &&
           (!totals->omitted || dft_json_append_unsigned(out, ",\"left_out\":", totals->omitted)) &&
           dft_json_append_unsigned(out, ",\"dropped\":", totals->dropped) &&
           (!totals->lost || dft_json_append_unsigned(out, ",\"lost\":", totals->lost)) &&
           (!is_short || !end->write_error ||
            dft_json_append_text(out, ",\"reason\":", dft_writer_error_text(end->write_error)));
}

static bool append_end(const struct dft_trace_start *start, const struct dft_trace_end *end,
                       struct dft_buffer *out)
{
    return append_moment(start, "end", end->ns, out) && dft_json_append_totals(end, out) &&
           dft_append_text(out, "}}\n]");
}

/* --- functions and threads ------------------------------------------------------------------ */

/* Appends nothing if there is no text. */
static bool append_if_known(struct dft_buffer *out, const char *key, const char *text)
{
    return !*text || dft_json_append_text(out, key, text);
}

/* Appends a rule. `rule` is its line in the allowlist and its text, such as "3:fun:f*". */
static bool append_rule(struct dft_buffer *out, const char *rule)
{
    char *text;
    unsigned long line = strtoul(rule, &text, 10);

    if (*text != ':')
        return true;
    return append_if_known(out, ",\"rule\":", text + 1) &&
           dft_json_append_unsigned(out, ",\"rule_line\":", line);
}

/* The executable or library that contains the function. */
static bool append_module(const struct dft_trace_start *start, uint32_t id, struct dft_buffer *out)
{
    struct dft_site_view module;

    if (id == 0 || !start->sites.read(start->sites.source, id, &module) ||
        !(module.flags & DFT_SITE_MODULE))
        return true;
    return append_if_known(out, ",\"module\":", module.name) &&
           append_if_known(out, ",\"build_id\":", module.linkage);
}

/* What only a function of an interpreted language has. */
static bool append_guest(const struct dft_site_view *site, struct dft_buffer *out)
{
    return !(site->flags & DFTRACE_SITE_GUEST) ||
           (append_if_known(out, ",\"language\":", site->language) &&
            append_if_known(out, ",\"module\":", site->guest_module) &&
            (!site->stack_size[0] ||
             dft_json_append_unsigned(out,
                                      ",\"stack_size\":", strtoul(site->stack_size, NULL, 10))) &&
            (!(site->flags & DFTRACE_SITE_RESUMED) || dft_append_text(out, ",\"resumed\":true")));
}

bool dft_json_append_function_args(const struct dft_trace_start *start, uint32_t id,
                                   struct dft_buffer *out)
{
    struct dft_site_view site;
    char unknown[DFT_UNKNOWN_SITE_SIZE];

    dft_encoder_site(start, id, &site, unknown);
    return dft_json_append_text(out, "\"function\":", site.name) &&
           append_if_known(out, ",\"linkage_name\":", site.linkage) &&
           append_if_known(out, ",\"file\":", site.file) &&
           dft_json_append_unsigned(out, ",\"line\":", site.line) &&
           append_if_known(out, ",\"category\":", site.category) &&
           append_if_known(out, ",\"parameters\":", site.parameters) &&
           append_if_known(out, ",\"types\":", site.types) &&
           append_if_known(out, ",\"locals\":", site.locals) && append_rule(out, site.rule) &&
           append_module(start, site.module, out) && append_guest(&site, out);
}

static bool append_function(const struct dft_trace_start *start, uint32_t id,
                            struct dft_buffer *out)
{
    return append_process(start,
                          DFT_JSON_SEPARATOR "{\"name\":\"function\",\"ph\":\"M\",\"pid\":", out) &&
           dft_append_text(out, ",\"args\":{") && dft_json_append_function_args(start, id, out) &&
           dft_append_text(out, "}}\n");
}

bool dft_json_append_parent(const struct dft_trace_start *start, int32_t tid,
                            struct dft_buffer *out)
{
    struct dft_track track;

    return !dft_encoder_track(start, tid, &track) || track.parent == 0 ||
           dft_json_append_unsigned(out, ",\"parent\":", (uint64_t)track.parent);
}

static bool append_thread(const struct dft_trace_start *start, const struct dft_thread_name *thread,
                          struct dft_buffer *out)
{
    return dft_json_append_unsigned(
               out, DFT_JSON_SEPARATOR "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":",
               (uint64_t)start->pid) &&
           dft_json_append_unsigned(out, ",\"tid\":", (uint64_t)thread->tid) &&
           dft_json_append_text(out,
                                ",\"args\":{\"name\":", dft_encoder_thread_name(start, thread)) &&
           dft_json_append_parent(start, thread->tid, out) && dft_append_text(out, "}}\n");
}

/* --- counters ------------------------------------------------------------------------------- */

bool dft_json_append_counter_value(const struct dft_counter *counter, unsigned i,
                                   struct dft_buffer *out)
{
    const char *key = counter->values[i].key ? counter->values[i].key : counter->text;
    uint64_t value = counter->values[i].value;

    return dft_json_append_string(out, key) &&
           (counter->values[i].tenths ? dft_json_append_tenths(out, ":", value)
                                      : dft_json_append_unsigned(out, ":", value));
}

static bool append_counter(const struct dft_trace_start *start, const struct dft_counter *counter,
                           struct dft_buffer *out)
{
    if (!dft_json_append_text(out, DFT_JSON_SEPARATOR "{\"name\":", counter->name) ||
        !append_process(start, ",\"cat\":\"dftrace\",\"ph\":\"C\",\"pid\":", out) ||
        !dft_json_append_time(out, ",\"ts\":", counter->ns))
        return false;
    for (unsigned i = 0; i < counter->count; i++)
        if (!dft_append_text(out, i ? "," : ",\"args\":{") ||
            !dft_json_append_counter_value(counter, i, out))
            return false;
    return dft_append_text(out, "}}\n");
}

/* "calls of NAME" as one string. */
static bool append_aggregate_name(struct dft_buffer *out, const char *name)
{
    if (!dft_append_text(out, DFT_JSON_SEPARATOR "{\"name\":\"calls of "))
        return false;
    size_t quote = out->used;
    if (!dft_json_append_string(out, name))
        return false;
    memmove(out->data + quote, out->data + quote + 1, --out->used - quote);
    return true;
}

/*
 * If calls inside were only counted, their estimated time is subtracted, and the result may be
 * negative.
 */
static const char *self_key(const struct dft_aggregate *aggregate)
{
    if (!aggregate->self_estimated)
        return ",\"self_us\":";
    return aggregate->self_ns < 0 ? ",\"estimated_self_us\":-" : ",\"estimated_self_us\":";
}

static bool append_aggregate_args(const struct dft_trace_start *start,
                                  const struct dft_aggregate *aggregate, struct dft_buffer *out)
{
    struct dft_site_view site;
    char unknown[DFT_UNKNOWN_SITE_SIZE];

    uint64_t self_ns =
        aggregate->self_ns < 0 ? -(uint64_t)aggregate->self_ns : (uint64_t)aggregate->self_ns;

    dft_encoder_site(start, aggregate->site, &site, unknown);
    if (!dft_json_append_unsigned(out, "\"count\":", aggregate->count))
        return false;
    if (site.flags & DFTRACE_SITE_RESUMED && /* all of them */
        !dft_json_append_unsigned(out, ",\"resumed\":", aggregate->count))
        return false;
    if (aggregate->estimated)
        return dft_json_append_time(out, ",\"estimated_us\":", aggregate->sum_ns);
    return dft_json_append_time(out, ",\"total_us\":", aggregate->sum_ns) &&
           dft_json_append_time(out, ",\"min_us\":", aggregate->min_ns) &&
           dft_json_append_time(out, ",\"max_us\":", aggregate->max_ns) &&
           dft_json_append_time(out, self_key(aggregate), self_ns);
}

static bool append_aggregate(const struct dft_trace_start *start,
                             const struct dft_aggregate *aggregate, struct dft_buffer *out)
{
    struct dft_site_view site;
    char unknown[DFT_UNKNOWN_SITE_SIZE];

    dft_encoder_site(start, aggregate->site, &site, unknown);
    return append_aggregate_name(out, site.name) &&
           dft_json_append_text(out, ",\"cat\":", site.category) &&
           append_process(start, ",\"ph\":\"C\",\"pid\":", out) &&
           (!start->metadata || (dft_json_append_text(out, ",\"file\":", site.file) &&
                                 dft_json_append_unsigned(out, ",\"line\":", site.line))) &&
           dft_json_append_time(out, ",\"ts\":", aggregate->first_ns) &&
           dft_append_text(out, ",\"args\":{") && append_aggregate_args(start, aggregate, out) &&
           dft_append_text(out, "}}\n");
}

static bool append_throttling_args(const struct dft_trace_start *start,
                                   const struct dft_throttling *throttling, struct dft_buffer *out)
{
    struct dft_site_view site;
    char unknown[DFT_UNKNOWN_SITE_SIZE];

    dft_encoder_site(start, throttling->site, &site, unknown);
    return dft_json_append_text(out, "\"function\":", site.name) &&
           dft_json_append_text(out, ",\"category\":", site.category) &&
           dft_json_append_text(out, ",\"file\":", site.file) &&
           dft_json_append_unsigned(out, ",\"line\":", site.line) &&
           dft_json_append_unsigned(out, ",\"calls\":", throttling->calls) &&
           dft_json_append_time(out, ",\"calls_us\":", throttling->calls_ns) &&
           dft_json_append_time(out, ",\"cost_us\":", throttling->cost_ns) &&
           dft_json_append_time(out, ",\"cpu_us\":", throttling->window_ns);
}

static bool append_throttling(const struct dft_trace_start *start,
                              const struct dft_throttling *throttling, struct dft_buffer *out)
{
    return append_process(start,
                          DFT_JSON_SEPARATOR "{\"name\":\"counted\",\"cat\":\"dftrace\","
                                             "\"ph\":\"i\",\"s\":\"p\",\"pid\":",
                          out) &&
           dft_json_append_time(out, ",\"ts\":", throttling->ns) &&
           dft_append_text(out, ",\"args\":{") && append_throttling_args(start, throttling, out) &&
           dft_append_text(out, "}}\n");
}

bool dft_json_append_event_args(const struct dft_trace_start *start, const struct dft_event *event,
                                struct dft_buffer *out)
{
    switch (event->kind) {
    case DFT_EVENT_START:
        return append_start_args(start, out);
    case DFT_EVENT_FUNCTION:
        return dft_json_append_function_args(start, event->site, out);
    case DFT_EVENT_AGGREGATE:
        return append_aggregate_args(start, &event->aggregate, out);
    case DFT_EVENT_THROTTLED:
        return append_throttling_args(start, &event->throttling, out);
    case DFT_EVENT_END:
        return dft_json_append_totals(&event->end, out);
    case DFT_EVENT_FILE:
    case DFT_EVENT_THREAD:
    case DFT_EVENT_COUNTER:
        break;
    }
    return true;
}

bool dft_json_append_event(const struct dft_trace_start *start, void *state,
                           const struct dft_event *event, struct dft_output *out)
{
    (void)state;
    switch (event->kind) {
    case DFT_EVENT_START:
        return append_start(start, &out->text);
    case DFT_EVENT_FUNCTION:
        return append_function(start, event->site, &out->text);
    case DFT_EVENT_FILE:
        break;
    case DFT_EVENT_THREAD:
        return append_thread(start, &event->thread, &out->text);
    case DFT_EVENT_COUNTER:
        return append_counter(start, &event->counter, &out->text);
    case DFT_EVENT_AGGREGATE:
        return append_aggregate(start, &event->aggregate, &out->text);
    case DFT_EVENT_THROTTLED:
        return append_throttling(start, &event->throttling, &out->text);
    case DFT_EVENT_END:
        return append_end(start, &event->end, &out->text);
    }
    return true;
}
