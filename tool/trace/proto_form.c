/*
 * Perfetto's binary traces: a trace is a list of packets, some of which contain further packets
 * that are compressed. One packet at a time is completely in memory.
 */
#include "tool/trace/proto_internal.h"

#include "tool/base/tool.h"

#include <inttypes.h>
#include <stdlib.h>

#define PACKET_FIELD 1
#define COMPRESSED_FIELD 50
#define HELD_MAX 64 /* packets that a counter waits for its other values */
#define FIRST_ROOM ((size_t)128 * 1024)

/* --- detection --- */

/*
 * A trace begins with the field of a packet: byte 0x0a, which is a line end in text. So the first
 * packet must be correct, as far as it is in memory, and the next one must begin behind it.
 */
bool dft_proto_form_matches(const char *begin, const char *end)
{
    struct dft_proto_message rest = {(const unsigned char *)begin, (const unsigned char *)end};
    struct dft_proto_field field;
    uint64_t length;

    if (begin == end || *rest.at++ != (PACKET_FIELD << 3 | DFT_PROTO_BYTES) ||
        !dft_proto_varint(&rest, &length))
        return false;
    bool is_whole = length <= (uint64_t)(rest.end - rest.at);
    struct dft_proto_message packet = {rest.at, is_whole ? rest.at + length : rest.end};
    size_t fields = 0;
    enum dft_proto_step step;
    while ((step = dft_proto_next(&packet, &field)) == DFT_PROTO_FIELD)
        fields++;
    if (is_whole && (step != DFT_PROTO_DONE || fields == 0))
        return false;
    return is_whole ? rest.at + length == rest.end || rest.at[length] == 0x0a
                    : length > 0xffff || fields > 0;
}

void dft_proto_form_begin(struct dft_reader *reader)
{
    reader->proto = dft_tool_zeroed(1, sizeof *reader->proto);
    reader->state = DFT_FORM_PACKETS;
}

void dft_proto_form_free(struct dft_proto *proto)
{
    dft_proto_sequences_free(proto);
    dft_proto_tracks_free(proto);
    dft_scratch_free(&proto->scratch);
    if (proto->gunzip)
        dft_gunzip_free(proto->gunzip);
    free(proto->inner);
    free(proto->queue);
    free(proto->args);
    free(proto);
}

/* --- errors --- */

static void fail(struct dft_reader *reader, const char *problem)
{
    bool is_compressed = dft_input_is_compressed(reader->window.input);

    snprintf(reader->error, sizeof reader->error, "byte %" PRIu64 "%s: %s", reader->proto->packet,
             is_compressed ? " of the uncompressed trace" : "", problem);
    reader->state = DFT_FORM_ERROR;
    dft_reader_blame_compression(reader);
}

static void end_early(struct dft_reader *reader, bool inside_packet)
{
    if (dft_input_error(reader->window.input))
        dft_reader_fail_input(reader);
    else if (!reader->window.at_end)
        fail(reader, "a packet is longer than 64 MiB: this is no trace");
    else
        dft_reader_finish(reader, inside_packet || dft_input_is_cut(reader->window.input)
                                      ? DFT_ENDING_CUT
                                      : DFT_ENDING_COMPLETE);
}

/* --- events --- */

/* Passes on one event of the current packet. */
static bool take_queued(struct dft_reader *reader, struct dft_event *event)
{
    struct dft_proto *proto = reader->proto;
    int64_t end;

    if (proto->passed_on == proto->queued)
        return false;
    const struct dft_proto_queued *queued = &proto->queue[proto->passed_on++];
    *event = queued->event;
    event->args = event->arg_count > 0 ? proto->args + queued->first_arg : NULL;
    event->raw = (struct dft_text){"", 0};
    if (!event->file.at)
        event->file = (struct dft_text){"", 0};
    if (!event->id.at)
        event->id = (struct dft_text){"", 0};
    if (__builtin_add_overflow(event->ts_ns, event->dur_ns, &end))
        event->dur_ns = 0;
    if (event->ph != 'M')
        event->kind = dft_record_classify(event);
    bool is_aggregate = event->kind == DFT_TRACE_AGGREGATE || event->kind == DFT_TRACE_THROTTLED;
    if (is_aggregate && dft_event_arg_int(event, "line", &event->line))
        event->file = dft_event_arg_text(reader, event, "file");
    return true;
}

