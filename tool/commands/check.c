/*
 * dftrace check: explains an allowlist or a configuration file, how it applies to a function, and
 * what it matched in a program.
 */
#include "allowlist/allowlist.h"
#include "allowlist/plain.h"
#include "configuration/configuration.h"
#include "dftrace/abi.h"
#include "tool/base/flags.h"
#include "tool/base/text.h"
#include "tool/base/tool.h"
#include "tool/build/plugin_report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLAG_SRC, FLAG_REPORT };

static const struct dft_flag flags[] = {
    {"--src", "PATH", "the file that the NAMEs are defined in, for src: rules"},
    {"--report", "FILE",
     "what the compiler plugin wrote (-fplugin-arg-dftrace-report=FILE): count\n"
     "what each rule matched; may be given several times"},
    {0},
};

static const struct dft_help usage = {
    .command = "check",
    .synopsis = "ALLOWLIST [NAME...] [OPTIONS]",
    .text = "Reads an allowlist as the compiler plugins do. Without NAME it explains each rule;\n"
            "with NAMEs it says for each of these functions whether it would be traced, and by\n"
            "which rule. A NAME is a function's name (solver::step) or its linkage name; for a\n"
            "function of Python its qualified name, with or without the module in front\n"
            "(json.decoder:JSONDecoder.decode); or region:NAME for what the program itself\n"
            "reports under that name.\n\n"
            "If ALLOWLIST ends in .yaml or .yml, it is read as `dftrace run -c` reads it: check\n"
            "shows the options that it sets, and explains its rules.",
    .flags = flags,
};

struct request {
    const char *path;
    const char **names;
    size_t name_count;
    const char *source;
    const char **reports;
    size_t report_count;
};

/* --- a file that is not an allowlist --- */

#define SHOWN_BEFORE 60 /* bytes of a long line, before and after the column */
#define SHOWN_BEHIND 40

/* Moves a position to the nearest beginning of a UTF-8 character, `by` bytes at a time. */
static size_t to_character(struct dft_text text, size_t at, int by)
{
    while (at > 0 && at < text.length && ((unsigned char)text.at[at] & 0xc0) == 0x80)
        at += (size_t)by;
    return at;
}

/* Prints a line with a caret below the byte at `column`; of a long line, only what is around it. */
static void print_mistake(struct dft_text text, size_t column)
{
    size_t begin = 0, end = text.length;
    const char *before = "", *behind = "";

    if (column > text.length)
        column = text.length;
    if (column > SHOWN_BEFORE + SHOWN_BEHIND) {
        begin = to_character(text, column - SHOWN_BEFORE, 1);
        before = "…";
    }
    if (text.length - column > SHOWN_BEFORE + SHOWN_BEHIND) {
        end = to_character(text, column + SHOWN_BEHIND, -1);
        behind = "…";
    }
    struct dft_text shown = {text.at + begin, end - begin};
    struct dft_text front = {text.at + begin, column - begin};
    fprintf(stderr, "    %s", before);
    dft_text_print_visible(stderr, shown);
    fprintf(stderr, "%s\n    %*s^\n", behind, (int)(dft_text_width(front) + (*before != 0)), "");
}

/* Prints the line with the error. */
static void show_line(const char *path, const struct dft_allowlist_error *error)
{
    FILE *file = error->line > 0 ? fopen(path, "re") : NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t length = -1;

    for (unsigned i = 0; file && i < error->line; i++)
        length = getline(&line, &room, file);
    if (file)
        fclose(file);
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        length--;
    if (length > 0) {
        /* Columns count bytes; what is shown may be wider or narrower. */
        size_t before = error->column > 0 ? error->column - 1 : 0;

        print_mistake((struct dft_text){line, (size_t)length}, before);
    }
    free(line);
}

static void show_error(const char *path, const struct dft_allowlist_error *error)
{
    dft_tool_diagnose(path, error->line, error->column, error->message);
    show_line(path, error);
}

static struct dft_allowlist *load(const char *path)
{
    struct dft_allowlist_error error = {0};
    struct dft_allowlist *list = dft_allowlist_load(path, &error);

