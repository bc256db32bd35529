/*
 * Calls, regions and the program's other events as packets of Perfetto. Pure; runs in any of the
 * writer's threads. Tuned: the writer spends most of its time here and in the compressor.
 *
 * Nearly all packets are begins and ends of calls without attachments. In a sequence, such a packet
 * of one function is always the same, except for its length and its time. It is rendered once and
 * copied from then on. The time comes last, so that the compressor finds everything else as one
 * match in the function's packet before.
 */
#include "dftrace/abi.h"
#include "dftrace/events.h"
#include "writer/encode/json_args.h"
#include "writer/encode/json_text.h"
#include "writer/encode/perfetto.h"

#define ALWAYS __attribute__((always_inline))
#define PACKET_ROOM (CONSTANT_MAX + DFT_PB_VARINT_MAX)
#define HEAD 2     /* bytes of a packet before its contents: tag and length */
#define TIME_TAG 1 /* bytes */
#define EVENT_MAX (CONSTANT_MAX - HEAD - 6 - 2 - TIME_TAG) /* besides sequence, tag and length */

static struct dft_annotations annotations(struct perfetto_state *state)
{
    return (struct dft_annotations){
        .out = &state->event, .interned = &state->interned, .scratch = &state->scratch};
}

/* --- packets in general --------------------------------------------------------------------- */

/* Appends the event in `state->event`, and what it has interned. */
static bool append_event(const struct dft_trace_start *start, struct perfetto_state *state,
                         uint64_t ns, struct dft_buffer *out)
{
    struct dft_buffer *added = &state->interned.added;
    size_t begin;

    if (!dft_pb_begin(out, TRACE_PACKET, &begin) ||
        !dft_pb_append_number(out, PACKET_SEQUENCE, state->sequence) ||
        (added->used && !dft_pb_append_bytes(out, PACKET_INTERNED, added->data, added->used)) ||
        !dft_pb_append_bytes(out, PACKET_EVENT, state->event.data, state->event.used))
        return false;
    added->used = 0;
    if (ns < start->monotonic_ns) { /* before the sequence's clock begins */
        if (!dft_pb_append_number(out, PACKET_TIMESTAMP, ns) ||
            !dft_pb_append_number(out, PACKET_CLOCK, MONOTONIC_CLOCK))
            return false;
    } else {
        if (!dft_pb_append_number(out, PACKET_TIMESTAMP, ns - state->last_ns))
            return false;
        state->last_ns = ns;
    }
    return dft_pb_end(out, begin);
}

static bool begin_event(struct perfetto_state *state, unsigned type)
{
    state->event.used = 0;
    return dft_pb_append_number(&state->event, EVENT_TYPE, type);
}

static bool append_name(struct perfetto_state *state, const char *name, size_t length,
                        const char *category)
{
    uint32_t name_number, category_number = 0;

    return dft_intern(&state->interned, DFT_INTERNED_NAME, name, length, &name_number) &&
           (!category[0] || dft_intern(&state->interned, DFT_INTERNED_CATEGORY, category,
                                       strlen(category), &category_number)) &&
           (!category_number ||
            dft_pb_append_number(&state->event, EVENT_CATEGORY_NUMBER, category_number)) &&
           dft_pb_append_number(&state->event, EVENT_NAME_NUMBER, name_number);
}

/* --- calls ---------------------------------------------------------------------------------- */

/* NULL if memory is exhausted. */
static struct constant_packet *site_packet(struct perfetto_state *state, uint32_t site)
{
    struct dft_buffer *sites = &state->sites;
    size_t needed = ((size_t)site + 1) * sizeof(struct constant_packet);

    if (sites->used < needed) {
        if (!dft_buffer_reserve(sites, needed - sites->used))
            return NULL;
        sites->used = needed; /* fresh pages are zero */
    }
    return &((struct constant_packet *)sites->data)[site];
}

