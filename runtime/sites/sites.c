/*
 * Switches sites on and off. Runs in constructors, in threads that call the API, and in the control
 * thread. Hooks use only dft_sites_add_made, dft_sites_find and dft_sites_throttle.
 *
 * Another thread may unload a module at any time. So sites are accessed only during a walk
 * (module_walk.c), in which the loader unmaps nothing. There are two exceptions: dft_sites_add and
 * dft_sites_find, whose module is running a constructor or a function.
 */
#include "runtime/sites/sites.h"
#include "runtime/base/big_stack.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/base/private_heap.h"
#include "runtime/events/event_info.h"
#include "runtime/events/event_table.h"
#include "runtime/events/named_events.h"
#include "runtime/hooks/slow_path.h"
#include "runtime/session/thread.h"
#include "runtime/sites/run_allowlist.h"
#include "runtime/symbols/loaded_modules.h"
#include "runtime/symbols/module_walk.h"
#include "spool/format.h"
#include "text/edit_distance.h"

#include <stdint.h>
#include <string.h>

#define OVERRIDES_MAX 1024

struct range {
    struct dftrace_site *begin, *end; /* all sites of one module */
};

/* One call of dftrace_enable or dftrace_disable. The last override that matches a site decides. */
struct override {
    char *what;
    struct dft_allowlist *rule; /* NULL: the text can only be a category */
    bool on;
};

static struct range *ranges;
static size_t range_count;
static struct dft_made_site *made_sites;
static struct override *overrides;
static size_t override_count;
static bool recording;

void (*dft_sites_relisted)(void);

static void mark(struct dftrace_site *site, unsigned bit, bool set)
{
    site->known = (uint8_t)(set ? site->known | bit : site->known & ~bit);
}

static bool is_chosen(const struct dftrace_site *site)
{
    return !(site->known & (DFT_SITE_UNLISTED | DFT_SITE_DISABLED));
}

static void settle(struct dftrace_site *site)
{
    site->on = recording && is_chosen(site);
}

static bool is_event(const struct dftrace_site *site)
{
    return site->flags & DFTRACE_SITE_EVENT;
}

/* The names of a guest's function, and whether a list names it: NULL is the run's allowlist. */
static void name_guest(const struct dftrace_site *site, struct dft_guest_names *names)
{
    const struct dft_guest_site *guest = (const struct dft_guest_site *)site;

    dft_guest_names_make(names, guest->name, site->text,
                         dft_text_part(site->text, (enum dftrace_site_text)DFT_GUEST_MODULE));
}

static bool names_guest(const struct dft_allowlist *list, const struct dftrace_site *site)
{
    const char *file = dft_site_text(site, DFTRACE_TEXT_FILE);
    struct dft_guest_names names;
    struct dft_verdict verdict;

    name_guest(site, &names);
    if (list)
        return dft_run_allowlist_names_guest(list, &names, file);
    dft_run_allowlist_judge_guest(&names, file, &verdict);
    return verdict.traced;
}

static bool aggregates_guest(const struct dftrace_site *site)
{
    struct dft_guest_names names;

    name_guest(site, &names);
    return dft_run_allowlist_aggregates_guest(&names, dft_site_text(site, DFTRACE_TEXT_FILE));
}

static bool is_named(const struct dft_allowlist *rule, const struct dftrace_site *site)
{
    if (site->flags & DFTRACE_SITE_GUEST)
        return names_guest(rule, site);
    if (site->flags & DFTRACE_SITE_IO)
        return dft_run_allowlist_names_io(rule, site->text);
    return is_event(site) ? dft_run_allowlist_names_region(rule, site->text)
                          : dft_run_allowlist_names(rule, site->text);
}

static void apply_override(struct dftrace_site *site, const struct override *override)
{
    if (strcmp(dft_site_text(site, DFTRACE_TEXT_CATEGORY), override->what) == 0 ||
        (override->rule && is_named(override->rule, site)))
        mark(site, DFT_SITE_DISABLED, !override->on);
}

static void apply_overrides(struct dftrace_site *site)
{
    for (size_t i = 0; i < override_count; i++)
        apply_override(site, &overrides[i]);
}

