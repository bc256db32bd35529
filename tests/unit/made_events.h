/*
 * A program's own events in spools made by hand: values of every type, regions, instants, counters,
 * flows, metadata, names of threads, tracks.
 */
#ifndef DFT_MADE_EVENTS_H
#define DFT_MADE_EVENTS_H

#include "dftrace/events.h"
#include "made_spool.h"
#include "spool/attachments.h"
#include "spool/fields.h"

struct made_fields {
    unsigned char bytes[900];
    struct dft_fields fields;
};

static inline void begin_fields(struct made_fields *made)
{
    made->fields = (struct dft_fields){made->bytes, sizeof made->bytes};
}

/* The entry of an event, a key or a track. `unit` is that of a counter, else empty. */
static inline uint32_t make_event_name(struct dft_spool *spool, const char *name,
                                       const char *category, const char *file, uint32_t line,
                                       const char *unit)
{
    char text[512] = {0}, *at = text;
    const char *parts[] = {name, "", file, "", category, "", unit, "", ""};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        at = stpcpy(at, parts[i]) + 1;
    return dft_spool_intern_site(spool, text, line, DFT_SITE_EVENT);
}

/* The tid of a new track. `parent` is the tid of the track around it, or 0. */
static inline int32_t make_track_name(struct dft_spool *spool, const char *name, const char *path,
                                      int32_t parent)
{
    char text[512] = {0};
    size_t length = strlen(name) + 1;

    memcpy(text, name, length);
    snprintf(text + length, sizeof text - length, "%s", path);
    return DFT_TRACK_TID +
           (int32_t)dft_spool_intern_site(
               spool, text, parent ? (uint32_t)(parent - DFT_TRACK_TID) : 0, DFT_SITE_EVENT);
}

static inline struct dft_field_key make_key(struct dft_spool *spool, const char *name)
{
    return (struct dft_field_key){.number = make_event_name(spool, name, "", "", 0, "")};
}

static inline struct dft_field_key inline_key(const char *name)
{
    return (struct dft_field_key){DFT_FIELD_INLINE_KEY, (uint32_t)strlen(name), name};
}

static inline void put_number(struct made_fields *made, struct dft_field_key key,
                              enum dft_field_type type, uint64_t bits)
{
    dft_fields_put(&made->fields, key, type, bits);
}

static inline void put_double(struct made_fields *made, struct dft_field_key key, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    dft_fields_put(&made->fields, key, DFT_FIELD_DOUBLE, bits);
}

static inline void put_text(struct made_fields *made, struct dft_field_key key, const char *text)
{
    dft_fields_put_text(&made->fields, key, text, strlen(text));
}

static inline void make_event(struct dft_thread *thread, enum dft_record_kind kind, uint32_t site,
                              uint64_t at, uint64_t value, uint32_t detail,
                              const struct made_fields *made)
{
    struct dft_attachments all = {.used = 0};
    struct dft_record *record = thread->next;

    if (made)
        dft_attachments_add(&all, DFT_ATTACHMENT_FIELDS, made->bytes,
                            (size_t)(made->fields.at - made->bytes));
    thread->next += dft_attachments_units(&all);
    dft_attachments_record_as(record, kind, &all, site, at, value);
    record->duration = detail;
}

static inline void make_region(struct dft_thread *thread, uint32_t site, uint64_t start,
                               uint64_t duration, const struct made_fields *made)
{
    make_event(thread, DFT_RECORD_ATTACHED, site, start, duration, 0, made);
}

static inline void make_instant(struct dft_thread *thread, uint32_t site, uint64_t at,
                                const struct made_fields *made)
{
    make_event(thread, DFT_RECORD_INSTANT, site, at, 0, 0, made);
}

static inline void make_counter(struct dft_thread *thread, uint32_t site, uint64_t at,
                                enum dftrace_type type, uint64_t bits)
{
    make_event(thread, DFT_RECORD_COUNTER, site, at, bits, type, NULL);
}

static inline void make_double_counter(struct dft_thread *thread, uint32_t site, uint64_t at,
                                       double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    make_counter(thread, site, at, DFTRACE_TYPE_DOUBLE, bits);
}

static inline void make_flow(struct dft_thread *thread, uint64_t at, char phase, uint64_t id)
{
    make_event(thread, DFT_RECORD_FLOW, 0, at, id, (uint32_t)phase, NULL);
}

/* --- a spool with all of them ----------------------------------------------------------------- */

