/*
 * Perfetto's own format, protobuf, written from its field numbers. docs/FORMAT.md has the mapping.
 * Pure; runs in any of the writer's threads.
 *
 * Each member has sequences of packets of its own, one for each thread, so it needs no other
 * member. This file has the events of the whole process, as instants with the args that they have
 * in JSON. They are rare, and nothing in them is interned.
 */
#include "writer/encode/perfetto.h"
#include "writer/encode/json_meta.h"

static struct dft_annotations annotations(struct perfetto_state *state)
{
    return (struct dft_annotations){.out = &state->event, .scratch = &state->scratch};
}

static bool append_event(struct perfetto_state *state, uint64_t ns, struct dft_buffer *out)
{
    size_t begin;

    return dft_pb_begin(out, TRACE_PACKET, &begin) &&
           dft_pb_append_number(out, PACKET_SEQUENCE, PROCESS_SEQUENCE) &&
           dft_pb_append_bytes(out, PACKET_EVENT, state->event.data, state->event.used) &&
           dft_pb_append_number(out, PACKET_TIMESTAMP, ns) &&
           dft_pb_append_number(out, PACKET_CLOCK, MONOTONIC_CLOCK) && dft_pb_end(out, begin);
}

/* An instant on the track of the process. */
static bool begin_instant(struct perfetto_state *state, const char *name, const char *category)
{
    state->event.used = 0;
    return dft_pb_append_number(&state->event, EVENT_TYPE, TYPE_INSTANT) &&
           dft_pb_append_number(&state->event, EVENT_TRACK, state->process) &&
           (!category[0] || dft_pb_append_string(&state->event, EVENT_CATEGORY, category)) &&
           dft_pb_append_string(&state->event, EVENT_NAME, name);
}

/* Appends an instant of category "dftrace" with the args of the event. */
static bool append_instant(const struct dft_trace_start *start, struct perfetto_state *state,
                           const struct dft_event *event, const char *name, uint64_t ns,
                           struct dft_buffer *out)
{
    const struct dft_annotations to = annotations(state);

    state->json.used = 0;
    return begin_instant(state, name, "dftrace") &&
           dft_json_append_event_args(start, event, &state->json) &&
           dft_annotate_json(&to, state->json.data, state->json.used) &&
           append_event(state, ns, out);
}

static bool append_start(const struct dft_trace_start *start, struct perfetto_state *state,
                         const struct dft_event *event, struct dft_buffer *out)
{
    return dft_perfetto_append_clocks(start, out) &&
           dft_perfetto_describe_process(start, state, out) &&
           append_instant(start, state, event, "start", start->monotonic_ns, out);
}

static bool append_thread(const struct dft_trace_start *start, struct perfetto_state *state,
                          const struct dft_thread_name *thread, struct dft_buffer *out)
{
    const char *name = dft_encoder_thread_name(start, thread);

    return dft_perfetto_describe_thread(start, state, thread->tid, name, strlen(name), out);
}

/* The name of the track is that which Perfetto gives to the counter of a JSON trace. */
static bool append_counter_value(struct perfetto_state *state, const struct dft_counter *counter,
                                 unsigned i, struct dft_buffer *out)
{
    const char *key = counter->values[i].key ? counter->values[i].key : counter->text;
    struct dft_event_name name = {.category = "dftrace", .unit = key};
    uint64_t uuid, value = counter->values[i].value;

    state->json.used = 0;
    if (!dft_append_text(&state->json, counter->name) || !dft_append_text(&state->json, " ") ||
        !dft_append_text(&state->json, key))
        return false;
    name.name = state->json.data;
    name.length = state->json.used;
    if (!dft_perfetto_find_counter(state, &name, &uuid, out))
        return false;
    state->event.used = 0;
    return dft_pb_append_number(&state->event, EVENT_TYPE, TYPE_COUNTER) &&
           dft_pb_append_number(&state->event, EVENT_TRACK, uuid) &&
           (counter->values[i].tenths
                ? dft_pb_append_double(&state->event, EVENT_COUNTER_DOUBLE, (double)value / 10)
                : dft_pb_append_number(&state->event, EVENT_COUNTER_INT, value)) &&
           append_event(state, counter->ns, out);
}

