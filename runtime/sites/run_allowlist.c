/*
 * The allowlist of a run. All functions run while holding the private heap's lock, with signals
 * blocked.
 */
#include "runtime/sites/run_allowlist.h"
#include "os/file_status.h"
#include "runtime/sites/rule_marks.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RULE_MAX 4096

static struct dft_allowlist *filter;
static struct dft_allowlist *aggregated;

/* For `dftrace run`: the bits of rules that have matched; NULL if they are not wanted. */
static uint8_t *filter_marks;
static uint8_t *aggregated_marks;

static bool replace_filter(struct dft_allowlist *list)
{
    if (!list)
        return false;
    dft_allowlist_free(filter);
    filter = list;
    filter_marks = NULL; /* the bits are for the rules of the first list only */
    return true;
}

bool dft_run_allowlist_load(const char *path, struct dft_allowlist_error *error)
{
    return replace_filter(dft_allowlist_load_regular(path, error));
}

bool dft_run_allowlist_set(const char *text, size_t length, struct dft_allowlist_error *error)
{
    return replace_filter(dft_allowlist_parse(text, length, error));
}

bool dft_run_allowlist_is_set(void)
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

bool dft_run_allowlist_has_samples(void)
{
    return has_section(DFT_SECTION_SAMPLE);
}

bool dft_run_allowlist_load_aggregated(const char *patterns, struct dft_allowlist_error *error)
{
    aggregated = dft_allowlist_parse_joined(patterns, error);
    return aggregated != NULL;
}

static size_t count_rules(const struct dft_allowlist *list)
{
    return list ? dft_allowlist_count(list) : 0;
}

void dft_run_allowlist_share_marks(const char *directory)
{
    char path[RULE_MAX];
    size_t size = dft_rule_marks_size(count_rules(filter), count_rules(aggregated));
    struct dft_rule_marks *marks = MAP_FAILED;
    struct stat status;

    if (snprintf(path, sizeof path, "%s/" DFT_RULE_MARKS_FILE, directory) >= (int)sizeof path)
        return;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && dft_file_status(fd, &status) == 0 && status.st_size == (off_t)size)
        marks = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (marks == MAP_FAILED)
        return;
    if (marks->rules != count_rules(filter) || marks->patterns != count_rules(aggregated)) {
        munmap(marks, size);
        return;
    }
    __atomic_add_fetch(&marks->processes, 1, __ATOMIC_RELAXED);
    filter_marks = filter ? marks->bits : NULL;
    aggregated_marks = aggregated ? marks->bits + dft_rule_marks_bytes(marks->rules) : NULL;
}

bool dft_run_allowlist_has_aggregated(void)
{
    return aggregated || has_section(DFT_SECTION_AGGREGATE);
}

struct dft_allowlist *dft_run_allowlist_rule(const char *pattern)
{
    char text[RULE_MAX];
    int length = snprintf(text, sizeof text, "fun:%s\n", pattern);

    if (length <= 0 || (size_t)length >= sizeof text || strpbrk(pattern, "\n\r"))
        return NULL;
    return dft_allowlist_parse(text, (size_t)length, NULL);
}

void dft_run_allowlist_match(const struct dft_names *names, const char *file,
                             struct dft_verdict *verdict)
{
    dft_allowlist_match_and_note(filter, names, file, NULL, verdict, filter_marks);
}

static const char *part(const char *text, int number)
{
    while (number-- > 0)
        text += strlen(text) + 1;
    return text;
}

/*
 * Matches the names that follow from the symbol, and the qualified name from the compiler, which
 * knows more about Fortran. False if memory is exhausted.
 */
static bool judge(const struct dft_allowlist *list, uint8_t *marks, const char *text,
                  struct dft_verdict *verdict)
{
    struct dft_names names;
    char *own;

    if (!dft_names_make(part(text, DFTRACE_TEXT_LINKAGE), DFT_LANGUAGE_C_FAMILY, &names))
        return false;
    own = names.qualified;
    names.qualified = (char *)part(text, DFTRACE_TEXT_NAME);
    dft_allowlist_match_and_note(list, &names, part(text, DFTRACE_TEXT_FILE), NULL, verdict, marks);
    names.qualified = own;
    dft_names_free(&names);
    return true;
}

bool dft_run_allowlist_names(const struct dft_allowlist *list, const char *text)
{
    struct dft_verdict verdict;

    /* If memory is exhausted, tracing a function too many is better than one too few. */
    return !judge(list ? list : filter, list ? NULL : filter_marks, text, &verdict) ||
           verdict.traced;
}

bool dft_run_allowlist_aggregates(const char *text)
{
    struct dft_verdict verdict;

    if (aggregated && judge(aggregated, aggregated_marks, text, &verdict) && verdict.traced)
        return true;
    return has_section(DFT_SECTION_AGGREGATE) && judge(filter, filter_marks, text, &verdict) &&
           verdict.flags & DFTRACE_SITE_AGGREGATE;
}