/* A change to apply to each site. */
struct change {
    void (*site)(struct dftrace_site *site, void *argument);
    void *argument;
    bool by_name; /* needs names, and therefore the big stack */
    struct range range;
    const struct dl_phdr_info *module; /* NULL: what the runtime has made */
};

static void change_range(void *argument)
{
    const struct change *change = argument;

    for (struct dftrace_site *site = change->range.begin; site < change->range.end; site++)
        change->site(site, change->argument);
}

static void change_events(void *argument)
{
    const struct change *change = argument;

    if (change->module)
        dft_event_table_visit(change->module, change->site, change->argument);
    else
        dft_named_events_visit(change->site, change->argument);
}

static void change_made(void *argument)
{
    const struct change *change = argument;

    for (struct dft_made_site *made = made_sites; made; made = made->next)
        change->site(&made->site, change->argument);
    change_events(argument);
}

static void run(void (*work)(void *), struct change *change)
{
    if (change->by_name)
        dft_big_stack_run(work, change);
    else
        work(change);
}

/* Called while holding the loader's lock. The private heap's lock is taken after the loader's. */
static int change_module(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct change change = *(const struct change *)argument;

    (void)size;
    if (!dft_private_heap_lock())
        return 1;
    for (size_t i = 0; i < range_count; i++)
        if (dft_loaded_modules_contain(info, (uintptr_t)ranges[i].begin)) {
            change.range = ranges[i];
            run(change_range, &change);
        }
    change.module = info;
    run(change_events, &change);
    dft_private_heap_unlock();
    return 0;
}

static void change_all(void (*site)(struct dftrace_site *, void *), void *argument, bool by_name)
{
    struct change change = {site, argument, by_name, {NULL, NULL}, NULL};

    dft_module_walk(change_module, &change);
    if (dft_private_heap_lock()) {
        run(change_made, &change);
        dft_private_heap_unlock();
    }
}

static int forget_if_loaded(struct dl_phdr_info *info, size_t size, void *gone)
{
    bool *is_gone = gone;

    (void)size;
    for (size_t i = 0; i < range_count; i++)
        if (dft_loaded_modules_contain(info, (uintptr_t)ranges[i].begin))
            is_gone[i] = false;
    return 0;
}

/*
 * For each range, whether its module has been unloaded; NULL without memory. Does not hold the
 * private heap's lock during the walk, because the loader's lock is taken before it.
 */
static bool *find_gone_ranges(void)
{
    if (!dft_private_heap_lock())
        return NULL;
    bool *is_gone = dft_private_heap_alloc(range_count + 1);
    dft_private_heap_unlock();
    if (!is_gone)
        return NULL;
    memset(is_gone, true, range_count);
    dft_module_walk(forget_if_loaded, is_gone);
    return is_gone;
}

/*
 * Adds a module's range, while holding the private heap's lock. Removes those ranges that are gone,
 * because the new module may be at the address of one of them.
 */
static bool add_range(struct dftrace_site *begin, struct dftrace_site *end, bool *is_gone)
{
    size_t kept = 0;

    for (size_t i = 0; i < range_count; i++)
        if (!is_gone[i] && ranges[i].begin != begin)
            ranges[kept++] = ranges[i];
    range_count = kept;
    dft_private_heap_free(is_gone);
    struct range *grown = dft_private_heap_realloc(ranges, (range_count + 1) * sizeof *ranges);
    if (!grown)
        return false;
    ranges = grown;
    ranges[range_count++] = (struct range){begin, end};
    return true;
}

static void mark_aggregated(struct dftrace_site *site)
{
    mark(site, DFT_SITE_AGGREGATED,
         dft_run_allowlist_has_aggregated() &&
             (site->flags & DFTRACE_SITE_GUEST ? aggregates_guest(site)
                                               : dft_run_allowlist_aggregates(site->text)));
}

