/* The report that the plugins write on request. Runs in the compilers. */
#include "plugin-core/report.h"

#include "text/json_string.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Appends `key`, which includes its punctuation, and `text` as a JSON string. */
static void append_string(struct dft_string *report, const char *key, const char *text)
{
    dft_string_append_text(report, key);
    dft_string_append_text(report, "\"");
    for (size_t length = strlen(text); length > 0;) {
        char escaped[DFT_JSON_CHARACTER_MAX + 1];
        uint32_t point;

        escaped[dft_json_take_character(&text, &length, escaped, &point)] = '\0';
        dft_string_append_text(report, escaped);
    }
    dft_string_append_text(report, "\"");
}

static void append_number(struct dft_string *report, const char *key, unsigned number)
{
    char text[16];

    snprintf(text, sizeof text, "%u", number);
    dft_string_append_text(report, key);
    dft_string_append_text(report, text);
}

static void append_rule(struct dft_string *report, const struct dft_report_entry *entry)
{
    if (!entry->verdict->rule)
        return;
    append_string(report, ",\"rule\":", entry->verdict->rule->text);
    append_number(report, ",\"rule_line\":", entry->verdict->rule->line);
    append_string(report, ",\"allowlist\":", entry->allowlist);
}

static const char *reason_of(const struct dft_report_entry *entry)
{
    if (entry->skip != DFT_SKIP_NONE)
        return dft_skip_reason(entry->skip);
    return entry->verdict->rule ? "a [never] rule matches" : "no rule matches";
}

void dft_report_add(struct dft_string *report, const struct dft_report_entry *entry)
{
    bool instrumented = entry->verdict->traced && entry->skip == DFT_SKIP_NONE;

    append_string(report, "{\"function\":", entry->names->qualified);
    append_string(report, ",\"linkage_name\":", entry->names->linkage);
    append_string(report, ",\"file\":", entry->file);
    append_number(report, ",\"line\":", entry->line);
    dft_string_append_text(report, ",\"instrumented\":");
    dft_string_append_text(report, instrumented ? "true" : "false");
    append_rule(report, entry);
    if (instrumented)
        append_string(report, ",\"category\":", entry->verdict->category);
    else
        append_string(report, ",\"reason\":", reason_of(entry));
    if (instrumented && entry->omitted[0])
        append_string(report, ",\"without\":", entry->omitted);
    dft_string_append_text(report, "}\n");
}

int dft_report_write(const char *path, const struct dft_string *report)
{
    const char *text = dft_string_text(report);
    size_t length = report->length;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

    if (fd < 0)
        return -errno;
    while (length > 0) {
        ssize_t n = write(fd, text, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            int error = n < 0 ? errno : EIO;
            close(fd);
            return -error;
        }
        text += n;
        length -= (size_t)n;
    }
    return close(fd) == 0 ? 0 : -errno;
}
