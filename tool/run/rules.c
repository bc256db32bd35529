/*
 * Checks options before a run, and finds rules that matched nothing after it.
 */
#include "tool/run/rules.h"

#include "runtime/base/option_values.h"
#include "runtime/sites/rule_marks.h"
#include "tool/base/suggest.h"
#include "tool/base/tool.h"
#include "tool/run/function_names.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PREFIX "DFTRACER_"
#define MISSPELLED "DFTRACE_"
#define RULES_NAMED 5

/* --- before the run --- */

/* Whether this is an option without the R of the prefix. */
static bool is_misspelled(const char *entry)
{
    const char *name = entry + sizeof MISSPELLED - 1;

    return strncmp(entry, MISSPELLED, sizeof MISSPELLED - 1) == 0 &&
           dft_option_is_known(name, strcspn(name, "="));
}

static bool check_option(struct dft_options *options, const char *entry)
{
    const char *name = entry + sizeof PREFIX - 1;
    const char *equals = strchr(entry, '=');
    struct dft_option_problem problem;

    if (is_misspelled(entry)) {
        dft_tool_error(
            "run: unknown option %.*s, did you mean " PREFIX "%.*s?", (int)strcspn(entry, "="),
            entry, (int)strcspn(entry + sizeof MISSPELLED - 1, "="), entry + sizeof MISSPELLED - 1);
        return false;
    }
    if (strncmp(entry, PREFIX, sizeof PREFIX - 1) != 0 || !equals || equals < name)
        return true;
    int length = (int)(equals - name);
    if (dft_option_set(options, name, (size_t)length, equals + 1, &problem))
        return true;
    if (problem.expected)
        dft_tool_error("run: " PREFIX "%.*s='%s': expected %s", length, name, equals + 1,
                       problem.expected);
    else if (problem.nearest)
        dft_tool_error("run: unknown option " PREFIX "%.*s, did you mean " PREFIX "%s?", length,
                       name, problem.nearest);
    else
        dft_tool_error("run: unknown option " PREFIX "%.*s; dftrace options lists all", length,
                       name);
    return false;
}

static bool check_allowlist(struct dft_run_rules *rules, const char *path)
{
    struct dft_allowlist_error error;

    if (!path)
        return true;
    rules->path = dft_tool_copy(path, strlen(path));
    rules->rules = dft_allowlist_load_regular(path, &error); /* as the runtime does */
    if (!rules->rules)
        dft_tool_diagnose(path, error.line, error.column, error.message);
    return rules->rules != NULL;
}

/* The rules of a configuration file are valid: they have been checked with it. */
static bool take_rules(struct dft_run_rules *rules, const struct dft_run_config *config)
{
    rules->path = dft_tool_copy(config->path, strlen(config->path));
    rules->rules = dft_configuration_allowlist(&config->configuration);
    if (!rules->rules)
        dft_tool_error("%s: out of memory", config->path);
    return rules->rules != NULL;
}

static bool check_patterns(struct dft_run_rules *rules, const char *patterns)
{
    struct dft_allowlist_error error;

    if (!patterns)
        return true;
    rules->patterns = dft_allowlist_parse_joined(patterns, &error);
    if (!rules->patterns)
        dft_tool_error("run: DFTRACER_AGGREGATE='%s': expected none, all, or patterns of functions "
                       "joined by commas: in pattern %u, %s",
                       patterns, error.line, error.message);
    return rules->patterns != NULL;
}

bool dft_run_rules_check(struct dft_run_rules *rules, const struct dft_environment *environment,
                         const struct dft_run_config *config)
{
    struct dft_options options;
    bool fine = true;

    dft_option_set_defaults(&options);
    for (unsigned i = 0; i < environment->count; i++)
        fine &= check_option(&options, environment->entries[i]);
    fine &=
        config->has_rules ? take_rules(rules, config) : check_allowlist(rules, options.allowlist);
    fine &= check_patterns(rules, options.aggregate.patterns);
    return fine;
}

static size_t count_rules(const struct dft_allowlist *list)
{
    return list ? dft_allowlist_count(list) : 0;
}

bool dft_run_rules_replace(struct dft_run_rules *rules, const char *text, size_t named)
{
    struct dft_allowlist_error error;
    struct dft_allowlist *all = dft_allowlist_parse(text, strlen(text), &error);

    if (!all) {
        dft_tool_error("run: the allowlist with the rules of -t: %s", error.message);
        return false;
    }
    /* The lines of a configuration file are not those of the text. */
    for (size_t i = 0; i < count_rules(rules->rules) && i < dft_allowlist_count(all); i++)
        dft_allowlist_set_line(all, i, dft_allowlist_rule(rules->rules, i)->line);
    dft_allowlist_free(rules->rules);
    rules->rules = all;
    rules->named = named;
    return true;
}

/* --- marks --- */

void dft_run_rules_share(struct dft_run_rules *rules, const char *directory)
{
    struct dft_rule_marks head = {
        .rules = (uint32_t)count_rules(rules->rules),
        .patterns = (uint32_t)count_rules(rules->patterns),
    };
    size_t size = dft_rule_marks_size(head.rules, head.patterns);
    void *map = MAP_FAILED;

    if (head.rules + head.patterns == 0)
        return;
    char *path = dft_tool_format("%s/" DFT_RULE_MARKS_FILE, directory);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    free(path);
    if (fd < 0)
        return;
    /* Allocates all pages now, so that no process fails later because the file system is full. */
    if (posix_fallocate(fd, 0, (off_t)size) == 0 &&
        pwrite(fd, &head, sizeof head, 0) == (ssize_t)sizeof head)
        map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    rules->marks = map == MAP_FAILED ? NULL : map;
}