/* For an intercepted call of libc. */
static void list_io(struct dftrace_site *site)
{
    const char *category = dft_site_text(site, DFTRACE_TEXT_CATEGORY);
    bool disabled = (dft_options.disable_posix && strcmp(category, "POSIX") == 0) ||
                    (dft_options.disable_stdio && strcmp(category, "STDIO") == 0);
    struct dft_verdict verdict;

    dft_run_allowlist_judge_plain(DFT_SUBJECT_IO, site->text, &verdict);
    mark(site, DFT_SITE_UNLISTED, disabled || !verdict.traced);
    mark(site, DFT_SITE_AGGREGATED, verdict.traced && verdict.flags & DFTRACE_SITE_AGGREGATE);
}

static bool is_listed(const struct dftrace_site *site)
{
    if (site->flags & DFTRACE_SITE_GUEST)
        return names_guest(NULL, site);
    return !dft_run_allowlist_is_set() || dft_run_allowlist_names(NULL, site->text);
}

static void list_site(struct dftrace_site *site, void *unused)
{
    (void)unused;
    if (site->flags & DFTRACE_SITE_IO) {
        list_io(site);
    } else {
        mark(site, DFT_SITE_UNLISTED, !is_listed(site));
        mark_aggregated(site);
    }
    apply_overrides(site);
    settle(site);
}

unsigned dft_sites_add(struct dftrace_site *begin, struct dftrace_site *end)
{
    struct change change = {list_site, NULL, true, {begin, end}, NULL};
    unsigned chosen = 0;

    mark(begin, DFT_SITE_REGISTERED, true);
    bool *is_gone = find_gone_ranges();
    if (!is_gone || !dft_private_heap_lock()) {
        dft_log(DFT_LEVEL_ERROR, "no memory for the functions of a module; they are not traced");
        return 0;
    }
    if (add_range(begin, end, is_gone)) {
        if (dft_run_allowlist_is_set() || dft_run_allowlist_has_aggregated() || override_count ||
            begin->flags & DFTRACE_SITE_IO)
            run(change_range, &change);
        for (struct dftrace_site *site = begin; site < end; site++) {
            settle(site);
            chosen += is_chosen(site);
        }
    } else {
        dft_log(DFT_LEVEL_ERROR, "no memory for the functions of a module; they are not traced");
    }
    dft_private_heap_unlock();
    return chosen;
}

void dft_sites_add_event(struct dftrace_site *site)
{
    dft_event_info_judge(site);
    apply_overrides(site);
    settle(site);
}

void dft_sites_add_made(struct dft_made_site *made)
{
    mark_aggregated(&made->site);
    apply_overrides(&made->site);
    made->next = made_sites;
    made_sites = made;
    settle(&made->site);
}

struct dftrace_site *dft_sites_find(const struct dft_module *module, const char *linkage)
{
    const struct dl_phdr_info info = {.dlpi_addr = module->bias,
                                      .dlpi_phdr = module->headers,
                                      .dlpi_phnum = (ElfW(Half))module->header_count};

    for (size_t i = 0; i < range_count; i++) {
        if (!dft_loaded_modules_contain(&info, (uintptr_t)ranges[i].begin))
            continue;
        for (struct dftrace_site *site = ranges[i].begin; site < ranges[i].end; site++)
            if (strcmp(site->text + strlen(site->text) + 1, linkage) == 0)
                return site;
    }
    return NULL;
}

static void settle_site(struct dftrace_site *site, void *unused)
{
    (void)unused;
    settle(site);
}

void dft_sites_record(bool on)
{
    if (recording == on)
        return;
    recording = on;
    change_all(settle_site, NULL, false);
}

bool dft_sites_are_recorded(void)
{
    return recording;
}

static void override_site(struct dftrace_site *site, void *override)
{
    apply_override(site, override);
    settle(site);
}

/* A later override with the same text replaces the earlier one. */
static void drop_override(const char *what)
{
    for (size_t i = 0; i < override_count; i++)
        if (strcmp(overrides[i].what, what) == 0) {
            dft_private_heap_free(overrides[i].what);
            dft_allowlist_free(overrides[i].rule);
            memmove(&overrides[i], &overrides[i + 1], (--override_count - i) * sizeof *overrides);
            return;
        }
}