/* A counter of a process may have several values at one moment, each in a packet of its own. */
static bool is_process_counter(const struct dft_event *event)
{
    return event->ph == 'C' && dft_text_is(event->cat, "dftrace");
}

static bool is_same_moment(const struct dft_event *a, const struct dft_event *b)
{
    return is_process_counter(b) && a->ts_ns == b->ts_ns && a->pid == b->pid && a->tid == b->tid &&
           dft_text_equal(a->name, b->name);
}

/* The last event of the queue may get more values from the next packet. */
static bool may_grow(const struct dft_reader *reader)
{
    const struct dft_proto *proto = reader->proto;

    return reader->state == DFT_FORM_PACKETS && proto->held < HELD_MAX &&
           proto->passed_on + 1 == proto->queued &&
           is_process_counter(&proto->queue[proto->queued - 1].event);
}

/* Joins the values of a counter: event number `at`, and the one behind it. */
static void join_counters(struct dft_proto *proto, size_t at)
{
    struct dft_proto_queued *held = &proto->queue[at];
    const struct dft_proto_queued *more = held + 1;

    if (at + 2 != proto->queued || !is_same_moment(&held->event, &more->event) ||
        more->first_arg != held->first_arg + held->event.arg_count)
        return;
    held->event.arg_count += more->event.arg_count;
    proto->queued--;
}

bool dft_proto_form_has_events(const struct dft_proto *proto)
{
    return proto->passed_on < proto->queued;
}

static void begin_packet(struct dft_reader *reader)
{
    struct dft_proto *proto = reader->proto;

    proto->queued = proto->passed_on = proto->arg_count = 0;
    proto->held = 0;
    dft_scratch_reset(&proto->scratch);
    dft_scratch_reset(&reader->memory.scratch);
}

static void take_packet(struct dft_reader *reader, struct dft_proto_message packet)
{
    if (!dft_proto_packet(reader->proto, packet))
        fail(reader, reader->proto->problem);
}

/* --- compressed packets --- */

/* The compressed bytes stay in the window until all of their packets are used. */
static void enter_compressed(struct dft_proto *proto, struct dft_proto_message bytes)
{
    if (!proto->gunzip)
        proto->gunzip = dft_gunzip_new(DFT_GUNZIP_ZLIB);
    else
        dft_gunzip_reset(proto->gunzip);
    proto->io = (struct dft_gunzip_io){.next = bytes.at, .left = (size_t)(bytes.end - bytes.at)};
    proto->is_inside = true;
    proto->inner_ended = false;
    proto->inner_at = proto->inner_end = 0;
    if (!proto->inner) {
        proto->inner_room = FIRST_ROOM;
        proto->inner = dft_tool_resize(NULL, proto->inner_room, 1);
    }
}

/* Decompresses more bytes. False at the end of the data, and on error, which has been reported. */
static bool fill_inner(struct dft_reader *reader)
{
    struct dft_proto *proto = reader->proto;
    size_t kept = proto->inner_end - proto->inner_at;
    const char *problem;

    if (proto->inner_ended)
        return false;
    if (kept > 0)
        memmove(proto->inner, proto->inner + proto->inner_at, kept);
    proto->inner_at = 0;
    proto->inner_end = kept;
    if (kept > proto->inner_room / 2) {
        proto->inner_room *= 2;
        if (proto->inner_room > 2 * DFT_LONGEST_EVENT) {
            fail(reader, "a compressed packet is longer than 64 MiB: this is no trace");
            return false;
        }
        proto->inner = dft_tool_resize(proto->inner, proto->inner_room, 1);
    }
    proto->io.out = proto->inner + kept;
    proto->io.room = proto->inner_room - kept;
    size_t room = proto->io.room, left = proto->io.left;
    enum dft_gunzip_step step = dft_gunzip_step(proto->gunzip, &proto->io, &problem);
    proto->inner_end += room - proto->io.room;
    if (step == DFT_GUNZIP_END)
        proto->inner_ended = true;
    else if (step == DFT_GUNZIP_BAD)
        fail(reader, "compressed packets are damaged");
    else if (proto->io.room == room && proto->io.left == left)
        fail(reader, "compressed packets are cut");
    return reader->state == DFT_FORM_PACKETS;
}