/* What the process uses: a counter for each value. */
static bool append_counter(struct perfetto_state *state, const struct dft_counter *counter,
                           struct dft_buffer *out)
{
    for (unsigned i = 0; i < counter->count; i++)
        if (!append_counter_value(state, counter, i, out))
            return false;
    return true;
}

static bool append_aggregate(const struct dft_trace_start *start, struct perfetto_state *state,
                             const struct dft_event *event, struct dft_buffer *out)
{
    static const char prefix[] = "calls of ";
    const struct dft_annotations to = annotations(state);
    struct dft_site_view site;
    char unknown[DFT_UNKNOWN_SITE_SIZE];

    dft_encoder_site(start, event->aggregate.site, &site, unknown);
    state->json.used = 0;
    if (!dft_append_text(&state->json, prefix) || !dft_append_text(&state->json, site.name) ||
        !dft_buffer_reserve(&state->json, 1))
        return false;
    state->json.data[state->json.used] = '\0';
    if (!begin_instant(state, state->json.data, site.category))
        return false;
    state->json.used = 0;
    return dft_json_append_event_args(start, event, &state->json) &&
           dft_annotate_json(&to, state->json.data, state->json.used) &&
           (!start->metadata || (dft_annotate_text(&to, "file", site.file) &&
                                 dft_annotate_number(&to, "line", site.line))) &&
           append_event(state, event->aggregate.first_ns, out);
}

static bool append_process_event(const struct dft_trace_start *start, void *opaque,
                                 const struct dft_event *event, struct dft_output *output)
{
    struct perfetto_state *state = opaque;
    struct dft_buffer *out = &output->text;

    state->thread = 0; /* the calls of the member are done, or not begun */
    switch (event->kind) {
    case DFT_EVENT_START:
        return append_start(start, state, event, out);
    case DFT_EVENT_FUNCTION:
        /* Instants of one moment would nest, and Perfetto drops those that nest too deeply. */
        return append_instant(start, state, event, "function", start->monotonic_ns + event->site,
                              out);
    case DFT_EVENT_FILE:
        break;
    case DFT_EVENT_THREAD:
        return append_thread(start, state, &event->thread, out);
    case DFT_EVENT_COUNTER:
        return append_counter(state, &event->counter, out);
    case DFT_EVENT_AGGREGATE:
        return append_aggregate(start, state, event, out);
    case DFT_EVENT_THROTTLED:
        return append_instant(start, state, event, "counted", event->throttling.ns, out);
    case DFT_EVENT_END:
        return append_instant(start, state, event, "end", event->end.ns, out);
    }
    return true;
}

/* --- the interface -------------------------------------------------------------------------- */

static bool append_calls(const struct dft_trace_start *start, void *state,
                         const struct dft_calls *calls, struct dft_output *out)
{
    return dft_perfetto_append_items(start, state, 2 * calls->count, out);
}

static bool begin_member(const struct dft_trace_start *start, void *opaque,
                         struct dft_member *member, struct dft_output *out)
{
    struct perfetto_state *state = opaque;

    (void)out;
    state->calls = member->calls;
    state->attached = member->attached;
    state->first_event = member->first_event;
    state->process = dft_perfetto_process_uuid(start);
    state->item = state->thread = 0;
    memset(state->last_begin, 0, sizeof state->last_begin);
    memset(state->end.last, 0, sizeof state->end.last);
    dft_interned_begin_sequence(&state->described);
    return dft_stream_make(&state->stream, member->calls, member->call_count, member->attached);
}

static void release(void *opaque)
{
    struct perfetto_state *state = opaque;

    dft_stream_release(&state->stream);
    dft_interned_release(&state->interned);
    dft_interned_release(&state->described);
    dft_buffer_release(&state->sites);
    dft_buffer_release(&state->event);
    dft_buffer_release(&state->json);
    dft_buffer_release(&state->scratch);
}

const struct dft_encoder dft_encoder_perfetto = {
    .name = "perfetto",
    .extension = ".pftrace",
    .container = DFT_CONTAINER_PACKET,
    .begins_and_ends = true,
    .state_size = sizeof(struct perfetto_state),
    .release = release,
    .begin_member = begin_member,
    .calls = append_calls,
    .event = append_process_event,
};
