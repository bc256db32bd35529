/*
 * Events for names that are not known at compile time: a table that only grows, so that finding an
 * event needs no lock. There are at most DFT_EVENT_NAMES_MAX of them.
 *
 * Runs in traced threads, signal handlers included. Keeps errno. The first use of a name takes the
 * private heap's lock, inside a guard.
 */
#include "runtime/events/named_events.h"
#include "runtime/base/guard.h"
#include "runtime/base/private_heap.h"
#include "runtime/base/tls.h"
#include "runtime/events/event_info.h"
#include "runtime/events/event_names.h"
#include "runtime/events/mishaps.h"
#include "runtime/library.h"
#include "runtime/session/thread.h"
#include "runtime/sites/sites.h"
#include "spool/format.h"

#include <string.h>
#include <sys/mman.h>

#define MADE_SIZE (4 * (size_t)DFT_EVENT_NAMES_MAX)

struct made_event {
    struct dftrace_event event;
    struct made_event *next;
};

/* Entries are only added, so a thread that finds one needs no lock. */
typedef struct made_event *_Atomic made_place;
static made_place *_Atomic made_events;
static struct made_event *all_made;
static uint32_t made_count;

/* Without room for another name, or without memory. */
struct dftrace_event dft_event_others = {
    .site = {.on = 1, .flags = DFTRACE_SITE_EVENT | DFTRACE_SITE_ARGS},
    .name = "dftrace: another name"};
static struct dftrace_event nothing;

/* The name that this thread has looked up last, if it got dft_event_others. */
static DFT_TLS char *last_name;
#define LAST_NAME_SIZE 4096

static bool is_same_part(const char *own, const char *other, size_t most)
{
    size_t length = strlen(own);

    return strncmp(own, other, length) == 0 &&
           (other[length] == '\0' || dft_event_names_length(other, most) == length);
}

static uint32_t hash_parts(const char *const *parts, const size_t *sizes, size_t count)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < count; i++) {
        for (size_t at = 0; at < sizes[i]; at++)
            hash = (hash ^ (unsigned char)parts[i][at]) * 16777619u;
        hash = (hash ^ 0xff) * 16777619u;
    }
    return hash ^ hash >> 15;
}

/* The place of an event in the table: its own, or the free one that it would get. */
static made_place *find_place(made_place *table, const char *const *parts, uint32_t hash)
{
    for (size_t at = hash & (MADE_SIZE - 1);; at = (at + 1) & (MADE_SIZE - 1)) {
        const struct made_event *made = atomic_load_explicit(&table[at], memory_order_acquire);
        if (!made || (is_same_part(made->event.name, parts[0], DFT_EVENT_NAME_SIZE) &&
                      is_same_part(made->event.category, parts[1], DFT_EVENT_CATEGORY_SIZE) &&
                      is_same_part(made->event.unit, parts[2], DFT_EVENT_CATEGORY_SIZE)))
            return &table[at];
    }
}

/* The private heap aligns to 16 bytes only. This memory is never freed. */
static void *alloc_aligned(size_t size)
{
    const uintptr_t alignment = _Alignof(struct made_event);
    char *memory = dft_private_heap_calloc(1, size + alignment);

    return memory ? (void *)(((uintptr_t)memory + alignment - 1) & -alignment) : NULL;
}

/* While holding the private heap's lock. */
static struct made_event *make_event(const char *const *parts)
{
    struct dft_event_description described = {
        .name = parts[0], .category = parts[1], .unit = parts[2]};
    struct made_event *made = alloc_aligned(sizeof *made);
    struct dft_counter_sum *counter = dft_private_heap_calloc(1, sizeof *counter);
    struct dft_event_info *info = dft_event_info_make(&described);