/* One packet of the compressed data. False at its end. */
static bool step_inside(struct dft_reader *reader)
{
    struct dft_proto *proto = reader->proto;

    for (;;) {
        struct dft_proto_message rest = {proto->inner + proto->inner_at,
                                         proto->inner + proto->inner_end};
        struct dft_proto_field field;
        enum dft_proto_step step = dft_proto_next(&rest, &field);

        if (step == DFT_PROTO_FIELD) {
            proto->inner_at = (size_t)(rest.at - proto->inner);
            if (field.number == PACKET_FIELD && field.wire == DFT_PROTO_BYTES)
                take_packet(reader, field.bytes);
            return true;
        }
        if (!fill_inner(reader)) {
            if (step == DFT_PROTO_BAD && reader->state == DFT_FORM_PACKETS)
                fail(reader, "compressed packets are damaged");
            return reader->state != DFT_FORM_PACKETS;
        }
    }
}

/* --- packets --- */

/* The data of a packet's field `compressed_packets`; false if it has none. */
static bool find_compressed(struct dft_proto_message packet, struct dft_proto_message *data)
{
    struct dft_proto_field field;

    while (dft_proto_next(&packet, &field) == DFT_PROTO_FIELD) {
        if (field.number == COMPRESSED_FIELD && field.wire == DFT_PROTO_BYTES) {
            *data = field.bytes;
            return true;
        }
    }
    return false;
}

/*
 * How much more of the field there must be before it can be read: false if what is there cannot be
 * the beginning of a field.
 */
static bool may_continue(const struct dft_window *window)
{
    struct dft_proto_message rest = {(const unsigned char *)window->at,
                                     (const unsigned char *)window->end};
    uint64_t tag, length;

    if (!dft_proto_varint(&rest, &tag))
        return rest.end - rest.at < 10;
    if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3)
        return false;
    switch (tag & 7) {
    case DFT_PROTO_BYTES:
        return dft_proto_varint(&rest, &length) ? length <= DFT_LONGEST_EVENT
                                                : rest.end - rest.at < 10;
    case DFT_PROTO_VARINT:
        return rest.end - rest.at < 10;
    case DFT_PROTO_FIXED64:
    case DFT_PROTO_FIXED32:
        return true;
    default:
        return false;
    }
}

static void step_outside(struct dft_reader *reader)
{
    struct dft_window *window = &reader->window;
    struct dft_proto *proto = reader->proto;
    struct dft_proto_message data;
    struct dft_proto_field field;

    for (;;) {
        struct dft_proto_message rest = {(const unsigned char *)window->at,
                                         (const unsigned char *)window->end};
        enum dft_proto_step step = dft_proto_next(&rest, &field);

        proto->packet = window->discarded + (uint64_t)(window->at - window->buffer);
        if (step == DFT_PROTO_FIELD) {
            window->at = (const char *)rest.at;
            break;
        }
        if (step == DFT_PROTO_BAD && !may_continue(window)) {
            fail(reader, "expected a packet of a Perfetto trace");
            return;
        }
        if (!dft_window_refill(window)) {
            end_early(reader, step == DFT_PROTO_BAD);
            return;
        }
    }
    if (field.number != PACKET_FIELD || field.wire != DFT_PROTO_BYTES)
        return; /* other tools may add fields to a trace */
    if (find_compressed(field.bytes, &data))
        enter_compressed(proto, data);
    else
        take_packet(reader, field.bytes);
}

bool dft_proto_form_step(struct dft_reader *reader, struct dft_event *event)
{
    struct dft_proto *proto = reader->proto;

    size_t held = proto->passed_on;
    bool grows = may_grow(reader);

    if (!grows && take_queued(reader, event))
        return true;
    proto->held += grows;
    if (!grows)
        begin_packet(reader);
    if (proto->is_inside)
        proto->is_inside = step_inside(reader) && reader->state == DFT_FORM_PACKETS;
    else
        step_outside(reader);
    if (grows)
        join_counters(proto, held);
    return reader->state == DFT_FORM_PACKETS && !may_grow(reader) && take_queued(reader, event);
}