    if (!list)
        show_error(path, &error);
    return list;
}

/* --- rules --- */

/* The names of a set as " (without a, b)"; empty if there are none; to be freed. */
static char *name_left_out(const struct dft_allowlist *list, const struct dft_name_set *set)
{
    char *names = dft_tool_format("%s", "");
    const char *name;

    for (size_t place = 0; (name = dft_allowlist_next_left_out(list, set, &place));) {
        char *more = dft_tool_format("%s%s%s", names, *names ? ", " : " (without ", name);

        free(names);
        names = more;
    }
    char *closed = dft_tool_format("%s%s", names, *names ? ")" : "");
    free(names);
    return closed;
}

/* What a rule means for regions; to be freed. */
static char *explain_region_rule(const struct dft_rule *rule)
{
    bool never = rule->section == DFT_SECTION_NEVER;
    const char *also = rule->section == DFT_SECTION_SAMPLE
                           ? "; each also records its CPU time and memory"
                       : rule->section == DFT_SECTION_AGGREGATE
                           ? "; they are added up, none has an event of its own"
                           : "";

    return dft_tool_format("%s %s%s%s%s%s, at run time", never ? "never records" : "records",
                           rule->is_glob ? "every region, instant and counter whose name matches "
                                         : "the region, instant or counter ",
                           rule->pattern, rule->category ? ", as category " : "",
                           rule->category ? rule->category : "", also);
}

/* Describes a rule in a sentence; to be freed. */
static char *explain_rule(const struct dft_allowlist *list, const struct dft_rule *rule)
{
    bool never = rule->section == DFT_SECTION_NEVER;
    const char *each = never ? "never traces any" : "traces every";
    char *what;

    if (rule->subject == DFT_SUBJECT_REGION)
        return explain_region_rule(rule);
    if (rule->subject == DFT_SUBJECT_SOURCE)
        what = dft_tool_format("%s function defined in %s%s", each,
                               rule->is_glob ? "a file that matches " : "", rule->pattern);
    else if (rule->is_glob)
        what = dft_tool_format("%s function whose name matches %s", each, rule->pattern);
    else
        what =
            dft_tool_format("%s the function %s", never ? "never traces" : "traces", rule->pattern);
    const char *also = rule->section == DFT_SECTION_SAMPLE
                           ? "; every call also records its CPU time and memory"
                       : rule->section == DFT_SECTION_ARGS
                           ? "; every call also records its arguments and return value"
                       : rule->section == DFT_SECTION_AGGREGATE
                           ? "; its calls are added up, none has an event of its own"
                           : "";
    char *without = name_left_out(list, &rule->left_out);

    char *sentence = dft_tool_format("%s%s%s%s%s", what, rule->category ? ", as category " : "",
                                     rule->category ? rule->category : "", also, without);
    free(without);
    free(what);
    return sentence;
}

static void print_padded(struct dft_text text, size_t width)
{
    dft_text_print_visible(stdout, text);
    for (size_t used = dft_text_width(text); used < width; used++)
        putchar(' ');
}

/* Longer rules do not widen the column. */
#define WIDEST_RULE 40

static void print_rules(const struct dft_allowlist *list, const struct dft_plugin_report *report)
{
    size_t count = dft_allowlist_count(list);
    size_t width = strlen("RULE");

    for (size_t i = 0; i < count; i++) {
        size_t own = dft_text_width(dft_text(dft_allowlist_rule(list, i)->text));

        if (own > width && own <= WIDEST_RULE)
            width = own;
    }
    printf("LINE  %s", report ? "FUNCTIONS  " : "");
    print_padded(dft_text("RULE"), width);
    puts("  MEANING");
    for (size_t i = 0; i < count; i++) {
        const struct dft_rule *rule = dft_allowlist_rule(list, i);
        char *meaning = explain_rule(list, rule);

        printf("%4u  ", rule->line);
        if (report && rule->subject == DFT_SUBJECT_REGION)
            printf("%9s  ", "-");
        else if (report)
            printf("%9zu  ", dft_plugin_report_count(report, i));
        print_padded(dft_text(rule->text), width);
        fputs("  ", stdout);
        dft_text_print_visible(stdout, dft_text(meaning));
        putchar('\n');
        free(meaning);
    }
}

