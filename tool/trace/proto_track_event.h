/*
 * Reads a TrackEvent, the message that holds an event in Perfetto's format. proto_events.c makes
 * events of it.
 */
#ifndef DFT_TOOL_TRACE_PROTO_TRACK_EVENT_H
#define DFT_TOOL_TRACE_PROTO_TRACK_EVENT_H

#include "tool/trace/proto_internal.h"

#define DFT_PROTO_FLOWS_MAX 16

enum dft_proto_track_event_type {
    DFT_PROTO_TYPE_NONE,
    DFT_PROTO_TYPE_BEGIN,
    DFT_PROTO_TYPE_END,
    DFT_PROTO_TYPE_INSTANT,
    DFT_PROTO_TYPE_COUNTER,
};

struct dft_proto_flow {
    uint64_t id;
    bool ends;
};

/* What a TrackEvent says. */
struct dft_proto_track_event {
    uint64_t type;
    bool has_track;
    uint64_t track;
    struct dft_text name, category;
    const struct dft_proto_interned *place;
    bool has_value, is_double;
    int64_t value;
    double real;
    uint64_t extra_tracks[DFT_PROTO_EXTRA_MAX];
    int64_t extra_values[DFT_PROTO_EXTRA_MAX];
    size_t extra_track_count, extra_value_count;
    struct dft_proto_flow flows[DFT_PROTO_FLOWS_MAX];
    size_t flow_count;
    size_t first_arg;
    char legacy_phase;
};

/* Adds to `read`. False if the message is damaged. */
bool dft_proto_read_track_event(struct dft_proto *proto, const struct dft_proto_sequence *sequence,
                                struct dft_proto_message message,
                                struct dft_proto_track_event *read);

#endif
