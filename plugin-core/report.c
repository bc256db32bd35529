/* Report lines. Runs in the compilers; errors are negative errno values. */
#include "plugin-core/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void put_string(FILE *out, const char *key, const char *text)
{
    fprintf(out, "%s\"", key);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at < 0x20)
            fprintf(out, "\\u%04x", *at);
        else
            fputc(*at, out);
    }
    fputc('"', out);
}

static void put_rule(FILE *out, const struct dft_report_entry *entry)
{
    if (!entry->verdict->rule)
        return;
    put_string(out, ",\"rule\":", entry->verdict->rule->text);
    fprintf(out, ",\"rule_line\":%u", entry->verdict->rule->line);
    put_string(out, ",\"allowlist\":", entry->allowlist);
}

char *dft_report_line(const struct dft_report_entry *entry)
{
    const struct dft_verdict *verdict = entry->verdict;
    bool instrumented = verdict->traced && !entry->reason;
    char *line = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&line, &length);

    if (!out)
        return NULL;
    put_string(out, "{\"function\":", entry->names->qualified);
    put_string(out, ",\"linkage_name\":", entry->names->linkage);
    put_string(out, ",\"file\":", entry->file);
    fprintf(out, ",\"line\":%u,\"instrumented\":%s", entry->line, instrumented ? "true" : "false");
    put_rule(out, entry);
    if (instrumented)
        put_string(out, ",\"category\":", verdict->category);
    else
        put_string(out, ",\"reason\":",
                   entry->reason   ? entry->reason
                   : verdict->rule ? "a [never] rule matches"
                                   : "no rule matches");
    if (instrumented && entry->without && entry->without[0])
        put_string(out, ",\"without\":", entry->without);
    fputs("}\n", out);
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(line);
        return NULL;
    }
    return line;
}

int dft_report_append(const char *path, const char *text, size_t length)
{
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