/* --- names --- */

#define REGION_PREFIX "region:"

static void print_deciding_rule(const struct dft_verdict *verdict)
{
    if (verdict->rule) {
        printf(", by line %u: ", verdict->rule->line);
        dft_text_print_visible(stdout, dft_text(verdict->rule->text));
        if (verdict->rule->section != DFT_SECTION_TRACE)
            printf(" in [%s]", dft_section_name(verdict->rule->section));
    } else {
        fputs(": no rule matches", stdout);
    }
    putchar('\n');
}

static void print_verdict(const struct dft_allowlist *list, const char *name,
                          const struct dft_names *names, const struct dft_verdict *verdict)
{
    dft_text_print_visible(stdout, dft_text(name));
    if (names && strcmp(names->qualified, name) != 0 && strcmp(names->signature, name) != 0) {
        fputs(" (", stdout);
        dft_text_print_visible(stdout, dft_text(names->signature));
        putchar(')');
    }
    fputs(verdict->traced ? ": traced" : ": not traced", stdout);
    if (verdict->traced) {
        fputs(" as ", stdout);
        dft_text_print_visible(stdout, dft_text(verdict->category));
        if (verdict->flags & DFTRACE_SITE_SAMPLE)
            fputs(", with CPU time and memory", stdout);
        if (verdict->flags & DFTRACE_SITE_AGGREGATE)
            fputs(", its calls added up", stdout);
        if (verdict->flags & DFTRACE_SITE_ARGS) {
            char *without = name_left_out(list, &verdict->left_out);

            fputs(", with arguments and return value", stdout);
            dft_text_print_visible(stdout, dft_text(without));
            free(without);
        }
    }
    print_deciding_rule(verdict);
}

/* `name` begins with "region:". */
static void judge_region(const struct dft_allowlist *list, const char *name)
{
    struct dft_verdict verdict;

    dft_allowlist_match_region(list, name + strlen(REGION_PREFIX), &verdict, NULL);
    dft_text_print_visible(stdout, dft_text(name));
    fputs(verdict.traced ? ": recorded" : ": not recorded", stdout);
    if (verdict.traced && verdict.category) {
        fputs(" as ", stdout);
        dft_text_print_visible(stdout, dft_text(verdict.category));
    }
    if (verdict.flags & DFTRACE_SITE_SAMPLE)
        fputs(", with CPU time and memory", stdout);
    if (verdict.flags & DFTRACE_SITE_AGGREGATE)
        fputs(", added up", stdout);
    print_deciding_rule(&verdict);
}

static bool judge(const struct dft_allowlist *list, const char *name, enum dft_language language,
                  const struct request *request, const char *directory, bool only_if_matched)
{
    struct dft_names names;
    struct dft_verdict verdict;

    if (!dft_names_make_written(name, language, &names)) {
        dft_tool_error("out of memory");
        exit(DFT_EXIT_FAILED);
    }
    dft_allowlist_match(list, &names, request->source, directory, &verdict);
    bool matched = verdict.rule != NULL;
    if (matched || !only_if_matched)
        print_verdict(list, name, &names, &verdict);
    dft_names_free(&names);
    return matched;
}

/*
 * A function of an interpreted language: MODULE:QUALIFIED.NAME, or without the module. False if no
 * rule matches it.
 */
static bool judge_guest(const struct dft_allowlist *list, const char *name,
                        const struct request *request)
{
    const char *colon = strchr(name, ':'), *qualified = colon ? colon + 1 : name;
    const char *dot = strrchr(qualified, '.');
    struct dft_guest_names names;
    struct dft_verdict verdict;

    if (colon && (strchr(qualified, ':') || strchr(qualified, '('))) /* C++ */
        return false;
    char *module = dft_tool_copy(name, colon ? (size_t)(colon - name) : 0);
    dft_guest_names_make(&names, dot ? dot + 1 : qualified, qualified, module);
    dft_allowlist_match_guest(list, &names, request->source, &verdict, NULL);
    if (verdict.rule)
        print_verdict(list, name, NULL, &verdict);
    free(module);
    return verdict.rule != NULL;
}

