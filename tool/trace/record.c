/*
 * Classification of events. Stateless.
 */
#include "tool/trace/record.h"

#include "tool/base/index.h"
#include "tool/trace/reader.h"

static bool is_tracers_own(const struct dft_event *event)
{
    return dft_text_is(event->cat, "dftrace") || dft_text_is(event->cat, "dftracer");
}

/* DFTracer's lines have no phase for instants and flows. */
static enum dft_trace_kind classify_slice(const struct dft_event *event)
{
    if (dft_text_is(event->cat, "flow") && dft_event_arg(event, "flow_id"))
        return DFT_TRACE_FLOW;
    if (!is_tracers_own(event))
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
    return is_tracers_own(event) ? DFT_TRACE_COUNTER : DFT_TRACE_OWN_COUNTER;
}

/* See docs/FORMAT.md. */
static bool is_flow_mark(const struct dft_event *event)
{
    return event->arg_count == 1 && dft_text_is(event->args[0].key, "phase") &&
           dft_text_is(event->name, "flow") && dft_text_is(event->cat, "flow");
}

/* In Perfetto's format, what has no form of its own there is an instant. */
static enum dft_trace_kind classify_instant(const struct dft_event *event)
{
    static const struct {
        const char *name;
        enum dft_trace_kind kind;
    } own[] = {
        {"counted", DFT_TRACE_THROTTLING}, {"start", DFT_TRACE_START},       {"end", DFT_TRACE_END},
        {"function", DFT_TRACE_FUNCTION},  {"metadata", DFT_TRACE_METADATA},
    };

    if (has_aggregate_prefix(event) && has_count(event, "count"))
        return dft_event_arg(event, "estimated_us") ? DFT_TRACE_THROTTLED : DFT_TRACE_AGGREGATE;
    if (!is_tracers_own(event))
        return is_flow_mark(event) ? DFT_TRACE_FLOW_MARK : DFT_TRACE_INSTANT;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (dft_text_is(event->name, own[i].name))
            return own[i].kind;
    }
    return DFT_TRACE_FOREIGN;
}

static enum dft_trace_kind classify_metadata(const struct dft_event *event)
{
    if (dft_text_is(event->name, "function"))
        return DFT_TRACE_FUNCTION;
    if (dft_text_is(event->name, "thread_name"))
        return DFT_TRACE_THREAD_NAME;
    if (is_tracers_own(event) &&
        (dft_text_is(event->name, "metadata") || dft_text_is(event->name, "CM")))
        return DFT_TRACE_METADATA;
    if (is_tracers_own(event) && event->name.length == 2 && event->name.at[1] == 'H')
        return DFT_TRACE_HASH;
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
    case 's':
    case 't':
    case 'f':
        return DFT_TRACE_FLOW;
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
    int64_t resumed = 0;

    aggregate.is_resumed = dft_event_arg_int(event, "resumed", &resumed) && resumed > 0;

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

/* A number, decimal or hexadecimal; other texts become a hash, which only has to differ. */
static uint64_t read_id(struct dft_text text)
{
    bool is_hex = text.length > 2 && text.at[0] == '0' && (text.at[1] | 32) == 'x';
    uint64_t base = is_hex ? 16 : 10;
    uint64_t value = 0;

    for (size_t i = is_hex ? 2 : 0; i < text.length; i++) {
        char c = text.at[i];
        uint64_t digit = c >= '0' && c <= '9' ? (uint64_t)(c - '0')
                         : is_hex && (c | 32) >= 'a' && (c | 32) <= 'f'
                             ? (uint64_t)((c | 32) - 'a' + 10)
                             : base;

        if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return dft_hash_text(3, text) | 1;
    }
    return value;
}

struct dft_record_flow dft_record_read_flow(struct dft_reader *reader,
                                            const struct dft_event *event)
{
    if (event->ph != 'X')
        return (struct dft_record_flow){event->ph, read_id(event->id)};
    struct dft_text phase = dft_event_arg_text(reader, event, "flow");
    return (struct dft_record_flow){
        .phase = dft_text_is(phase, "begin") ? 's'
                 : dft_text_is(phase, "end") ? 'f'
                                             : 't',
        .id = read_id(dft_event_arg_text(reader, event, "flow_id")),
    };
}

bool dft_record_is_format_arg(struct dft_text key)
{
    return dft_text_is(key, "hhash") || dft_text_is(key, "exact_ts_ns") ||
           dft_text_is(key, "exact_dur_ns");
}

struct dft_record_metadata dft_record_read_metadata(struct dft_reader *reader,
                                                    const struct dft_event *event)
{
    const struct dft_text *value = dft_event_arg(event, "value");
    struct dft_record_metadata metadata = {{"", 0}, {"null", 4}};

    if (dft_text_is(event->name, "CM")) {
        metadata.key = dft_event_arg_text(reader, event, "name");
        metadata.value = value ? *value : metadata.value;
    } else if (event->arg_count > 0) {
        metadata.key = event->args[0].key;
        metadata.value = event->args[0].value;
    }
    return metadata;
}