static void render_begin(struct perfetto_state *state, struct constant_packet *packet)
{
    char *at = dft_pb_put_tag(packet->text, TRACE_PACKET, DFT_PB_BYTES) + 1;

    if (state->event.used > EVENT_MAX) /* cannot occur: there are fewer functions */
        return;
    at = dft_pb_put_number(at, PACKET_SEQUENCE, state->sequence);
    at = dft_pb_put_tag(at, PACKET_EVENT, DFT_PB_BYTES);
    *at++ = (char)state->event.used;
    packet->event = (uint16_t)(at - packet->text);
    memcpy(at, state->event.data, state->event.used);
    at = dft_pb_put_tag(at + state->event.used, PACKET_TIMESTAMP, DFT_PB_VARINT);
    packet->length = (uint16_t)(at - packet->text);
    packet->generation = state->interned.generation;
}

/* The activation has begun before. */
static bool append_resumed(struct perfetto_state *state)
{
    static const char arg[] = ",\"resumed\":true";
    const struct dft_annotations to = annotations(state);

    return dft_annotate_json(&to, arg, sizeof arg - 1);
}

/* Appends what all begins of calls of this function have, and keeps it for the next one. */
static bool append_function(const struct dft_trace_start *start, struct perfetto_state *state,
                            uint32_t id)
{
    struct constant_packet *packet = site_packet(state, id);
    char unknown[DFT_UNKNOWN_SITE_SIZE];
    struct dft_site_view site;
    uint32_t location;

    if (!packet)
        return false;
    if (packet->generation == state->interned.generation) {
        size_t length = packet->length - packet->event - TIME_TAG;
        state->event.used = 0;
        if (!dft_buffer_reserve(&state->event, length))
            return false;
        dft_put_bytes(&state->event, packet->text + packet->event, length);
        return true;
    }
    dft_encoder_site(start, id, &site, unknown);
    if (!begin_event(state, TYPE_BEGIN) ||
        !append_name(state, site.name, strlen(site.name), site.category) ||
        (start->metadata && dft_site_has_place(&site) &&
         (!dft_intern_location(&state->interned, &site, &location) ||
          !dft_pb_append_number(&state->event, EVENT_LOCATION_NUMBER, location))) ||
        (site.flags & DFTRACE_SITE_RESUMED && !append_resumed(state)))
        return false;
    render_begin(state, packet);
    return true;
}

/* The processor time of the thread, from which Perfetto computes that of the call. */
static bool append_cpu_time(struct perfetto_state *state, const struct dft_call *call, bool at_end)
{
    struct dft_sample sample;

    return !call->attached ||
           !dft_attached_sample(call, dft_call_attached(call, state->attached), &sample) ||
           (dft_pb_append_number(&state->event, EVENT_EXTRA_TRACKS, state->cpu_track) &&
            dft_pb_append_number(&state->event, EVENT_EXTRA_VALUES,
                                 sample.cpu_start_ns + (at_end ? sample.cpu_ns : 0)));
}

static bool append_args(const struct dft_trace_start *start, struct perfetto_state *state,
                        const struct dft_call *call)
{
    const struct dft_annotations to = annotations(state);
    const struct dft_attached *attached =
        call->attached ? dft_call_attached(call, state->attached) : NULL;

    state->json.used = 0;
    return (!call->unfinished || dft_append_text(&state->json, ",\"unfinished\":true")) &&
           (!attached || (dft_json_append_attached_args(call, attached, &state->json) &&
                          dft_json_append_values(start, call, attached, &state->json))) &&
           dft_annotate_json(&to, state->json.data, state->json.used) &&
           (!attached || dft_annotate_fields(&to, start, attached));
}

/* Finds the start that was attached to a call which is shown to begin earlier. */
static bool find_start(const struct perfetto_state *state, const struct dft_call *call,
                       uint64_t *start_ns)
{
    struct dft_attachment_view view;

    *start_ns = call->start_ns;
    if (!call->attached)
        return false;
    const struct dft_attached *attached = dft_call_attached(call, state->attached);
    const unsigned char *at = attached->bytes, *end = at + attached->length;
    while (dft_attachments_next(&at, end, &view))
        if (view.kind == DFT_ATTACHMENT_START && view.length == sizeof *start_ns) {
            memcpy(start_ns, view.bytes, sizeof *start_ns);
            return *start_ns <= call->end_ns;
        }
    return false;
}

