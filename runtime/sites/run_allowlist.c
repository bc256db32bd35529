/*
 * The allowlist of a run. All functions run while holding the private heap's lock, with signals
 * blocked.
 */
#include "runtime/sites/run_allowlist.h"
#include "os/file_status.h"
#include "os/kernel.h"
#include "runtime/base/private_heap.h"
#include "runtime/sites/rule_marks.h"
#include "runtime/sites/sites.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RULE_MAX 4096

static struct dft_allowlist *filter;
static struct dft_allowlist *aggregated;

/*
 * The bits of rules that have matched: on the private heap, or in a file of `dftrace run`. NULL if
 * there was no memory.
 */
static uint8_t *filter_marks;
static uint8_t *aggregated_marks;
static pid_t loaded_by; /* the process that has loaded the lists */

/* Once set, lists that are replaced keep their memory: dft_run_allowlist_may_name_guest takes no
 * lock, so some thread may still read an old one. */
static _Atomic bool keeps_lists;

static size_t count_rules(const struct dft_allowlist *list)
{
    return list ? dft_allowlist_count(list) : 0;
}

static uint8_t *make_marks(const struct dft_allowlist *list)
{
    return dft_private_heap_calloc(dft_rule_marks_bytes(count_rules(list)) + 1, 1);
}

static bool replace_filter(struct dft_allowlist *list)
{
    struct dft_allowlist *old = filter;

    if (!list)
        return false;
    __atomic_store_n(&filter, list, __ATOMIC_SEQ_CST);
    if (!atomic_load(&keeps_lists))
        dft_allowlist_free(old);
    filter_marks = make_marks(list);
    loaded_by = dft_kernel_pid();
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
    return __atomic_load_n(&filter, __ATOMIC_SEQ_CST) != NULL;
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
    if (!aggregated)
        return false;
    aggregated_marks = make_marks(aggregated);
    loaded_by = dft_kernel_pid();
    return true;
}

static void find_unmatched(const struct dft_allowlist *list, const uint8_t *marks,
                           struct dft_unmatched *found)
{
    for (size_t i = 0; marks && i < count_rules(list); i++)
        if (dft_rule_marks_lack(marks, list, i) && found->count++ == 0) {
            found->first = dft_allowlist_rule(list, i);
            found->is_pattern = list == aggregated;
        }
}

bool dft_run_allowlist_find_unmatched(struct dft_unmatched *found)
{
    *found = (struct dft_unmatched){0};
    if (loaded_by != dft_kernel_pid())
        return false;
    find_unmatched(filter, filter_marks, found);
    find_unmatched(aggregated, aggregated_marks, found);
    return found->count > 0;
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
    int function = snprintf(text, sizeof text, "fun:%s\n", pattern);
    int length =
        snprintf(text, sizeof text, "fun:%s\nregion:%s\nio:%s\n", pattern, pattern, pattern);

    if (function <= 0 || (size_t)length >= sizeof text || strpbrk(pattern, "\n\r"))
        return NULL;
    struct dft_allowlist *rule = dft_allowlist_parse(text, (size_t)length, NULL);
    /* Not every name of a region can be that of a function. */
    return rule ? rule
                : dft_allowlist_parse(text + function, (size_t)length - (size_t)function, NULL);
}

void dft_run_allowlist_match(const struct dft_names *names, const char *file,
                             struct dft_verdict *verdict)
{
    dft_allowlist_match_and_mark(filter, names, file, NULL, verdict, filter_marks);
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

    if (!dft_names_make(dft_text_part(text, DFTRACE_TEXT_LINKAGE), DFT_LANGUAGE_C_FAMILY, &names))
        return false;
    own = names.qualified;
    names.qualified = (char *)dft_text_part(text, DFTRACE_TEXT_NAME);
    dft_allowlist_match_and_mark(list, &names, dft_text_part(text, DFTRACE_TEXT_FILE), NULL,
                                 verdict, marks);
    names.qualified = own;
    dft_names_free(&names);
    return true;
}

