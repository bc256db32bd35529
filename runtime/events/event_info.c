/*
 * The texts of events, and what the run's allowlist says about them. Runs in traced threads, signal
 * handlers included, at the first use of each event; and when the allowlist changes. While holding
 * the private heap's lock.
 */
#include "runtime/events/event_info.h"
#include "runtime/base/private_heap.h"
#include "runtime/events/event_names.h"
#include "runtime/sites/run_allowlist.h"
#include "runtime/sites/sites.h"
#include "spool/format.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_CATEGORY "APP"
#define FILE_SIZE 1000
#define RULE_SIZE 1000

static char *put(char *at, const char *text, size_t most)
{
    size_t length = text ? dft_event_names_length(text, most) : 0;

    if (length)
        memcpy(at, text, length);
    at[length] = '\0';
    return at + length + 1;
}

struct dft_event_info *dft_event_info_make(const struct dft_event_description *event)
{
    const char *parts[DFTRACE_TEXT_COUNT] = {
        [DFTRACE_TEXT_NAME] = event->name,         [DFTRACE_TEXT_FILE] = event->file,
        [DFTRACE_TEXT_CATEGORY] = event->category, [DFTRACE_TEXT_TYPES] = event->unit,
        [DFTRACE_TEXT_RULE] = event->rule,
    };
    static const size_t sizes[DFTRACE_TEXT_COUNT] = {
        [DFTRACE_TEXT_NAME] = DFT_EVENT_NAME_SIZE,
        [DFTRACE_TEXT_FILE] = FILE_SIZE,
        [DFTRACE_TEXT_CATEGORY] = DFT_EVENT_CATEGORY_SIZE,
        [DFTRACE_TEXT_TYPES] = DFT_EVENT_CATEGORY_SIZE,
        [DFTRACE_TEXT_RULE] = RULE_SIZE,
    };
    size_t size = DFTRACE_TEXT_COUNT;

    for (int i = 0; i < DFTRACE_TEXT_COUNT; i++)
        size += parts[i] ? dft_event_names_length(parts[i], sizes[i]) : 0;
    struct dft_event_info *info = dft_private_heap_calloc(1, sizeof *info + size);
    char *at = info ? info->text : NULL;
    for (int i = 0; info && i < DFTRACE_TEXT_COUNT; i++)
        at = put(at, parts[i], sizes[i]);
    return info;
}

const char *dft_event_info_category(const char *category)
{
    return category && *category ? category : DEFAULT_CATEGORY;
}

/* --- the run's allowlist -------------------------------------------------------------------- */

static void mark(struct dftrace_site *site, unsigned bit, bool set)
{
    site->known = (uint8_t)(set ? site->known | bit : site->known & ~bit);
}

/*
 * Gives the event the category and the rule of a verdict. Its number is assigned again, at its next
 * use.
 */
static void retitle(struct dftrace_event *event, const char *category, const struct dft_rule *rule)
{
    char text[RULE_SIZE] = "";

    if (rule)
        snprintf(text, sizeof text, "%u:%s", rule->line, rule->text);
    const char *own = dft_site_text(&event->site, DFTRACE_TEXT_CATEGORY);
    if (strcmp(own, category) == 0 &&
        strcmp(dft_site_text(&event->site, DFTRACE_TEXT_RULE), text) == 0)
        return;
    struct dft_event_description described = {
        .name = event->site.text,
        .category = category,
        .file = dft_site_text(&event->site, DFTRACE_TEXT_FILE),
        .unit = dft_site_text(&event->site, DFTRACE_TEXT_TYPES),
        .rule = text};
    struct dft_event_info *info = dft_event_info_make(&described);
    if (!info)
        return;
    info->counter = dft_event_info(event)->counter;
    event->site.text = info->text;
    __atomic_store_n(&event->site.id, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&event->site.own_id, 0, __ATOMIC_RELEASE);
}

void dft_event_info_judge(struct dftrace_site *site)
{
    struct dftrace_event *event = (struct dftrace_event *)site;
    struct dft_verdict verdict = {.traced = true};

    dft_run_allowlist_judge_region(site->text, &verdict);
    mark(site, DFT_SITE_UNLISTED, !verdict.traced);
    mark(site, DFT_SITE_AGGREGATED, dft_run_allowlist_aggregates_region(site->text));
    bool sampled = verdict.traced && verdict.flags & DFTRACE_SITE_SAMPLE;
    if (sampled != ((site->flags & DFTRACE_SITE_SAMPLE) != 0)) {
        site->flags = (uint16_t)(site->flags ^ DFTRACE_SITE_SAMPLE);
        __atomic_store_n(&site->id, 0, __ATOMIC_RELEASE);
    }
    if (verdict.traced)
        retitle(event,
                verdict.category ? verdict.category : dft_event_info_category(event->category),
                verdict.rule);
}