/* The times of a call, if others are shown. */
static bool append_exact_times(struct perfetto_state *state, const struct dft_call *call,
                               bool is_cut)
{
    const struct dft_annotations to = annotations(state);
    uint64_t start_ns;

    return (!find_start(state, call, &start_ns) && !is_cut) ||
           (dft_annotate_number(&to, "exact_ts_ns", start_ns) &&
            dft_annotate_number(&to, "exact_dur_ns", call->end_ns - start_ns));
}

/* Sets the uuid of the track for calls of the state's depth; 0: the thread's. */
static bool find_track(struct perfetto_state *state, uint64_t *track, struct dft_buffer *out)
{
    *track = 0;
    return state->depth < TRACK_DEPTH ||
           dft_perfetto_find_deep_track(state, state->depth / TRACK_DEPTH, track, out);
}

static bool append_begin(const struct dft_trace_start *start, struct perfetto_state *state,
                         const struct dft_call *call, const struct dft_cut *cut,
                         struct dft_buffer *out)
{
    struct dft_sample sample;
    uint64_t track;

    if (!find_track(state, &track, out))
        return false;
    state->depth++;

    if (call->attached &&
        dft_attached_sample(call, dft_call_attached(call, state->attached), &sample) &&
        !dft_perfetto_find_cpu_time(state, &state->cpu_track, out))
        return false;
    return append_function(start, state, call->site) &&
           (!track || dft_pb_append_number(&state->event, EVENT_TRACK, track)) &&
           append_cpu_time(state, call, false) && append_args(start, state, call) &&
           append_exact_times(state, call, cut != NULL) &&
           append_event(start, state, cut ? cut->ns : call->start_ns, out);
}

static bool append_end(const struct dft_trace_start *start, struct perfetto_state *state,
                       const struct dft_call *call, const struct dft_cut *cut,
                       struct dft_buffer *out)
{
    uint64_t track;

    state->depth -= state->depth > 0;
    return find_track(state, &track, out) && begin_event(state, TYPE_END) &&
           (!track || dft_pb_append_number(&state->event, EVENT_TRACK, track)) &&
           append_cpu_time(state, call, true) &&
           append_event(start, state, cut ? cut->ns : call->end_ns, out);
}

/* --- events of the program that are not calls ----------------------------------------------- */

static bool append_instant(const struct dft_trace_start *start, struct perfetto_state *state,
                           const struct dft_call *event, const struct dft_attached *attached,
                           struct dft_buffer *out)
{
    const struct dft_annotations to = annotations(state);
    struct dft_event_name name = dft_encoder_event_name(start, event, attached);

    return begin_event(state, TYPE_INSTANT) &&
           append_name(state, name.name, name.length, name.category) &&
           dft_annotate_fields(&to, start, attached) &&
           append_event(start, state, event->start_ns, out);
}

static bool append_counter(const struct dft_trace_start *start, struct perfetto_state *state,
                           const struct dft_call *event, const struct dft_attached *attached,
                           struct dft_buffer *out)
{
    struct dft_event_name name = dft_encoder_event_name(start, event, attached);
    bool is_large = attached->detail == DFTRACE_TYPE_UINT && attached->value > INT64_MAX;
    uint64_t uuid;

    if (!dft_perfetto_find_counter(state, &name, &uuid, out) || !begin_event(state, TYPE_COUNTER) ||
        !dft_pb_append_number(&state->event, EVENT_TRACK, uuid))
        return false;
    if (attached->detail == DFTRACE_TYPE_DOUBLE
            ? !dft_pb_append_fixed(&state->event, EVENT_COUNTER_DOUBLE, attached->value)
        : is_large
            ? !dft_pb_append_double(&state->event, EVENT_COUNTER_DOUBLE, (double)attached->value)
            : !dft_pb_append_number(&state->event, EVENT_COUNTER_INT, attached->value))
        return false;
    return append_event(start, state, event->start_ns, out);
}

