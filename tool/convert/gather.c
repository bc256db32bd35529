/*
 * Collects calls in memory that is bounded, as far as the number of functions is.
 */
#include "tool/convert/gather.h"

void dft_gather_begin(struct dft_gather *gather, struct dft_conversion *conversion)
{
    *gather = (struct dft_gather){.conversion = conversion, .nest = dft_nest_new()};
    gather->functions.memory = &gather->memory;
}

bool dft_gather_is_call(const struct dft_event *event)
{
    return event->kind == DFT_TRACE_CALL || event->kind == DFT_TRACE_WAIT ||
           event->kind == DFT_TRACE_BOOKKEEPING;
}

/* What is not the call's own time, besides the calls inside it: see docs/FORMAT.md. */
static int64_t time_of_others(const struct dft_event *event)
{
    int64_t ns;

    return dft_event_arg_decimal(event, "aggregated_us", 3, &ns) ||
                   dft_event_arg_decimal(event, "estimated_us", 3, &ns)
               ? ns
               : 0;
}

void dft_gather_add(struct dft_gather *gather, struct dft_reader *reader,
                    const struct dft_event *event, bool is_point, uint64_t detail)
{
    struct dft_rows *rows = &gather->rows;
    uint32_t row = dft_rows_find(rows, gather->conversion->trace, event->pid, event->tid);
    struct dft_function_key key = dft_functions_key_of(reader, event);
    struct dft_nest_record record = {
        .row = dft_rows_key(rows, row),
        .start = event->ts_ns,
        .end = event->ts_ns + (is_point ? 0 : event->dur_ns),
        .detail = detail,
        .less = is_point ? 0 : time_of_others(event),
        .name = is_point ? 0 : dft_functions_find_or_add(&gather->functions, &key),
        .is_point = is_point,
    };
    dft_rows_note_call(rows, row);
    dft_nest_add(gather->nest, record, event->raw.length == 0);
    if (!gather->has_times || record.start < gather->first_ns)
        gather->first_ns = record.start;
    if (!gather->has_times || record.end > gather->last_ns)
        gather->last_ns = record.end;
    gather->has_times = true;
}

void dft_gather_leave_out(struct dft_gather *gather, const struct dft_event *event)
{
    struct dft_losses *losses = gather->conversion->losses;

    switch (event->kind) {
    case DFT_TRACE_INSTANT:
        dft_losses_add(losses, "instant", "instants", 1);
        break;
    case DFT_TRACE_COUNTER:
    case DFT_TRACE_OWN_COUNTER:
        dft_losses_add(losses, "value of a counter", "values of counters", 1);
        break;
    case DFT_TRACE_FLOW:
        dft_losses_add(losses, "point of a flow", "points of flows", 1);
        break;
    case DFT_TRACE_AGGREGATE:
    case DFT_TRACE_THROTTLED:
        dft_losses_add(losses, "sum of calls without an event", "sums of calls without an event",
                       1);
        break;
    case DFT_TRACE_THROTTLING:
        dft_losses_add(losses, "throttling", "throttlings", 1);
        break;
    case DFT_TRACE_FLOW_MARK: /* never passed on */
        break;
    case DFT_TRACE_PAIR:
        dft_losses_add(losses, "end of a call without its begin",
                       "ends of calls without their begin", 1);
        break;
    default:
        dft_losses_add_foreign(losses, event->ph);
        break;
    }
}

void dft_gather_end(struct dft_gather *gather)
{
    dft_nest_free(gather->nest);
    dft_functions_free(&gather->functions);
    dft_rows_free(&gather->rows);
}
