/*
 * Reads plugin reports: each line is a JSON object for one function in one object file.
 */
#include "tool/build/plugin_report.h"

#include "tool/base/index.h"
#include "tool/base/tool.h"
#include "tool/trace/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct dft_text function;
    struct dft_text linkage_name;
    struct dft_text file;
    struct dft_text rule;
    struct dft_text reason;
    struct dft_text without;
    int64_t line;
    int64_t rule_line;
    bool has_instrumented;
    bool instrumented;
};

struct dft_plugin_report {
    const struct dft_allowlist *list;
    size_t *counts; /* by rule */
    char **keys;    /* functions so far: "file\nlinkage name" */
    bool *hooked;   /* parallel to them */
    size_t key_count;
    size_t key_room;
    struct dft_index index;
    size_t strangers;
    struct dft_left_out *left_out;
    size_t left_out_count;
    size_t left_out_room;
    bool without[DFT_OMISSION_MAX]; /* parameters that some function has */
};

struct dft_plugin_report *dft_plugin_report_new(const struct dft_allowlist *list)
{
    struct dft_plugin_report *report = dft_tool_zeroed(1, sizeof *report);

    report->list = list;
    report->counts = dft_tool_zeroed(dft_allowlist_count(list), sizeof *report->counts);
    return report;
}

/* --- one line --- */

static enum dft_scan read_text(struct dft_scanner *scanner, struct dft_scratch *scratch,
                               struct dft_text *text)
{
    struct dft_scan_string string;
    enum dft_scan status = dft_scan_string(scanner, &string);

    if (status == DFT_SCAN_OK)
        *text = dft_scan_decode(string, scratch);
    return status;
}

static enum dft_scan read_whole(struct dft_scanner *scanner, int64_t *value)
{
    struct dft_text token;
    bool rounded;
    enum dft_scan status = dft_scan_number(scanner, &token);

    if (status == DFT_SCAN_OK && (!dft_number_scale(token, 0, value, &rounded) || rounded))
        return dft_scan_expected(scanner, token.at, "a whole number");
    return status;
}

static enum dft_scan read_flag(struct dft_scanner *scanner, struct entry *entry)
{
    struct dft_text raw;
    enum dft_scan status = dft_scan_value(scanner, &raw);

    if (status != DFT_SCAN_OK)
        return status;
    entry->has_instrumented = true;
    entry->instrumented = dft_text_is(raw, "true");
    if (!entry->instrumented && !dft_text_is(raw, "false"))
        return dft_scan_expected(scanner, raw.at, "true or false");
    return DFT_SCAN_OK;
}

static enum dft_scan read_member(struct dft_scanner *scanner, struct dft_scratch *scratch,
                                 struct dft_text key, struct entry *entry)
{
    struct dft_text ignored;

    if (dft_text_is(key, "function"))
        return read_text(scanner, scratch, &entry->function);
    if (dft_text_is(key, "linkage_name"))
        return read_text(scanner, scratch, &entry->linkage_name);
    if (dft_text_is(key, "file"))
        return read_text(scanner, scratch, &entry->file);
    if (dft_text_is(key, "rule"))
        return read_text(scanner, scratch, &entry->rule);
    if (dft_text_is(key, "reason"))
        return read_text(scanner, scratch, &entry->reason);
    if (dft_text_is(key, "without"))
        return read_text(scanner, scratch, &entry->without);
    if (dft_text_is(key, "line"))
        return read_whole(scanner, &entry->line);
    if (dft_text_is(key, "rule_line"))
        return read_whole(scanner, &entry->rule_line);
    if (dft_text_is(key, "instrumented"))
        return read_flag(scanner, entry);
    return dft_scan_value(scanner, &ignored);
}

static enum dft_scan read_entry(struct dft_scanner *scanner, struct dft_scratch *scratch,
                                struct entry *entry)
{
    static const struct dft_text none = {"", 0};
    struct dft_scan_string key;
    bool first = true;
    bool done = false;
    const char *begin = scanner->at;
    enum dft_scan status = dft_scan_byte(scanner, '{', "an object");

