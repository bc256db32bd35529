/* The allowlist of a run. Below the heap's lock, signals blocked. */
#include "runtime/filter.h"
#include "runtime/ownheap.h"

#include <stdio.h>
#include <string.h>

#define RULE_MOST 4096

static struct dft_allowlist *filter;
static struct dft_allowlist *aggregated;

static bool replace_filter(struct dft_allowlist *list)
{
    if (!list)
        return false;
    dft_allowlist_free(filter);
    filter = list;
    return true;
}

bool dft_filter_load(const char *path, struct dft_allowlist_error *error)
{
    return replace_filter(dft_allowlist_load_regular(path, error));
}

bool dft_filter_set(const char *text, size_t length, struct dft_allowlist_error *error)
{
    return replace_filter(dft_allowlist_parse(text, length, error));
}

bool dft_filter_is_set(void)
{
    return filter != NULL;
}

static bool has_section(enum dft_section section)
{
    for (size_t i = 0; filter && i < dft_allowlist_count(filter); i++)
        if (dft_allowlist_rule(filter, i)->section == section)
            return true;
    return false;
}

bool dft_filter_has_samples(void)
{
    return has_section(DFT_SECTION_SAMPLE);
}

/* A comma inside of brackets is a part of a name, as in "f(int, char)" and "map<int, char>". */
static void split(char *patterns)
{
    int depth = 0;

    for (char *at = patterns; *at; at++)
        if (strchr("(<[{", *at))
            depth++;
        else if (strchr(")>]}", *at))
            depth--;
        else if (*at == ',' && depth <= 0)
            *at = '\n';
}

bool dft_filter_load_aggregated(const char *patterns, struct dft_allowlist_error *error)
{
    char *text = dft_heap_copy(patterns);

    if (!text)
        return false;
    split(text);
    aggregated = dft_allowlist_parse(text, strlen(text), error);
    dft_heap_give(text);
    return aggregated != NULL;
}

bool dft_filter_has_aggregated(void)
{
    return aggregated || has_section(DFT_SECTION_AGGREGATE);
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

/*
 * The compiler knows more of a name than the symbol tells (Fortran): what it has said counts too.
 * False when memory is out.
 */
static bool judge(const struct dft_allowlist *list, const char *text, struct dft_verdict *verdict)
{
    struct dft_names names;
    char *own;

    if (!dft_names_make(part(text, DFTRACE_TEXT_LINKAGE), DFT_LANGUAGE_C_FAMILY, &names))
        return false;
    own = names.qualified;
    names.qualified = (char *)part(text, DFTRACE_TEXT_NAME);
    dft_allowlist_match(list, &names, part(text, DFTRACE_TEXT_FILE), NULL, verdict);
    names.qualified = own;
    dft_names_free(&names);
    return true;
}

bool dft_filter_names(const struct dft_allowlist *list, const char *text)
{
    struct dft_verdict verdict;

    /* No memory: rather a function too many. */
    return !judge(list ? list : filter, text, &verdict) || verdict.traced;
}

bool dft_filter_aggregates(const char *text)
{
    struct dft_verdict verdict;

    if (aggregated && judge(aggregated, text, &verdict) && verdict.traced)
        return true;
    return has_section(DFT_SECTION_AGGREGATE) && judge(filter, text, &verdict) &&
           verdict.flags & DFTRACE_SITE_AGGREGATE;
}
