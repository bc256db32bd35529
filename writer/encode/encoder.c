/*
 * Functions that encoders share, and the list of encoders. Pure; runs in any of the writer's
 * threads.
 */
#include "writer/encode/encoder.h"

#include <stdio.h>

#define ALWAYS __attribute__((always_inline))

const struct dft_encoder *dft_encoder_of(unsigned format)
{
#define ENCODER(constant, name) &dft_encoder_##name,
    static const struct dft_encoder *const encoders[] = {DFT_TRACE_FORMATS(ENCODER)};
#undef ENCODER

    return encoders[format < DFT_FORMATS ? format : DFT_FORMAT_JSON];
}

void dft_encoder_site(const struct dft_trace_start *start, uint32_t id, struct dft_site_view *site,
                      char unknown[DFT_UNKNOWN_SITE_SIZE])
{
    if (start->sites.read(start->sites.source, id, site))
        return;
    snprintf(unknown, DFT_UNKNOWN_SITE_SIZE, "site %u", id);
    *site = (struct dft_site_view){.name = unknown,
                                   .category = "unknown",
                                   .linkage = "",
                                   .file = "",
                                   .parameters = "",
                                   .values = "",
                                   .types = "",
                                   .rule = "",
                                   .locals = "",
                                   .guest_module = "",
                                   .language = "",
                                   .stack_size = ""};
}

struct dft_event_name dft_encoder_event_name(const struct dft_trace_start *start,
                                             const struct dft_call *call,
                                             const struct dft_attached *attached)
{
    const unsigned char *at = attached->bytes, *end = at + attached->length;
    struct dft_attachment_view view;
    struct dft_site_view site;

    struct dft_event_name name = {.category = "APP", .file = "", .unit = ""};
    if (call->site && start->sites.read(start->sites.source, call->site, &site))
        return (struct dft_event_name){.name = site.name,
                                       .category = site.category,
                                       .file = site.file,
                                       .unit = site.types,
                                       .length = strlen(site.name),
                                       .line = site.line};
    while (dft_attachments_next(&at, end, &view))
        if (view.kind == DFT_ATTACHMENT_NAME) {
            name.name = (const char *)view.bytes;
            name.length = view.length;
            return name;
        }
    name.name = name.category = "unknown";
    name.length = strlen(name.name);
    return name;
}

bool dft_encoder_track(const struct dft_trace_start *start, int32_t tid, struct dft_track *track)
{
    struct dft_site_view site;

    if (tid < DFT_TRACK_TID)
        return false;
    *track = (struct dft_track){.name = "unknown", .path = "unknown"};
    if (start->sites.read(start->sites.source, (uint32_t)(tid - DFT_TRACK_TID), &site))
        *track = (struct dft_track){.name = site.name,
                                    .path = site.linkage,
                                    .parent = site.line && site.line <= DFT_SITE_MAX
                                                  ? DFT_TRACK_TID + (int32_t)site.line
                                                  : 0};
    return true;
}

const char *dft_encoder_thread_name(const struct dft_trace_start *start,
                                    const struct dft_thread_name *thread)
{
    struct dft_track track;
    struct dft_site_view site;

    if (dft_encoder_track(start, thread->tid, &track))
        return track.path;
    if (thread->label == 0)
        return thread->name;
    return start->sites.read(start->sites.source, thread->label, &site) ? site.name : "unknown";
}

struct unit {
    uint64_t ns, offset_ns;
};

static inline ALWAYS uint64_t in_units(uint64_t ns, struct unit unit)
{
    return (ns + unit.offset_ns) / unit.ns;
}

static inline ALWAYS bool is_tie(const struct dft_call *a, const struct dft_call *b,
                                 const char *attached, struct unit unit)
{
    return in_units(a->start_ns, unit) == in_units(b->start_ns, unit) &&
           in_units(a->end_ns, unit) == in_units(b->end_ns, unit) &&
           dft_call_tid(a, attached) == dft_call_tid(b, attached) &&
           dft_call_kind(a, attached) == DFT_RECORDED_CALL &&
           dft_call_kind(b, attached) == DFT_RECORDED_CALL;
}

static void reverse(struct dft_call *first, struct dft_call *last)
{
    for (; first < last; first++, last--) {
        struct dft_call call = *first;
        *first = *last;
        *last = call;
    }
}

static inline ALWAYS void order(struct dft_member *member, struct unit unit)
{
    struct dft_call *calls = member->calls;
    size_t count = member->call_count;

    for (size_t first = 0, last; first + 1 < count; first = last + 1) {
        last = first;
        while (last + 1 < count && is_tie(&calls[first], &calls[last + 1], member->attached, unit))
            last++;
        reverse(&calls[first], &calls[last]);
    }
}

void dft_encoder_put_parents_first(struct dft_member *member, uint64_t unit_ns, uint64_t offset_ns)
{
    if (member->is_ordered) /* the member has failed before and is encoded again */
        return;
    if (unit_ns == 1) /* constant: the compiler removes the divisions */
        order(member, (struct unit){1, 0});
    else
        order(member, (struct unit){unit_ns, offset_ns});
    member->is_ordered = true;
}