    *entry = (struct entry){none, none, none, none, none, none, 0, 0, false, false};
    while (status == DFT_SCAN_OK) {
        status = dft_scan_member(scanner, &first, &done, &key);
        if (status != DFT_SCAN_OK || done)
            break;
        status = read_member(scanner, scratch, dft_scan_decode(key, scratch), entry);
    }
    if (status != DFT_SCAN_OK)
        return status;
    dft_scan_space(scanner);
    if (scanner->at < scanner->end)
        return dft_scan_expected(scanner, scanner->at, "the end of the line");
    if (entry->function.length == 0 || !entry->has_instrumented)
        return dft_scan_problem(scanner, begin,
                                "the object has no \"function\" or no \"instrumented\"; expected a "
                                "report of the compiler plugin");
    return DFT_SCAN_OK;
}

/* --- adding up --- */

struct key_search {
    const struct dft_plugin_report *report;
    const char *key;
};

static bool key_matches(const void *context, uint32_t number)
{
    const struct key_search *search = context;

    return strcmp(search->report->keys[number], search->key) == 0;
}

/* True if the function is new. */
static bool note_function(struct dft_plugin_report *report, const struct entry *entry)
{
    struct dft_text name = entry->linkage_name.length > 0 ? entry->linkage_name : entry->function;
    char *key = dft_tool_format("%.*s\n%.*s", (int)entry->file.length, entry->file.at,
                                (int)name.length, name.at);
    struct key_search search = {report, key};
    uint64_t hash = dft_hash_text(1, dft_text(key));
    uint32_t found = dft_index_find(&report->index, hash, key_matches, &search);

    if (found != DFT_INDEX_NONE) {
        report->hooked[found] |= entry->instrumented;
        free(key);
        return false;
    }
    if (report->key_count == report->key_room) {
        report->key_room = report->key_room ? report->key_room * 2 : 64;
        report->keys = dft_tool_resize(report->keys, report->key_room, sizeof *report->keys);
        report->hooked = dft_tool_resize(report->hooked, report->key_room, sizeof *report->hooked);
    }
    dft_index_add(&report->index, hash, (uint32_t)report->key_count);
    report->keys[report->key_count] = key;
    report->hooked[report->key_count++] = entry->instrumented;
    return true;
}

/* The rule that decided on the function; SIZE_MAX if it is not in the allowlist. */
static size_t find_rule(const struct dft_plugin_report *report, const struct entry *entry)
{
    for (size_t i = 0; i < dft_allowlist_count(report->list); i++) {
        const struct dft_rule *rule = dft_allowlist_rule(report->list, i);

        if (rule->line == entry->rule_line && dft_text_is(entry->rule, rule->text))
            return i;
    }
    return SIZE_MAX;
}

static void note_left_out(struct dft_plugin_report *report, const struct entry *entry)
{
    if (report->left_out_count == report->left_out_room) {
        report->left_out_room = report->left_out_room ? report->left_out_room * 2 : 16;
        report->left_out =
            dft_tool_resize(report->left_out, report->left_out_room, sizeof *report->left_out);
    }
    report->left_out[report->left_out_count++] = (struct dft_left_out){
        .function = dft_tool_copy(entry->function.at, entry->function.length),
        .place =
            dft_tool_format("%.*s:%" PRId64, (int)entry->file.length, entry->file.at, entry->line),
        .reason = dft_tool_copy(entry->reason.at, entry->reason.length),
    };
}

static bool has_word(struct dft_text words, const char *word)
{
    size_t length = strlen(word);

    for (size_t i = 0; i + length <= words.length; i++)
        if ((i == 0 || words.at[i - 1] == ',') && memcmp(words.at + i, word, length) == 0 &&
            (i + length == words.length || words.at[i + length] == ','))
            return true;
    return false;
}

static void note_without(struct dft_plugin_report *report, const struct entry *entry)
{
    struct dft_name_set all;
    const char *name;

    memset(&all, 0xff, sizeof all);
    for (size_t place = 0; (name = dft_allowlist_next_left_out(report->list, &all, &place));)
        report->without[place - 1] |= has_word(entry->without, name);
}