bool dft_run_allowlist_names(const struct dft_allowlist *list, const char *text)
{
    struct dft_verdict verdict;

    /* If memory is exhausted, tracing a function too many is better than one too few. */
    if (!judge(list ? list : filter, list ? NULL : filter_marks, text, &verdict) || verdict.traced)
        return true;
    /* A list that is only about regions excludes those functions that a rule of [never] matches. */
    return !list && !verdict.rule && !dft_allowlist_chooses_functions(filter);
}

bool dft_run_allowlist_names_region(const struct dft_allowlist *list, const char *name)
{
    struct dft_verdict verdict;

    dft_allowlist_match_region(list, name, &verdict, NULL);
    return verdict.traced && verdict.rule;
}

void dft_run_allowlist_judge_region(const char *name, struct dft_verdict *verdict)
{
    *verdict = (struct dft_verdict){.traced = true};
    if (filter)
        dft_allowlist_match_region(filter, name, verdict, filter_marks);
}

bool dft_run_allowlist_names_io(const struct dft_allowlist *list, const char *name)
{
    struct dft_verdict verdict;

    dft_allowlist_match_plain(list, DFT_SUBJECT_IO, name, &verdict, NULL);
    return verdict.traced && verdict.rule;
}

void dft_run_allowlist_judge_plain(enum dft_subject subject, const char *name,
                                   struct dft_verdict *verdict)
{
    *verdict = (struct dft_verdict){.traced = true};
    if (filter)
        dft_allowlist_match_plain(filter, subject, name, verdict, filter_marks);
}

bool dft_run_allowlist_aggregates_region(const char *name)
{
    struct dft_verdict verdict;

    if (aggregated) {
        dft_allowlist_match_region(aggregated, name, &verdict, aggregated_marks);
        if (verdict.traced && verdict.rule)
            return true;
    }
    dft_run_allowlist_judge_region(name, &verdict);
    return verdict.traced && verdict.flags & DFTRACE_SITE_AGGREGATE;
}

bool dft_run_allowlist_aggregates(const char *text)
{
    struct dft_verdict verdict;

    if (aggregated && judge(aggregated, aggregated_marks, text, &verdict) && verdict.traced)
        return true;
    return has_section(DFT_SECTION_AGGREGATE) && judge(filter, filter_marks, text, &verdict) &&
           verdict.flags & DFTRACE_SITE_AGGREGATE;
}

/* --- functions of guests -------------------------------------------------------------------- */

bool dft_run_allowlist_may_name_guest(const struct dft_guest_names *names, const char *file)
{
    struct dft_verdict verdict;

    atomic_store(&keeps_lists, true); /* before reading the list */
    const struct dft_allowlist *list = __atomic_load_n(&filter, __ATOMIC_SEQ_CST);
    if (!list || strlen(file) > DFT_GUEST_SOURCE_MAX)
        return list != NULL;
    dft_allowlist_match_guest(list, names, file, &verdict, NULL);
    return verdict.traced;
}

void dft_run_allowlist_judge_guest(const struct dft_guest_names *names, const char *file,
                                   struct dft_verdict *verdict)
{
    *verdict = (struct dft_verdict){.traced = false};
    if (filter)
        dft_allowlist_match_guest(filter, names, file, verdict, filter_marks);
}

bool dft_run_allowlist_names_guest(const struct dft_allowlist *list,
                                   const struct dft_guest_names *names, const char *file)
{
    struct dft_verdict verdict;

    dft_allowlist_match_guest(list, names, file, &verdict, NULL);
    return verdict.traced;
}

bool dft_run_allowlist_aggregates_guest(const struct dft_guest_names *names, const char *file)
{
    struct dft_verdict verdict;

    if (aggregated) {
        dft_allowlist_match_guest(aggregated, names, file, &verdict, aggregated_marks);
        if (verdict.traced)
            return true;
    }
    dft_run_allowlist_judge_guest(names, file, &verdict);
    return verdict.flags & DFTRACE_SITE_AGGREGATE;
}

bool dft_run_allowlist_next_left_out(const struct dft_name_set *set, size_t *place,
                                     const char **name)
{
    *name = filter ? dft_allowlist_next_left_out(filter, set, place) : NULL;
    return *name != NULL;
}