    if (!made || !info || !counter)
        return NULL; /* what there is of it is too little to matter */
    info->counter = counter;
    struct dftrace_event *event = &made->event;
    event->name = info->text;
    event->category = dft_text_part(info->text, DFTRACE_TEXT_CATEGORY);
    event->unit = dft_text_part(info->text, DFTRACE_TEXT_TYPES);
    event->site.flags = DFTRACE_SITE_EVENT | DFTRACE_SITE_ARGS;
    event->site.known = DFT_SITE_REGISTERED;
    event->site.text = info->text;
    dft_sites_add_event(&event->site);
    made->next = all_made;
    all_made = made;
    return made;
}

static made_place *map_made_events(void)
{
    made_place *table = atomic_load(&made_events);

    if (table)
        return table;
    void *memory = mmap(NULL, MADE_SIZE * sizeof *table, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    table = memory;
    atomic_store(&made_events, table);
    return table;
}

/* While holding the private heap's lock. NULL: there is no room. */
static struct dftrace_event *find_or_make(const char *const *parts, uint32_t hash)
{
    made_place *table = map_made_events();
    made_place *place = table ? find_place(table, parts, hash) : NULL;
    struct made_event *made = place ? atomic_load(place) : NULL;

    if (made || !place || made_count >= DFT_EVENT_NAMES_MAX)
        return made ? &made->event : NULL;
    made = make_event(parts);
    if (!made)
        return NULL;
    made_count++;
    atomic_store_explicit(place, made, memory_order_release);
    return &made->event;
}

/* Keeps the name for the event that the thread records next. */
static void keep_last_name(const char *name)
{
    if (!last_name) {
        void *memory =
            mmap(NULL, LAST_NAME_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return;
        last_name = memory;
    }
    size_t length = dft_event_names_length(name, DFT_EVENT_NAME_SIZE);
    memcpy(last_name, name, length);
    last_name[length] = '\0';
}

const char *dft_named_events_name(const struct dftrace_event *event)
{
    return event == &dft_event_others && last_name ? last_name : event->site.text;
}

void dft_named_events_release(void)
{
    char *memory = last_name;

    last_name = NULL;
    if (memory)
        munmap(memory, LAST_NAME_SIZE);
}

static struct dftrace_event *make_slowly(const char *const *parts, uint32_t hash)
{
    struct dftrace_event *event = NULL;
    struct dft_guard guard;
    bool outer = dft_busy;

    dft_guard_enter(&guard);
    dft_busy = true;
    if (dft_private_heap_lock()) {
        event = find_or_make(parts, hash);
        dft_private_heap_unlock();
    }
    if (event)
        dft_library_begin(1);
    else
        keep_last_name(parts[0]);
    dft_busy = outer;
    dft_guard_leave(&guard);
    return event;
}

struct dftrace_event *dft_named_events_find(const char *name, const char *category,
                                            const char *unit)
{
    if (!dft_library_is_enabled())
        return &nothing;
    if (!name || !*name) {
        dft_mishaps_count(DFT_MISHAP_NAME);
        name = "?";
    }
    const char *parts[] = {name, dft_event_info_category(category), unit ? unit : ""};
    size_t sizes[] = {dft_event_names_length(parts[0], DFT_EVENT_NAME_SIZE),
                      dft_event_names_length(parts[1], DFT_EVENT_CATEGORY_SIZE),
                      dft_event_names_length(parts[2], DFT_EVENT_CATEGORY_SIZE)};
    uint32_t hash = hash_parts(parts, sizes, sizeof parts / sizeof *parts);
    made_place *table = atomic_load_explicit(&made_events, memory_order_acquire);
    struct made_event *made =
        table ? atomic_load_explicit(find_place(table, parts, hash), memory_order_acquire) : NULL;
    struct dftrace_event *event = made ? &made->event : make_slowly(parts, hash);
    if (event)
        return event;
    dft_mishaps_count(DFT_MISHAP_NAMES);
    return &dft_event_others;
}

void dft_named_events_visit(void (*change)(struct dftrace_site *, void *), void *argument)
{
    for (struct made_event *made = all_made; made; made = made->next)
        change(&made->event.site, argument);
}