/* Values of every type, in lists and maps, with keys that are not unique or not valid UTF-8. */
static inline void put_every_type(struct dft_spool *spool, struct made_fields *made)
{
    const struct dft_field_key none = {.number = DFT_FIELD_NO_KEY};

    begin_fields(made);
    put_text(made, make_key(spool, "file"), "/data/\xff.bin");
    put_number(made, make_key(spool, "bytes"), DFT_FIELD_INT, (uint64_t)-5);
    put_number(made, make_key(spool, "most"), DFT_FIELD_UINT, UINT64_MAX);
    put_number(made, make_key(spool, "few"), DFT_FIELD_UINT, 7);
    put_double(made, make_key(spool, "rate"), 0.1);
    put_double(made, make_key(spool, "none"), 0.0 / 0.0);
    put_number(made, make_key(spool, "yes"), DFT_FIELD_TRUE, 0);
    put_number(made, make_key(spool, "no"), DFT_FIELD_FALSE, 0);
    put_number(made, make_key(spool, "nothing"), DFT_FIELD_NULL, 0);
    put_number(made, make_key(spool, "where"), DFT_FIELD_POINTER, 0xdeadbeef);
    put_number(made, make_key(spool, "list"), DFT_FIELD_LIST, 0);
    put_number(made, none, DFT_FIELD_INT, 1);
    put_number(made, none, DFT_FIELD_MAP, 0);
    put_text(made, inline_key("a \"b\"\xc3"), "x");
    put_text(made, inline_key("a \"b\"\xc3"), "y");
    put_number(made, none, DFT_FIELD_END, 0);
    put_number(made, none, DFT_FIELD_LIST, 0);
    put_number(made, none, DFT_FIELD_END, 0);
    put_number(made, none, DFT_FIELD_END, 0);
    put_text(made, inline_key("few"), "again");
}

static inline void fill_regions(struct dft_spool *spool, struct dft_thread *thread)
{
    uint32_t f = make_site(spool, "f"), load = make_event_name(spool, "load", "IO", "b.c", 12, "");
    struct made_fields made;

    put_every_type(spool, &made);
    make_call(thread, f, 2100, 100);
    make_region(thread, load, 2000, 500, &made);
    begin_fields(&made);
    put_number(&made, make_key(spool, "step"), DFT_FIELD_INT, 3);
    make_instant(thread, make_event_name(spool, "checkpoint", "APP", "b.c", 13, ""), 2600, &made);
    make_instant(thread, make_event_name(spool, "mark", "APP", "b.c", 14, ""), 2600, NULL);
    make_call(thread, load, 2550, 100); /* a region without values */
    make_open_call(thread, load, 1500);
}

static inline void fill_counters(struct dft_spool *spool, struct dft_thread *thread)
{
    uint32_t loss = make_event_name(spool, "loss", "APP", "b.c", 20, "");
    uint32_t bytes = make_event_name(spool, "read", "IO", "b.c", 21, "bytes");

    make_double_counter(thread, loss, 2700, 0.31);
    make_double_counter(thread, loss, 2701, 1e300);
    make_counter(thread, bytes, 2702, DFTRACE_TYPE_INT, (uint64_t)-7);
    make_counter(thread, bytes, 2703, DFTRACE_TYPE_UINT, INT64_MAX);
}

static inline void fill_flows(struct dft_spool *spool, struct dft_thread *first,
                              struct dft_thread *second)
{
    uint32_t f = make_site(spool, "f"), g = make_site(spool, "g");

    make_flow(first, 2810, 's', UINT64_C(0x8000000000000001));
    make_call(first, f, 2800, 30);
    make_flow(second, 2910, 't', UINT64_C(0x8000000000000001));
    make_call(second, g, 2900, 30);
    make_flow(second, 2960, 'f', UINT64_C(0x8000000000000001));
    make_call(second, g, 2950, 30);
}

static inline struct dft_thread *make_track(struct dft_spool *spool, int32_t tid)
{
    struct dft_thread *track = make_thread(spool, tid);

    track->naming = DFT_NAMED_TRACK;
    track->label = (uint32_t)(tid - DFT_TRACK_TID);
    make_chunk(spool, track);
    return track;
}

static inline void fill_tracks(struct dft_spool *spool)
{
    int32_t gpu = make_track_name(spool, "GPU 0", "GPU 0", 0);
    int32_t copy = make_track_name(spool, "copy queue", "GPU 0/copy queue", gpu);
    uint32_t kernel = make_event_name(spool, "kernel", "GPU", "c.c", 1, "");
    struct dft_thread *outer = make_track(spool, gpu), *inner = make_track(spool, copy);
    struct made_fields made;

    begin_fields(&made);
    put_number(&made, make_key(spool, "bytes"), DFT_FIELD_INT, 64);
    make_call(outer, kernel, 2000, 900);
    make_region(inner, make_event_name(spool, "upload", "GPU", "c.c", 2, ""), 2100, 50, &made);
    make_instant(inner, make_event_name(spool, "full", "GPU", "c.c", 3, ""), 2200, NULL);
}

/* Everything that a program can record with dftrace.h. */
static inline void fill_events(struct dft_spool *spool)
{
    struct dft_thread *first = make_thread(spool, 42), *second = make_thread(spool, 43);
    struct made_fields made;

    make_chunk(spool, first);
    make_chunk(spool, second);
    fill_regions(spool, first);
    fill_counters(spool, first);
    fill_flows(spool, first, second);
    begin_fields(&made);
    put_text(&made, make_key(spool, "dataset"), "imagenet \xe2\x82");
    make_event(first, DFT_RECORD_METADATA, 0, 2990, 0, 0, &made);
    uint32_t name = make_event_name(spool, "loader", "", "", 0, "");
    make_event(second, DFT_RECORD_THREAD_NAME, name, 2990, 0, 0, NULL);
    second->naming = DFT_NAMED_BY_PROGRAM;
    second->label = name;
    fill_tracks(spool);
}

#endif
