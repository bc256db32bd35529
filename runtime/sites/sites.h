/*
 * Every site of the process, and which of them are on: those that the run's allowlist names, that
 * no switch has taken away, while recording is not paused.
 *
 * All of it below the lock of library.c and a guard.
 */
#ifndef DFT_RUNTIME_SITES_SITES_H
#define DFT_RUNTIME_SITES_SITES_H

#include "dftrace/abi.h"

#include <stdbool.h>

struct dft_module;

/* What stands in a site's `known`. */
enum dft_site_mark {
    DFT_SITE_REGISTERED = 1, /* on a module's first site */
    DFT_SITE_UNLISTED = 2,   /* the run's allowlist does not name it */
    DFT_SITE_DISABLED = 4,   /* a switch has taken it away */
    DFT_SITE_ADDED_UP = 8,   /* the run's options say that its calls are aggregated */
};

/* A site that no compiler made. */
struct dft_made_site {
    struct dftrace_site site;
    struct dft_made_site *next;
};

/* A module's sites, once; returns how many the run's allowlist leaves. */
unsigned dft_sites_add(struct dftrace_site *begin, struct dftrace_site *end);

/* With the heap's lock held, on the big stack: the list has been asked already. */
void dft_sites_add_made(struct dft_made_site *made);

/* The site of the plugins' for this linkage name in this module, or NULL. With the heap's lock. */
struct dftrace_site *dft_sites_find(const struct dft_module *module, const char *linkage);

/* Switches all sites that are to be on, now and when they come; or all off. */
void dft_sites_record(bool on);
bool dft_sites_are_recorded(void);

/* A category, or a pattern of names; false where there is no memory to note it. */
bool dft_sites_switch(const char *what, bool on);

/* The run's allowlist is another one. */
void dft_sites_relist(void);

/* Called then, with the heap's lock held: for whoever remembers what the list has said. */
extern void (*dft_sites_relisted)(void);

/*
 * Calls of the site with this number are counted from now on, by this number among the counted
 * ones; those of functions without a plugin are recorded as before. Also in hooks, below a guard.
 */
void dft_sites_throttle(uint32_t id, uint32_t index);

/* How many there are, and how many of them would be recorded. */
void dft_sites_count(unsigned *all, unsigned *chosen);

#endif
