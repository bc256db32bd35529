/*
 * Every site of the process, and which of them are on: sites that the run's allowlist names and no
 * override disables, while recording is not paused.
 *
 * All functions must be called while holding the lock of library.c, inside a guard, unless stated
 * otherwise.
 */
#ifndef DFT_RUNTIME_SITES_SITES_H
#define DFT_RUNTIME_SITES_SITES_H

#include "allowlist/allowlist.h"
#include "dftrace/abi.h"

#include <stdbool.h>
#include <string.h>

struct dft_module;

/* Bits of a site's `known`. */
enum dft_site_mark {
    DFT_SITE_REGISTERED = 1, /* set in a module's first site */
    DFT_SITE_UNLISTED = 2,   /* the run's allowlist does not name it */
    DFT_SITE_DISABLED = 4,   /* an override has disabled it */
    DFT_SITE_AGGREGATED = 8, /* the run's options ask for aggregation of its calls */
};

/* A site that the runtime makes, for a function compiled without the plugin or for one of a guest. */
struct dft_made_site {
    struct dftrace_site site;
    struct dft_made_site *next;
};

/* That of a guest's function (dftrace/guest.h); DFTRACE_SITE_GUEST is set in its flags. */
struct dft_guest_site {
    struct dft_made_site made;
    const char *name;    /* not qualified */
    const char *omitted; /* names of values that are not recorded, each with its NUL; then a NUL */
};

/* One of the strings of a site's text. */
static inline const char *dft_text_part(const char *text, enum dftrace_site_text part)
{
    for (int i = 0; i < (int)part; i++)
        text += strlen(text) + 1;
    return text;
}

static inline const char *dft_site_text(const struct dftrace_site *site,
                                        enum dftrace_site_text part)
{
    return dft_text_part(site->text, part);
}

/* Adds a module's sites. Returns how many of them the run's allowlist names. */
unsigned dft_sites_add(struct dftrace_site *begin, struct dftrace_site *end);

/*
 * Adds a site that the run's allowlist is known to name. While holding the private heap's lock, on
 * the big stack.
 */
void dft_sites_add_made(struct dft_made_site *made);

/*
 * Decides whether an event of the program is on, now that it is known. Events are visited like
 * sites, but are not counted as functions. While holding the private heap's lock only.
 */
void dft_sites_add_event(struct dftrace_site *site);

/*
 * The plugin's site for this linkage name in this module, or NULL. While holding the private heap's
 * lock.
 */
struct dftrace_site *dft_sites_find(const struct dft_module *module, const char *linkage);

/* Switches all chosen sites on, including those that are added later; or switches all sites off. */
void dft_sites_record(bool on);
bool dft_sites_are_recorded(void);

/* Enables or disables a category or a pattern of names. False if memory is exhausted. */
bool dft_sites_switch(const char *what, bool on);

/* Called when the run's allowlist has changed. */
void dft_sites_relist(void);

/*
 * Called at the end of dft_sites_relist, while holding the private heap's lock. Must forget cached
 * answers of the old list.
 */
extern void (*dft_sites_relisted)(void);

/*
 * From now on, calls of the site with this number are counted, under `index` in the table of
 * throttled sites. Calls of functions compiled without the plugin are recorded as before. Also
 * called in hooks, inside a guard.
 */
void dft_sites_throttle(uint32_t id, uint32_t index);

/* How many sites there are, and how many of them are chosen to be recorded. */
void dft_sites_count(unsigned *all, unsigned *chosen);

/* Name of the function that was probably meant by a rule that matches none; NULL: none is similar. */
const char *dft_sites_nearest(const struct dft_rule *rule);

#endif
