/*
 * Sites of guest functions: which of them the run's allowlist names, and what the trace says about
 * them.
 *
 * Runs in threads of the program, not in signal handlers. `make` and what it calls run on the big
 * stack, while holding the private heap's lock. Keeps errno.
 */
#include "runtime/guest/guest_sites.h"
#include "dftrace/guest.h"
#include "runtime/base/big_stack.h"
#include "runtime/base/clock.h"
#include "runtime/base/private_heap.h"
#include "runtime/detail/samples.h"
#include "runtime/library.h"
#include "runtime/session/explain_empty.h"
#include "runtime/session/own_work.h"
#include "runtime/session/thread.h"
#include "runtime/sites/run_allowlist.h"
#include "runtime/sites/sites.h"

#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#define RULE_SHOWN 4096
#define NUMBER_SIZE 16

static void (*_Atomic on_change)(void);

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* A copy without NULL. False if nothing can be recorded of it. */
static bool read_guest(const struct dftrace_guest *given, struct dftrace_guest *guest)
{
    if (!given || given->size < sizeof *guest || !given->name || !*given->name)
        return false;
    *guest = *given;
    guest->language = or_empty(given->language);
    guest->qualified = given->qualified && *given->qualified ? given->qualified : given->name;
    guest->module = or_empty(given->module);
    guest->file = or_empty(given->file);
    guest->parameters = or_empty(given->parameters);
    guest->locals = or_empty(given->locals);
    return true;
}

/* --- sites ---------------------------------------------------------------------------------- */

/* Strings that follow each other in one block. Without a block, only their size is counted. */
struct strings {
    char *at;
    size_t size;
};

static void put(struct strings *strings, const char *text)
{
    size_t size = strlen(text) + 1;

    if (strings->at) {
        memcpy(strings->at, text, size);
        strings->at += size;
    }
    strings->size += size;
}

/* The strings of the site, in the order of abi.h and of spool/format.h. */
static void put_text(struct strings *strings, const struct dftrace_guest *guest,
                     const struct dft_verdict *verdict)
{
    char rule[RULE_SHOWN], stack_size[NUMBER_SIZE] = "";
    const char *parts[DFT_GUEST_TEXT_COUNT] = {
        [DFTRACE_TEXT_NAME] = guest->qualified,
        [DFTRACE_TEXT_LINKAGE] = "",
        [DFTRACE_TEXT_FILE] = guest->file,
        [DFTRACE_TEXT_PARAMETERS] = guest->parameters,
        [DFTRACE_TEXT_CATEGORY] = verdict->category,
        [DFTRACE_TEXT_VALUES] = "",
        [DFTRACE_TEXT_TYPES] = "",
        [DFTRACE_TEXT_RULE] = rule,
        [DFTRACE_TEXT_LOCALS] = guest->locals,
        [DFT_GUEST_MODULE] = guest->module,
        [DFT_GUEST_LANGUAGE] = guest->language,
        [DFT_GUEST_STACK_SIZE] = stack_size,
    };

    snprintf(rule, sizeof rule, "%u:%s", verdict->rule->line, verdict->rule->text);
    if (guest->stack_size)
        snprintf(stack_size, sizeof stack_size, "%u", guest->stack_size);
    for (int i = 0; i < DFT_GUEST_TEXT_COUNT; i++)
        put(strings, parts[i]);
}

/* The strings of the site itself: struct dft_guest_site. */
static void put_own(struct strings *strings, const struct dftrace_guest *guest,
                    const struct dft_verdict *verdict)
{
    size_t place = 0;
    const char *name;

    put(strings, guest->name);
    while (dft_run_allowlist_next_left_out(&verdict->left_out, &place, &name))
        put(strings, name);
    put(strings, "");
}