/* --- after the run --- */

/* A list of rules, and which of them matched. */
struct review {
    const struct dft_allowlist *list;
    uint8_t *matched;
    const char *path; /* NULL: the list is DFTRACER_AGGREGATE */
    size_t named;     /* how many of the last rules are from the command line */
};

/* The runtime learns of functions without the plugin only when they are called. */
static void match_symbols(const struct review *review, const struct dft_function_names *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        struct dft_verdict verdict;
        struct dft_names names;
        if (!dft_names_make(functions->linkage[i], DFT_LANGUAGE_C_FAMILY, &names))
            continue;
        dft_allowlist_match_and_mark(review->list, &names, NULL, NULL, &verdict, review->matched);
        dft_names_free(&names);
    }
}

static const char *name_candidate(const void *context, size_t index)
{
    char *const *names = context;

    return names[index];
}

/* "step" of "solver::step". */
static const char *last_part(const char *name)
{
    const char *at = strrchr(name, ':');

    return at ? at + 1 : name;
}

/*
 * The function whose name is nearest to the rule's; of a glob, to the part before its first glob
 * character. If `parts` is true, only the last components of the names are compared.
 */
static const char *find_nearest(const char *pattern, const struct dft_function_names *functions,
                                bool parts)
{
    const char *wanted = parts ? last_part(pattern) : pattern;
    size_t length = strcspn(wanted, "*?[\\");
    bool is_glob = wanted[length] != '\0';
    char *word = dft_tool_copy(wanted, length);
    char **names = dft_tool_zeroed(functions->count + 1, sizeof *names);
    const char *found = NULL;

    for (size_t i = 0; i < functions->count; i++) {
        const char *name = parts ? last_part(functions->names[i]) : functions->names[i];
        size_t size = strlen(name);
        names[i] = dft_tool_copy(name, is_glob && size > length ? length : size);
    }
    const char *nearest = dft_suggest_nearest(word, name_candidate, names);
    for (size_t i = 0; i < functions->count; i++) {
        if (names[i] == nearest)
            found = functions->names[i];
        free(names[i]);
    }
    free(names);
    free(word);
    return found;
}

static void report_rule(const struct review *review, size_t number,
                        const struct dft_function_names *functions)
{
    const struct dft_rule *rule = dft_allowlist_rule(review->list, number);
    const char *nearest = NULL;

    if (rule->subject == DFT_SUBJECT_FUNCTION)
        nearest = find_nearest(rule->pattern, functions, false);
    if (rule->subject == DFT_SUBJECT_FUNCTION && !nearest)
        nearest = find_nearest(rule->pattern, functions, true);
    bool named = number >= count_rules(review->list) - review->named;
    char *place = named          ? dft_tool_format("-t")
                  : review->path ? dft_tool_format("%s:%u:", review->path, rule->line)
                                 : dft_tool_format("DFTRACER_AGGREGATE:");
    dft_tool_warn("%s '%s' matched no %s%s%s%s", place, named ? rule->pattern : rule->text,
                  rule->subject == DFT_SUBJECT_REGION ? "region, instant or counter" : "function",
                  nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    free(place);
}

void dft_run_rules_tell(const struct dft_run_rules *rules, const char *program)
{
    struct dft_function_names functions;
    unsigned unmatched = 0;

    if (!rules->marks || rules->marks->processes == 0)
        return;
    /* A copy: daemons may still set bits. */
    size_t bytes = dft_rule_marks_bytes(count_rules(rules->rules));
    size_t size = bytes + dft_rule_marks_bytes(count_rules(rules->patterns));
    uint8_t *matched = dft_tool_zeroed(size, 1);
    memcpy(matched, rules->marks->bits, size);
    struct review reviews[] = {
        {rules->rules, matched, rules->path, rules->named},
        {rules->patterns, matched + bytes, NULL, 0},
    };
    dft_function_names_read(&functions, program);
    for (size_t i = 0; i < sizeof reviews / sizeof *reviews; i++) {
        if (reviews[i].list && functions.from_symbols)
            match_symbols(&reviews[i], &functions);
        for (size_t j = 0; j < count_rules(reviews[i].list); j++)
            if (dft_rule_marks_lack(reviews[i].matched, reviews[i].list, j) &&
                ++unmatched <= RULES_NAMED)
                report_rule(&reviews[i], j, &functions);
    }
    if (unmatched > RULES_NAMED)
        dft_tool_warn("%u more rules matched nothing", unmatched - RULES_NAMED);
    dft_function_names_free(&functions);
    free(matched);
}

void dft_run_rules_free(struct dft_run_rules *rules)
{
    if (rules->marks)
        munmap(rules->marks,
               dft_rule_marks_size(count_rules(rules->rules), count_rules(rules->patterns)));
    dft_allowlist_free(rules->rules);
    dft_allowlist_free(rules->patterns);
    free(rules->path);
}
