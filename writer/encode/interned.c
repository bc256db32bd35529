/* Interned strings: see interned.h. Pure; runs in any of the writer's threads. */
#include "writer/encode/interned.h"
#include "writer/encode/protobuf.h"

#define SLOTS_AT_FIRST 256
#define REPEATED_MAX 128 /* longer values of annotations are never interned */

/* Fields of InternedData, and of its entries. */
enum {
    DATA_CATEGORIES = 1,
    DATA_NAMES = 2,
    DATA_KEYS = 3,
    DATA_LOCATIONS = 4,
    DATA_TEXTS = 29,
    ENTRY_NUMBER = 1,
    ENTRY_TEXT = 2,
    LOCATION_FILE = 2,
    LOCATION_FUNCTION = 3,
    LOCATION_LINE = 4,
};

struct slot {
    uint32_t hash, generation;
    uint32_t at, length; /* in `text` */
    uint32_t number;
    uint32_t kind;
};

static size_t slot_count(const struct dft_interned *all)
{
    return all->slots.used / sizeof(struct slot);
}

static uint32_t hash_of(enum dft_interned_kind kind, const char *text, size_t length)
{
    uint32_t hash = 2166136261u + (uint32_t)kind;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* The slot of this string, or the free slot in which it belongs. */
static struct slot *find(const struct dft_interned *all, enum dft_interned_kind kind,
                         const char *text, size_t length, uint32_t hash)
{
    struct slot *slots = (struct slot *)all->slots.data;
    size_t mask = slot_count(all) - 1, at = hash & mask;

    for (;; at = (at + 1) & mask)
        if (slots[at].generation != all->generation ||
            (slots[at].hash == hash && slots[at].length == length && slots[at].kind == kind &&
             memcmp(all->text.data + slots[at].at, text, length) == 0))
            return &slots[at];
}

/* Doubles the table. */
static bool grow(struct dft_interned *all)
{
    size_t count = slot_count(all), wanted = count ? 2 * count : SLOTS_AT_FIRST;
    struct dft_buffer larger = {0};

    if (!dft_buffer_reserve(&larger, wanted * sizeof(struct slot)) || !larger.data)
        return false;
    larger.used = wanted * sizeof(struct slot); /* fresh pages are zero */
    const struct slot *old = (const struct slot *)all->slots.data;
    struct slot *slots = (struct slot *)larger.data;
    for (size_t i = 0; i < count; i++) {
        size_t at = old[i].hash & (wanted - 1);
        if (old[i].generation != all->generation)
            continue;
        while (slots[at].generation)
            at = (at + 1) & (wanted - 1);
        slots[at] = old[i];
    }
    dft_buffer_release(&all->slots);
    all->slots = larger;
    return true;
}

static bool add_entry(struct dft_interned *all, enum dft_interned_kind kind, const char *text,
                      size_t length, uint32_t number)
{
    static const unsigned fields[DFT_INTERNED_KINDS] = {DATA_CATEGORIES, DATA_NAMES, DATA_KEYS,
                                                        DATA_TEXTS};
    size_t begin;

    return dft_pb_begin(&all->added, fields[kind], &begin) &&
           dft_pb_append_number(&all->added, ENTRY_NUMBER, number) &&
           dft_pb_append_text(&all->added, ENTRY_TEXT, text, length) &&
           dft_pb_end(&all->added, begin);
}

void dft_interned_begin_sequence(struct dft_interned *all)
{
    all->generation++;
    all->count = all->text.used = all->added.used = 0;
    all->locations = 0;
    memset(all->latest, 0, sizeof all->latest);
}

bool dft_intern(struct dft_interned *all, enum dft_interned_kind kind, const char *text,
                size_t length, uint32_t *number)
{
    bool is_value = kind == DFT_INTERNED_TEXT;
    uint32_t hash = hash_of(kind, text, length);

    *number = 0;
    if (is_value && length > REPEATED_MAX)
        return true;
    if ((all->count >= slot_count(all) / 2 && !grow(all)) || !all->slots.data)
        return false;
    struct slot *slot = find(all, kind, text, length, hash);
    bool is_new = slot->generation != all->generation;
    if (is_new) {
        if (!dft_buffer_reserve(&all->text, length + 1))
            return false;
        *slot = (struct slot){.hash = hash,
                              .generation = all->generation,
                              .at = (uint32_t)all->text.used,
                              .length = (uint32_t)length,
                              .kind = kind};
        dft_put_bytes(&all->text, text, length);
        all->count++;
    }
    if (slot->number == 0 && (!is_value || !is_new)) {
        slot->number = ++all->latest[kind];
        if (!add_entry(all, kind, text, length, slot->number))
            return false;
    }
    *number = slot->number;
    return true;
}

bool dft_intern_location(struct dft_interned *all, const struct dft_site_view *site,
                         uint32_t *number)
{
    size_t begin;

    *number = ++all->locations;
    return dft_pb_begin(&all->added, DATA_LOCATIONS, &begin) &&
           dft_pb_append_number(&all->added, ENTRY_NUMBER, *number) &&
           dft_pb_append_string(&all->added, LOCATION_FILE, site->file) &&
           (site->flags & DFT_SITE_EVENT ||
            dft_pb_append_string(&all->added, LOCATION_FUNCTION, site->name)) &&
           dft_pb_append_number(&all->added, LOCATION_LINE, site->line) &&
           dft_pb_end(&all->added, begin);
}

void dft_interned_release(struct dft_interned *all)
{
    dft_buffer_release(&all->slots);
    dft_buffer_release(&all->text);
    dft_buffer_release(&all->added);
}
