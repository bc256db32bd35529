/*
 * Classification of events. Stateless.
 */
#include "tool/trace/record.h"

#include "tool/trace/reader.h"

static bool is_tracers_own(const struct dft_event *event)
{
    return dft_text_is(event->cat, "dftrace") || dft_text_is(event->cat, "dftracer");
}

static enum dft_trace_kind classify_slice(const struct dft_event *event)
{
    if (!is_tracers_own(event)) /* DFTracer's lines have no phase for instants */
        return dft_event_arg(event, "instant") ? DFT_TRACE_INSTANT : DFT_TRACE_CALL;
    if (dft_text_is(event->name, "dftrace: waiting for writer"))
        return DFT_TRACE_WAIT;
    if (dft_text_is(event->name, "dftrace: bookkeeping"))
        return DFT_TRACE_BOOKKEEPING;
    if (dft_text_is(event->name, "start"))
        return DFT_TRACE_START;
    if (dft_text_is(event->name, "end"))
        return DFT_TRACE_END;
    return DFT_TRACE_FOREIGN;
}

/* In JSON traces, the name of an aggregate is this and then the function's name. */
#define AGGREGATE_PREFIX "calls of "

static bool has_aggregate_prefix(const struct dft_event *event)
{
    size_t prefix = sizeof AGGREGATE_PREFIX - 1;

    return event->name.length > prefix && memcmp(event->name.at, AGGREGATE_PREFIX, prefix) == 0;
}

static bool has_count(const struct dft_event *event, const char *key)
{
    int64_t count;

    return dft_event_arg_int(event, key, &count) && count > 0;
}

static enum dft_trace_kind classify_counter(const struct dft_event *event)
{
    if (has_aggregate_prefix(event) && has_count(event, "count"))
        return dft_event_arg(event, "estimated_us") ? DFT_TRACE_THROTTLED : DFT_TRACE_AGGREGATE;
    if (!is_tracers_own(event) && has_count(event, "dft_cnt"))
        return dft_event_arg(event, "estimated") ? DFT_TRACE_THROTTLED : DFT_TRACE_AGGREGATE;
    return is_tracers_own(event) ? DFT_TRACE_COUNTER : DFT_TRACE_FOREIGN;
}

static enum dft_trace_kind classify_instant(const struct dft_event *event)
{
    if (!is_tracers_own(event))
        return DFT_TRACE_INSTANT;
    return dft_text_is(event->name, "counted") ? DFT_TRACE_THROTTLING : DFT_TRACE_FOREIGN;
}

static enum dft_trace_kind classify_metadata(const struct dft_event *event)
{
    if (dft_text_is(event->name, "function"))
        return DFT_TRACE_FUNCTION;
    if (dft_text_is(event->name, "thread_name"))
        return DFT_TRACE_THREAD_NAME;
    return dft_text_is(event->name, "process_name") ? DFT_TRACE_PROCESS_NAME : DFT_TRACE_FOREIGN;
}

enum dft_trace_kind dft_record_classify(const struct dft_event *event)
{
    switch (event->ph) {
    case 'X':
        return classify_slice(event);
    case 'C':
        return classify_counter(event);
    case 'i':
    case 'I':
        return classify_instant(event);
    case 'M':
        return classify_metadata(event);
    case 'B':
    case 'E':
        return DFT_TRACE_PAIR;
    default:
        return DFT_TRACE_FOREIGN;
    }
}

/* A time that is not negative; 0 if it is missing. */
static int64_t time_arg(const struct dft_event *event, const char *key)
{
    int64_t ns;

    return dft_event_arg_decimal(event, key, 3, &ns) && ns > 0 ? ns : 0;
}

/* Traces of older versions have no self time. */
static void read_self(const struct dft_event *event, const char *key, const char *estimated_key,
                      struct dft_record_aggregate *aggregate)
{
    aggregate->self_ns = aggregate->sum_ns;
    if (!dft_event_arg_decimal(event, key, 3, &aggregate->self_ns))
        aggregate->self_is_estimated =
            dft_event_arg_decimal(event, estimated_key, 3, &aggregate->self_ns);
}

struct dft_record_aggregate dft_record_read_aggregate(const struct dft_event *event)
{
    struct dft_record_aggregate aggregate = {.function = event->name};
    bool is_timed = event->kind == DFT_TRACE_AGGREGATE;

    if (has_aggregate_prefix(event) && dft_event_arg_int(event, "count", &aggregate.count)) {
        size_t prefix = sizeof AGGREGATE_PREFIX - 1;
        aggregate.function =
            (struct dft_text){event->name.at + prefix, event->name.length - prefix};
        aggregate.sum_ns = time_arg(event, is_timed ? "total_us" : "estimated_us");
        aggregate.min_ns = time_arg(event, "min_us");
        aggregate.max_ns = time_arg(event, "max_us");
        read_self(event, "self_us", "estimated_self_us", &aggregate);
    } else {
        dft_event_arg_int(event, "dft_cnt", &aggregate.count);
        aggregate.sum_ns = time_arg(event, "dur_sum");
        aggregate.min_ns = time_arg(event, "dur_min");
        aggregate.max_ns = time_arg(event, "dur_max");
        read_self(event, "self_sum", "estimated_self_sum", &aggregate);
    }
    return aggregate;
}
