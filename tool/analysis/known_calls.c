/* A direct-mapped cache indexed by the number of the prefix. */
#include "tool/analysis/known_calls.h"

struct dft_known_call dft_known_calls_add(struct dft_known_calls *calls,
                                          const struct dft_event *event, uint32_t function,
                                          bool is_own, struct dft_stack *stack)
{
    struct dft_known_call call = {
        .prefix_id = event->prefix_id,
        .function = function,
        .is_sampled = dft_event_arg(event, "cpu_us") != NULL,
        .unfinished = !event->has_dur || dft_event_arg_true(event, "unfinished"),
        .resumed = dft_event_arg_true(event, "resumed"),
        .is_own = is_own,
        .stack = stack,
    };

    call.added_is_estimated = !dft_event_arg_decimal(event, "aggregated_us", 3, &call.added_ns) &&
                              dft_event_arg_decimal(event, "estimated_us", 3, &call.added_ns);
    if (call.prefix_id > 0)
        calls->list[call.prefix_id % DFT_KNOWN_CALLS_MAX] = call;
    return call;
}

const struct dft_known_call *dft_known_calls_find(const struct dft_known_calls *calls,
                                                  const struct dft_event *event)
{
    const struct dft_known_call *call = &calls->list[event->prefix_id % DFT_KNOWN_CALLS_MAX];

    return event->prefix_id > 0 && call->prefix_id == event->prefix_id ? call : NULL;
}