/*
 * An instant inside the slice that the flow leaves or enters, with the id of the flow: so the
 * flow's time is kept, and the arrow points in the right direction, whenever the slices began.
 */
static bool append_flow(const struct dft_trace_start *start, struct perfetto_state *state,
                        const struct dft_call *event, const struct dft_attached *attached,
                        struct dft_buffer *out)
{
    const struct dft_annotations to = annotations(state);
    bool is_last = attached->detail == 'f';

    return begin_event(state, TYPE_INSTANT) && append_name(state, "flow", 4, "flow") &&
           dft_annotate_text(&to, "phase",
                             attached->detail == 's' ? "begin"
                             : is_last               ? "end"
                                                     : "step") &&
           dft_pb_append_fixed(&state->event, is_last ? EVENT_LAST_FLOW : EVENT_FLOW,
                               attached->value) &&
           append_event(start, state, event->start_ns, out);
}

static bool append_metadata(const struct dft_trace_start *start, struct perfetto_state *state,
                            const struct dft_call *event, const struct dft_attached *attached,
                            struct dft_buffer *out)
{
    const struct dft_annotations to = annotations(state);

    return begin_event(state, TYPE_INSTANT) && append_name(state, "metadata", 8, "dftrace") &&
           dft_pb_append_number(&state->event, EVENT_TRACK, state->process) &&
           dft_annotate_fields(&to, start, attached) &&
           append_event(start, state, event->start_ns, out);
}

static bool append_program_event(const struct dft_trace_start *start, struct perfetto_state *state,
                                 const struct dft_call *event, struct dft_buffer *out)
{
    const struct dft_attached *attached = dft_call_attached(event, state->attached);
    struct dft_event_name name;

    switch ((enum dft_recorded_kind)attached->kind) {
    case DFT_RECORDED_INSTANT:
        return append_instant(start, state, event, attached, out);
    case DFT_RECORDED_COUNTER:
        return append_counter(start, state, event, attached, out);
    case DFT_RECORDED_FLOW:
        return append_flow(start, state, event, attached, out);
    case DFT_RECORDED_METADATA:
        return append_metadata(start, state, event, attached, out);
    case DFT_RECORDED_THREAD_NAME:
        name = dft_encoder_event_name(start, event, attached);
        return dft_perfetto_describe_thread(start, state, attached->tid, name.name, name.length,
                                            out);
    case DFT_RECORDED_NOTHING:
    case DFT_RECORDED_CALL:
        break;
    }
    return true;
}

/* --- the stream ----------------------------------------------------------------------------- */

/* A begin or an end that is not plain, or any other event. */
static __attribute__((noinline)) bool append_item(const struct dft_trace_start *start,
                                                  struct perfetto_state *state, dft_item item,
                                                  struct dft_buffer *out)
{
    const struct dft_cut *cut = NULL;
    uint32_t number = DFT_ITEM_NUMBER(item);

    if (DFT_ITEM_IS_CUT(item)) {
        cut = &((const struct dft_cut *)state->stream.cuts.data)[number];
        number = cut->call;
    }
    const struct dft_call *call = &state->calls[number];
    switch (DFT_ITEM_KIND(item)) {
    case DFT_ITEM_BEGIN:
        return append_begin(start, state, call, cut, out);
    case DFT_ITEM_END:
        return append_end(start, state, call, cut, out);
    case DFT_ITEM_EVENT:
        break;
    }
    return append_program_event(start, state, call, out);
}