static void print_verdicts(const struct dft_allowlist *list, const struct request *request)
{
    char *directory = getcwd(NULL, 0);

    for (size_t i = 0; i < request->name_count; i++) {
        const char *name = request->names[i];

        if (strncmp(name, REGION_PREFIX, strlen(REGION_PREFIX)) == 0) {
            judge_region(list, name);
            continue;
        }
        /* "solve_" may be a C function or Fortran's solve: the one that a rule matches is meant. */
        if (!judge(list, name, DFT_LANGUAGE_C_FAMILY, request, directory, true) &&
            !judge(list, name, DFT_LANGUAGE_FORTRAN, request, directory, true) &&
            !judge_guest(list, name, request))
            judge(list, name, DFT_LANGUAGE_C_FAMILY, request, directory, false);
    }
    free(directory);
}

/* --- a whole program --- */

static void print_left_out(const struct dft_plugin_report *report)
{
    size_t count;
    const struct dft_left_out *left_out = dft_plugin_report_left_out(report, &count);

    if (count > 0)
        puts("\nMatched, but without hooks:");
    for (size_t i = 0; i < count; i++) {
        fputs("  ", stdout);
        dft_text_print_visible(stdout, dft_text(left_out[i].function));
        fputs(" (", stdout);
        dft_text_print_visible(stdout, dft_text(left_out[i].place));
        fputs("): ", stdout);
        dft_text_print_visible(stdout, dft_text(left_out[i].reason));
        putchar('\n');
    }
}

static void warn_of_idle_rules(const struct dft_allowlist *list, const char *path,
                               const struct dft_plugin_report *report)
{
    for (size_t i = 0; i < dft_allowlist_count(list); i++) {
        const struct dft_rule *rule = dft_allowlist_rule(list, i);

        if (rule->subject != DFT_SUBJECT_REGION && dft_plugin_report_count(report, i) == 0)
            dft_tool_warn("%s:%u: '%s' decided on no function: it is misspelt, or other rules "
                          "decide on all that it matches",
                          path, rule->line, rule->text);
    }
    const char *name;
    struct dft_name_set all;
    memset(&all, 0xff, sizeof all);
    for (size_t place = 0; (name = dft_allowlist_next_left_out(list, &all, &place));)
        if (!dft_plugin_report_has_without(report, place - 1))
            dft_tool_warn("%s: '!%s' left out nothing: no function that its rules match has a "
                          "parameter of that name",
                          path, name);
    size_t strangers = dft_plugin_report_strangers(report);
    if (strangers > 0)
        dft_tool_warn("%zu %s by a rule that is not in %s: the allowlist has changed since, or is "
                      "another one; compile again",
                      strangers, strangers == 1 ? "function was decided" : "functions were decided",
                      path);
}

static int print_program(const struct dft_allowlist *list, const struct request *request)
{
    struct dft_plugin_report *report = dft_plugin_report_new(list);
    bool good = true;

    for (size_t i = 0; i < request->report_count && good; i++)
        good = dft_plugin_report_add(report, request->reports[i]);
    if (good) {
        print_rules(list, report);
        printf("\n%zu of %zu functions are instrumented\n", dft_plugin_report_instrumented(report),
               dft_plugin_report_functions(report));
        print_left_out(report);
        warn_of_idle_rules(list, request->path, report);
    }
    dft_plugin_report_free(report);
    return good ? DFT_EXIT_OK : DFT_EXIT_FAILED;
}

/* --- a configuration file --- */

static bool is_configuration(const char *path)
{
    struct dft_text text = dft_text(path);

    return dft_text_ends_with(text, ".yaml") || dft_text_ends_with(text, ".yml");
}