static uint16_t flags_of(const struct dftrace_guest *guest, const struct dft_verdict *verdict)
{
    unsigned kept = DFTRACE_SITE_SAMPLE | DFTRACE_SITE_ARGS | DFTRACE_SITE_AGGREGATE;
    unsigned resumed = guest->flags & DFTRACE_GUEST_RESUMED ? DFTRACE_SITE_RESUMED : 0;

    return (uint16_t)((verdict->flags & kept) | resumed | DFTRACE_SITE_GUEST);
}

static struct dft_guest_site *make_site(const struct dftrace_guest *guest,
                                        const struct dft_verdict *verdict)
{
    const size_t alignment = _Alignof(struct dft_guest_site);
    struct strings strings = {NULL, 0};

    put_text(&strings, guest, verdict);
    put_own(&strings, guest, verdict);
    char *block =
        dft_private_heap_calloc(1, sizeof(struct dft_guest_site) + alignment + strings.size);
    if (!block)
        return NULL;
    struct dft_guest_site *site =
        (struct dft_guest_site *)(((uintptr_t)block + alignment - 1) & ~(uintptr_t)(alignment - 1));
    strings.at = (char *)(site + 1);
    site->made.site.text = strings.at;
    put_text(&strings, guest, verdict);
    site->name = strings.at;
    site->omitted = strings.at + strlen(guest->name) + 1;
    put_own(&strings, guest, verdict);
    site->made.site.line = guest->line;
    site->made.site.flags = flags_of(guest, verdict);
    dft_sites_add_made(&site->made);
    return site;
}

struct question {
    struct dftrace_guest guest;
    struct dft_guest_names names;
    struct dft_guest_site *answer; /* NULL: it is not traced */
};

static void make(void *argument)
{
    struct question *question = argument;
    const struct dftrace_guest *guest = &question->guest;
    struct dft_verdict verdict;

    dft_run_allowlist_judge_guest(&question->names, guest->file, &verdict);
    if (verdict.traced)
        question->answer = make_site(guest, &verdict);
}

/* Before the session begins, because the trace states what a sample costs. */
static void begin(const struct dft_guest_site *site)
{
    if (site->made.site.flags & DFTRACE_SITE_SAMPLE)
        dft_samples_calibrate();
    dft_library_begin(1);
}

EXPORT struct dftrace_site *__dftrace_guest_site(const struct dftrace_guest *given)
{
    struct question question = {.answer = NULL};
    struct dft_guard guard;

    if (dft_busy || !dft_library_is_enabled() || !read_guest(given, &question.guest))
        return NULL;
    dft_guest_names_make(&question.names, question.guest.name, question.guest.qualified,
                         question.guest.module);
    uint64_t began = dft_clock_now();
    dft_guard_enter(&guard);
    dft_busy = true;
    if (dft_private_heap_lock()) {
        dft_big_stack_run(make, &question);
        dft_private_heap_unlock();
    }
    if (question.answer)
        begin(question.answer);
    dft_own_work_end(dft_self, began);
    dft_busy = false;
    dft_guard_leave(&guard);
    return question.answer ? &question.answer->made.site : NULL;
}

EXPORT int __dftrace_guest_asks(const struct dftrace_guest *given)
{
    struct dft_guest_names names;
    struct dftrace_guest guest;

    if (!dft_library_is_enabled() || !read_guest(given, &guest))
        return 0;
    dft_guest_names_make(&names, guest.name, guest.qualified, guest.module);
    return dft_run_allowlist_may_name_guest(&names, guest.file);
}

/* --- the list ------------------------------------------------------------------------------- */

EXPORT int __dftrace_guest_wanted(void (*changed)(void))
{
    struct dft_guard guard;

    if (!dft_library_is_traced())
        return 0;
    dft_explain_empty_guest = true;
    if (changed)
        atomic_store(&on_change, changed);
    if (!dft_library_is_attachable())
        return dft_run_allowlist_is_set();
    dft_guard_enter(&guard);
    dft_library_begin(0);
    dft_guard_leave(&guard);
    return 1;
}

void dft_guest_sites_relisted(void)
{
    void (*changed)(void) = atomic_load(&on_change);

    if (changed)
        changed();
}
