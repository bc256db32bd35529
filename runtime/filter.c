/* The allowlist of a run. Below the heap's lock, signals blocked. */
#include "runtime/filter.h"
#include "runtime/ownheap.h"

#include <stdio.h>
#include <string.h>

#define RULE_MOST 4096

static struct dft_allowlist *filter;

bool dft_filter_load(const char *path, struct dft_allowlist_error *error)
{
    struct dft_allowlist *list = path ? dft_allowlist_load(path, error) : NULL;

    if (path && !list)
        return false;
    dft_allowlist_free(filter);
    filter = list;
    return true;
}

bool dft_filter_is_set(void)
{
    return filter != NULL;
}

bool dft_filter_has_samples(void)
{
    for (size_t i = 0; filter && i < dft_allowlist_count(filter); i++)
        if (dft_allowlist_rule(filter, i)->section == DFT_SECTION_SAMPLE)
            return true;
    return false;
}

struct dft_allowlist *dft_filter_rule(const char *pattern)
{
    char text[RULE_MOST];
    int length = snprintf(text, sizeof text, "fun:%s\n", pattern);

    if (length <= 0 || (size_t)length >= sizeof text || strpbrk(pattern, "\n\r"))
        return NULL;
    return dft_allowlist_parse(text, (size_t)length, NULL);
}

void dft_filter_match(const struct dft_names *names, const char *file, struct dft_verdict *verdict)
{
    dft_allowlist_match(filter, names, file, NULL, verdict);
}

static const char *part(const char *text, int number)
{
    while (number-- > 0)
        text += strlen(text) + 1;
    return text;
}

/* The compiler knows more of a name than the symbol tells (Fortran): what it has said counts too.
 */
bool dft_filter_names(const struct dft_allowlist *list, const char *text)
{
    struct dft_verdict verdict = {0};
    struct dft_names names;
    char *own;

    if (!dft_names_make(part(text, DFTRACE_TEXT_LINKAGE), DFT_LANGUAGE_C_FAMILY, &names))
        return true; /* no memory: rather a function too many */
    own = names.qualified;
    names.qualified = (char *)part(text, DFTRACE_TEXT_NAME);
    dft_allowlist_match(list ? list : filter, &names, part(text, DFTRACE_TEXT_FILE), NULL,
                        &verdict);
    names.qualified = own;
    dft_names_free(&names);
    return verdict.traced;
}