/* The options as they would be set in the environment. */
static void print_settings(const struct dft_configuration *configuration)
{
    size_t width = strlen("KEY");

    for (size_t i = 0; i < configuration->count; i++) {
        size_t own = dft_text_width(dft_text(configuration->settings[i].key));

        width = own > width ? own : width;
    }
    fputs("LINE  ", stdout);
    print_padded(dft_text("KEY"), width);
    puts("  OPTION");
    for (size_t i = 0; i < configuration->count; i++) {
        const struct dft_configuration_setting *setting = &configuration->settings[i];

        printf("%4u  ", setting->at.line);
        print_padded(dft_text(setting->key), width);
        printf("  DFTRACER_%s=", setting->name);
        dft_text_print_shell(stdout, dft_text(setting->value));
        printf("%s\n", setting->warning || setting->ignored ? "  (without effect)" : "");
    }
}

static void print_warnings(const struct dft_configuration *configuration, const char *path)
{
    for (size_t i = 0; i < configuration->count; i++) {
        const struct dft_configuration_setting *setting = &configuration->settings[i];

        if (setting->warning)
            dft_tool_warn("%s:%u:%u: %s: %s", path, setting->at.line, setting->at.column,
                          setting->key, setting->warning);
    }
}

/* The rules of the file; NULL if there are none. False after a message. */
static bool load_configuration(const struct request *request, struct dft_allowlist **list)
{
    struct dft_configuration configuration;
    struct dft_allowlist_error error;

    if (!dft_configuration_load(request->path, &configuration, &error)) {
        show_error(request->path, &error);
        return false;
    }
    bool quiet = request->name_count > 0 || request->report_count > 0;
    if (configuration.count > 0 && !quiet)
        print_settings(&configuration);
    print_warnings(&configuration, request->path);
    *list = dft_configuration_allowlist(&configuration);
    bool done = *list || (!configuration.rules && !quiet);
    if (!done)
        dft_tool_error("%s: %s", request->path,
                       configuration.rules ? "out of memory" : "the file has no rules");
    if (*list && configuration.count > 0 && !quiet)
        putchar('\n');
    dft_configuration_free(&configuration);
    return done;
}

/* --- the command --- */

static int answer(const struct request *request)
{
    struct dft_allowlist *list = NULL;
    int status = DFT_EXIT_OK;

    if (is_configuration(request->path)) {
        if (!load_configuration(request, &list))
            return DFT_EXIT_FAILED;
    } else {
        list = load(request->path);
    }
    if (!list)
        return is_configuration(request->path) ? DFT_EXIT_OK : DFT_EXIT_FAILED;
    if (request->report_count > 0)
        status = print_program(list, request);
    else if (request->name_count == 0)
        print_rules(list, NULL);
    if (status == DFT_EXIT_OK)
        print_verdicts(list, request);
    dft_allowlist_free(list);
    return status;
}

static int read_request(int argc, char **argv, struct request *request, bool *done)
{
    struct dft_flags line = {.usage = &usage, .argc = argc, .argv = argv};

    for (;;) {
        switch (dft_flags_next(&line)) {
        case DFT_FLAG_WORD:
            if (!request->path)
                request->path = line.value;
            else
                request->names[request->name_count++] = line.value;
            break;
        case DFT_FLAG_FOUND:
            if (line.index == FLAG_SRC)
                request->source = line.value;
            else
                request->reports[request->report_count++] = line.value;
            break;
        case DFT_FLAG_HELP:
            *done = true;
            return DFT_EXIT_OK;
        case DFT_FLAG_WRONG:
            return DFT_EXIT_USAGE;
        case DFT_FLAG_END:
            if (!request->path)
                return dft_flags_refuse(&usage, "no ALLOWLIST is given");
            if (request->source && request->name_count == 0)
                return dft_flags_refuse(&usage, "--src goes with a NAME");
            return DFT_EXIT_OK;
        }
    }
}

int dft_cmd_check(int argc, char **argv)
{
    struct request request = {0};
    bool done = false;

    request.names = dft_tool_zeroed((size_t)argc, sizeof *request.names);
    request.reports = dft_tool_zeroed((size_t)argc, sizeof *request.reports);
    int status = read_request(argc, argv, &request, &done);
    if (status == DFT_EXIT_OK && !done && request.path)
        status = answer(&request);
    free(request.reports);
    free(request.names);
    return status;
}
