/*
 * Reports rules that match no function. Runs in the thread that ends the session and in the control
 * thread. A function that is compiled with -finstrument-functions and has not been called is
 * unknown here; such a program's rules are not reported.
 */
#include "runtime/sites/unmatched_rules.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/session/explain_empty.h"
#include "runtime/sites/run_allowlist.h"
#include "runtime/sites/sites.h"

#include <stdio.h>
#include <string.h>

static bool is_known(struct dft_unmatched *found)
{
    return !dft_explain_empty_finstrument && dft_run_allowlist_find_unmatched(found);
}

void dft_unmatched_rules_report(void)
{
    struct dft_unmatched found;
    char place[300] = "DFTRACER_AGGREGATE", others[60] = "";

    if (dft_options.hosted || !is_known(&found))
        return;
    const char *nearest = dft_sites_nearest(found.first);
    if (!found.is_pattern)
        snprintf(place, sizeof place, "%s:%u", dft_options.allowlist, found.first->line);
    if (found.count > 1)
        snprintf(others, sizeof others, "; %zu more rules matched no function", found.count - 1);
    dft_log(DFT_LEVEL_ERROR, "%s: '%s' matched no function%s%s%s%s", place, found.first->text,
            nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "", others);
}

void dft_unmatched_rules_append(char *text, size_t size)
{
    struct dft_unmatched found;
    size_t length = strlen(text);

    /* An interpreter has not asked again yet. */
    if (!dft_explain_empty_guest && is_known(&found) && !found.is_pattern)
        snprintf(text + length, size - length, " unmatched=%zu rule=%u:%s", found.count,
                 found.first->line, found.first->text);
}