/* Writes a packet for which room is reserved. */
static inline ALWAYS void put_constant(struct perfetto_state *state, struct constant_packet *packet,
                                       uint64_t ns, uint32_t *last_of_all, struct dft_output *out)
{
    char *begin = out->text.data + out->text.used, *at = begin + packet->length;
    uint64_t since = ns - state->last_ns;
    uint32_t position = out->origin + (uint32_t)out->text.used;
    struct dft_repeat *hint = (struct dft_repeat *)(out->repeats.data + out->repeats.used);

    memcpy(begin, packet->text, CONSTANT_MAX);
    char *end = dft_pb_put_varint(at, since);
    unsigned width = (unsigned)(end - at);
    begin[1] = (char)(end - begin - HEAD);
    width = width < TIME_WIDTHS ? width : TIME_WIDTHS - 1;
    uint32_t from = packet->last[width];
    if (last_of_all) {
        if (position - from > DFT_DEFLATE_WINDOW)
            from = last_of_all[width];
        last_of_all[width] = position;
    }
    *hint = (struct dft_repeat){position, from, packet->length};
    packet->last[width] = position;
    out->repeats.used += sizeof *hint;
    out->text.used += (size_t)(end - begin);
    state->last_ns = ns;
}

/* Appends plain begins and ends from `i` on. Returns the number of the first other item. */
static size_t append_plain(const struct dft_trace_start *start, struct perfetto_state *state,
                           size_t i, size_t end, struct dft_output *out)
{
    const dft_item *items = (const dft_item *)state->stream.items.data;
    struct constant_packet *sites = (struct constant_packet *)state->sites.data;
    size_t known = state->sites.used / sizeof *sites;

    for (; i < end; i++) {
        if (DFT_ITEM_IS_CUT(items[i]) || DFT_ITEM_KIND(items[i]) == DFT_ITEM_EVENT)
            break;
        const struct dft_call *call = &state->calls[DFT_ITEM_NUMBER(items[i])];
        if (call->attached || call->unfinished || call->start_ns < start->monotonic_ns)
            break;
        if (DFT_ITEM_KIND(items[i]) == DFT_ITEM_END) {
            if (state->depth > TRACK_DEPTH)
                break;
            state->depth--;
            put_constant(state, &state->end, call->end_ns, NULL, out);
        } else {
            if (call->site >= known || sites[call->site].generation != state->interned.generation ||
                state->depth >= TRACK_DEPTH)
                break;
            state->depth++;
            put_constant(state, &sites[call->site], call->start_ns, state->last_begin, out);
        }
    }
    return i;
}

static bool append_thread_items(const struct dft_trace_start *start, struct perfetto_state *state,
                                size_t end, struct dft_output *out)
{
    const dft_item *items = (const dft_item *)state->stream.items.data;

    while (state->item < end) {
        size_t left = end - state->item;
        if (!dft_buffer_reserve(&out->text, left * PACKET_ROOM) ||
            !dft_buffer_reserve(&out->repeats, left * sizeof(struct dft_repeat)))
            return false;
        state->item = append_plain(start, state, state->item, end, out);
        if (state->item < end && !append_item(start, state, items[state->item++], &out->text))
            return false;
    }
    return true;
}

bool dft_perfetto_append_items(const struct dft_trace_start *start, struct perfetto_state *state,
                               size_t count, struct dft_output *out)
{
    const struct dft_stream_thread *threads =
        (const struct dft_stream_thread *)state->stream.threads.data;
    size_t all = state->stream.items.used / sizeof(dft_item);
    size_t end = all - state->item < count ? all : state->item + count;
    if (!threads)
        return true;

    while (state->item < end) {
        const struct dft_stream_thread *thread = state->thread ? &threads[state->thread - 1] : NULL;
        if (!thread || state->item == thread->first_item + thread->item_count) {
            thread = &threads[state->thread++];
            if (!dft_perfetto_begin_sequence(start, state, thread->tid, &out->text))
                return false;
        }
        size_t thread_end = thread->first_item + thread->item_count;
        if (!append_thread_items(start, state, thread_end < end ? thread_end : end, out))
            return false;
    }
    return true;
}