static bool add_override(const char *what, bool on)
{
    drop_override(what);
    if (override_count == OVERRIDES_MAX)
        return false;
    struct override *grown =
        dft_private_heap_realloc(overrides, (override_count + 1) * sizeof *overrides);
    if (!grown)
        return false;
    overrides = grown;
    struct override *last = &overrides[override_count];
    *last = (struct override){dft_private_heap_strdup(what), dft_run_allowlist_rule(what), on};
    if (!last->what)
        return false;
    override_count++;
    return true;
}

bool dft_sites_switch(const char *what, bool on)
{
    if (!dft_private_heap_lock())
        return false;
    bool added = add_override(what, on);
    struct override override = added ? overrides[override_count - 1] : (struct override){0};
    dft_private_heap_unlock();
    if (added)
        change_all(override_site, &override, true);
    return added;
}

static void relist_site(struct dftrace_site *site, void *unused)
{
    (void)unused;
    if (is_event(site)) {
        dft_event_info_judge(site);
    } else if (site->flags & DFTRACE_SITE_IO) {
        list_io(site);
    } else {
        mark(site, DFT_SITE_UNLISTED, !is_listed(site));
        mark_aggregated(site);
    }
    dft_slow_path_style(site);
    settle(site);
}

void dft_sites_relist(void)
{
    change_all(relist_site, NULL, true);
    if (dft_sites_relisted && dft_private_heap_lock()) {
        dft_sites_relisted();
        dft_private_heap_unlock();
    }
}

struct counting {
    uint32_t id, index;
};

/*
 * Stores own_id first, because a hook that sees the new id also reads own_id. Sites of
 * -finstrument-functions are excluded: their exit hook has no token, so it could not tell a counted
 * call from a recorded one.
 */
static void count_calls_of(struct dftrace_site *site, void *argument)
{
    const struct counting *counting = argument;

    if (site->id != counting->id || site->flags & DFTRACE_SITE_ADDRESS)
        return;
    __atomic_store_n(&site->own_id, counting->id, __ATOMIC_RELAXED);
    __atomic_store_n(&site->id, DFTRACE_SITE_THROTTLED | counting->index, __ATOMIC_RELEASE);
}

void dft_sites_throttle(uint32_t id, uint32_t index)
{
    struct counting counting = {id, index};
    bool outer = dft_busy;

    dft_busy = true;
    change_all(count_calls_of, &counting, false);
    dft_busy = outer;
}

struct counts {
    unsigned all, chosen;
};

static void count_site(struct dftrace_site *site, void *argument)
{
    struct counts *counts = argument;

    if (is_event(site))
        return;
    counts->all++;
    counts->chosen += is_chosen(site);
}

void dft_sites_count(unsigned *all, unsigned *chosen)
{
    struct counts counts = {0, 0};

    change_all(count_site, &counts, false);
    *all = counts.all;
    *chosen = counts.chosen;
}

/* --- names ---------------------------------------------------------------------------------- */

struct nearness {
    const char *word;
    unsigned least;
    const char *nearest;
};

/* "step" of "solver::step". */
static const char *last_part(const char *name)
{
    const char *at = strrchr(name, ':');

    return at ? at + 1 : name;
}

static void compare_site(struct dftrace_site *site, void *argument)
{
    struct nearness *found = argument;
    const char *name = site->text; /* the first string, DFTRACE_TEXT_NAME */
    const char *const forms[] = {name, last_part(name)};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        unsigned edits =
            dft_edit_distance(found->word, strlen(found->word), forms[i], strlen(forms[i]));
        if (edits < found->least) {
            found->least = edits;
            found->nearest = name;
        }
    }
}

const char *dft_sites_nearest(const struct dft_rule *rule)
{
    struct nearness found = {.word = rule->pattern};
    size_t length = strlen(rule->pattern);

    /* Up to half of a word may be wrong, but not more than three letters. */
    found.least = length / 2 + 1 < 4 ? (unsigned)length / 2 + 1 : 4;
    if (rule->subject == DFT_SUBJECT_FUNCTION && !rule->is_glob)
        change_all(compare_site, &found, false);
    return found.nearest;
}
