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
    if (!is_tracers_own(event))
        return DFT_TRACE_CALL;
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

static enum dft_trace_kind classify_counter(const struct dft_event *event)
{
    size_t prefix = sizeof DFT_TRACE_AGGREGATE_PREFIX - 1;
    int64_t count;

    if (event->name.length > prefix &&
        memcmp(event->name.at, DFT_TRACE_AGGREGATE_PREFIX, prefix) == 0 &&
        dft_event_arg_int(event, "count", &count) && count > 0)
        return dft_event_arg(event, "estimated_us") ? DFT_TRACE_THROTTLED : DFT_TRACE_AGGREGATE;
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
