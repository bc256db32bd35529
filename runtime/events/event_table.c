/*
 * The table of events in the program's data, perhaps in a library that is unloaded later. So an event
 * is touched only by a thread that uses it, or during a walk over the modules; and then only if its
 * text still is the one that it was given.
 *
 * Runs in traced threads, signal handlers included, at the first use of each event: inside a guard,
 * while holding the private heap's lock. Keeps errno.
 */
#include "runtime/events/event_table.h"
#include "runtime/base/guard.h"
#include "runtime/base/private_heap.h"
#include "runtime/events/event_info.h"
#include "runtime/events/mishaps.h"
#include "runtime/events/named_events.h"
#include "runtime/library.h"
#include "runtime/session/thread.h"
#include "runtime/sites/sites.h"
#include "runtime/symbols/loaded_modules.h"

struct known_event {
    struct dftrace_event *event; /* NULL: free */
    const char *text;            /* that it was given */
};

static struct known_event *known;
static size_t known_count, known_size; /* the size is a power of two */

static struct known_event *find_known(struct known_event *table, size_t size,
                                      const struct dftrace_event *event)
{
    size_t at = ((uintptr_t)event / sizeof *event * 0x9e3779b97f4a7c15u >> 20) & (size - 1);

    while (table[at].event && table[at].event != event)
        at = (at + 1) & (size - 1);
    return &table[at];
}

static bool grow_known(void)
{
    size_t size = known_size ? 2 * known_size : 64;
    struct known_event *table = dft_private_heap_calloc(size, sizeof *table);

    if (!table)
        return false;
    for (size_t i = 0; i < known_size; i++)
        if (known[i].event)
            *find_known(table, size, known[i].event) = known[i];
    dft_private_heap_free(known);
    known = table;
    known_size = size;
    return true;
}

/* A library that was opened again has its events at the same addresses as before. */
static bool note_known(struct dftrace_event *event)
{
    if (known_count >= known_size / 2 && !grow_known())
        return false;
    struct known_event *place = find_known(known, known_size, event);
    known_count += !place->event;
    *place = (struct known_event){event, event->site.text};
    return true;
}

/* --- meeting -------------------------------------------------------------------------------- */

/* While holding the private heap's lock. */
static bool add_static(struct dftrace_event *event)
{
    struct dft_event_description described = {.name = event->name ? event->name : "?",
                                              .category = dft_event_info_category(event->category),
                                              .file = event->file,
                                              .unit = event->unit};
    struct dft_event_info *info = dft_event_info_make(&described);

    if (!info)
        return false;
    event->site.id = event->site.own_id = 0;
    event->site.known = DFT_SITE_REGISTERED;
    event->site.text = info->text;
    dft_sites_add_event(&event->site);
    return note_known(event);
}

/* A counter has the text and the value of the event that is made for its name. */
static bool add_counter(struct dftrace_event *event)
{
    const char *unit = event->unit ? event->unit : "";
    const struct dftrace_event *made =
        dft_named_events_find(event->name, dft_event_info_category(event->category), unit);

    if (!made->site.text || made == &dft_event_others || !dft_private_heap_lock())
        return false;
    event->site.line = 0;
    event->site.id = event->site.own_id = 0;
    event->site.known = DFT_SITE_REGISTERED;
    event->site.text = made->site.text;
    dft_sites_add_event(&event->site);
    bool noted = note_known(event);
    dft_private_heap_unlock();
    return noted;
}

static bool add(struct dftrace_event *event, bool is_counter)
{
    bool added = true;

    if (is_counter && event != &dft_event_others)
        return add_counter(event);
    if (!dft_private_heap_lock())
        return false;
    if (!event->site.text)
        added = add_static(event);
    dft_private_heap_unlock();
    return added;
}

bool dft_event_table_meet(struct dftrace_event *event, bool is_counter)
{
    struct dft_guard guard;
    bool outer = dft_busy;

    if (outer)
        return false;
    dft_guard_enter(&guard);
    dft_busy = true;
    bool added = add(event, is_counter);
    if (added)
        dft_library_begin(1);
    else
        dft_mishaps_count(DFT_MISHAP_EVENT);
    dft_busy = outer;
    dft_guard_leave(&guard);
    return added && event->site.on;
}

/* --- visiting ------------------------------------------------------------------------------- */

void dft_event_table_visit(const struct dl_phdr_info *module,
                           void (*change)(struct dftrace_site *, void *), void *argument)
{
    for (size_t i = 0; i < known_size; i++) {
        struct dftrace_event *event = known[i].event;
        if (!event || !dft_loaded_modules_contain(module, (uintptr_t)event) ||
            event->site.text != known[i].text)
            continue;
        change(&event->site, argument);
        known[i].text = event->site.text;
    }
}