static void add_entry(struct dft_plugin_report *report, const struct entry *entry)
{
    bool is_new = note_function(report, entry);

    if (entry->without.length > 0)
        note_without(report, entry);

    if (entry->rule.length == 0)
        return;
    size_t rule = find_rule(report, entry);
    if (rule == SIZE_MAX) {
        report->strangers++;
        return;
    }
    if (!is_new)
        return;
    report->counts[rule]++;
    if (!entry->instrumented &&
        dft_allowlist_rule(report->list, rule)->section != DFT_SECTION_NEVER)
        note_left_out(report, entry);
}

/* --- files --- */

static void report_fault(const char *path, unsigned number, const char *line,
                         const struct dft_scanner *scanner, enum dft_scan status)
{
    const char *at = status == DFT_SCAN_MORE ? scanner->end : scanner->fault;
    char *message;

    if (status == DFT_SCAN_MORE)
        message =
            dft_tool_format("the line ends inside its object; compile again with a new report");
    else if (scanner->expected && at < scanner->end)
        message = dft_tool_format("found '%c', expected %s", *at, scanner->expected);
    else if (scanner->expected)
        message = dft_tool_format("found the end of the line, expected %s", scanner->expected);
    else
        message = dft_tool_format("%s", scanner->problem);
    dft_tool_diagnose(path, number, (unsigned)(at - line) + 1, message);
    free(message);
}

static bool add_lines(struct dft_plugin_report *report, FILE *file, const char *path)
{
    struct dft_scratch scratch = {0};
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    bool good = true;
    ssize_t length;

    while (good && (length = getline(&line, &room, file)) >= 0) {
        struct entry entry;

        number++;
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            length--;
        struct dft_scanner scanner = {.at = line, .end = line + length};
        dft_scan_space(&scanner);
        if (scanner.at == scanner.end)
            continue;
        enum dft_scan status = read_entry(&scanner, &scratch, &entry);
        if (status == DFT_SCAN_OK)
            add_entry(report, &entry);
        else
            report_fault(path, number, line, &scanner, status);
        good = status == DFT_SCAN_OK;
        dft_scratch_reset(&scratch);
    }
    if (ferror(file)) {
        dft_tool_error("%s: cannot be read: %s", path, strerror(errno));
        good = false;
    }
    dft_scratch_free(&scratch);
    free(line);
    return good;
}

bool dft_plugin_report_add(struct dft_plugin_report *report, const char *path)
{
    FILE *file = fopen(path, "re");

    if (!file) {
        dft_tool_error("%s: cannot be opened: %s; compile with "
                       "-fplugin-arg-dftrace-report=%s to write it",
                       path, strerror(errno), path);
        return false;
    }
    bool good = add_lines(report, file, path);
    fclose(file);
    return good;
}

/* --- results --- */

size_t dft_plugin_report_count(const struct dft_plugin_report *report, size_t index)
{
    return report->counts[index];
}

size_t dft_plugin_report_functions(const struct dft_plugin_report *report)
{
    return report->key_count;
}

size_t dft_plugin_report_instrumented(const struct dft_plugin_report *report)
{
    size_t count = 0;

    for (size_t i = 0; i < report->key_count; i++)
        count += report->hooked[i];
    return count;
}

size_t dft_plugin_report_strangers(const struct dft_plugin_report *report)
{
    return report->strangers;
}

const struct dft_left_out *dft_plugin_report_left_out(const struct dft_plugin_report *report,
                                                      size_t *count)
{
    *count = report->left_out_count;
    return report->left_out;
}

bool dft_plugin_report_has_without(const struct dft_plugin_report *report, size_t place)
{
    return report->without[place];
}

void dft_plugin_report_free(struct dft_plugin_report *report)
{
    for (size_t i = 0; i < report->key_count; i++)
        free(report->keys[i]);
    for (size_t i = 0; i < report->left_out_count; i++) {
        free(report->left_out[i].function);
        free(report->left_out[i].place);
        free(report->left_out[i].reason);
    }
    dft_index_free(&report->index);
    free(report->left_out);
    free(report->hooked);
    free(report->keys);
    free(report->counts);
    free(report);
}
