/* Functions that the command line names; see named.h. */
#include "tool/run/named.h"

#include "tool/base/tool.h"
#include "tool/run/spool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTION "[trace]\n"

void dft_run_named_add(struct dft_run_named *named, const char *name)
{
    char *longer = dft_tool_format("%s%s\n", named->names ? named->names : "", name);

    free(named->names);
    named->names = longer;
}

/* The text of the allowlist file, to be freed; NULL after a message. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;

    if (!file || (getdelim(&text, &size, '\0', file) < 0 && ferror(file))) {
        dft_tool_error("cannot read %s: %s", path, strerror(errno));
        free(text);
        text = NULL;
    } else if (feof(file) && !size) {
        text = dft_tool_copy("", 0);
    }
    if (file)
        fclose(file);
    return text;
}

/* What the names are added to, to be freed; NULL after a message. */
static char *read_rules(const struct dft_environment *environment,
                        const struct dft_run_config *config)
{
    const char *path = dft_environment_find(environment, "DFTRACER_ALLOWLIST");

    if (config->has_rules)
        return dft_tool_copy(config->configuration.rules, config->configuration.rules_length);
    return path && *path ? read_file(path) : dft_tool_copy("", 0);
}

static unsigned count_lines(const char *text)
{
    unsigned lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

bool dft_run_named_check(struct dft_run_named *named, struct dft_run_rules *rules,
                         const struct dft_environment *environment,
                         const struct dft_run_config *config)
{
    struct dft_allowlist_error error = {0};

    if (!named->names)
        return true;
    struct dft_allowlist *alone = dft_allowlist_parse(named->names, strlen(named->names), &error);
    if (!alone) {
        dft_tool_error("run: -t %.*s: %s", (int)strcspn(named->names, "\n"), named->names,
                       error.message);
        return false;
    }
    dft_allowlist_free(alone);
    char *before = read_rules(environment, config);
    if (!before)
        return false;
    size_t length = strlen(before);
    bool is_open = length > 0 && before[length - 1] != '\n';
    named->text = dft_tool_format("%s%s%s%s", before, is_open ? "\n" : "",
                                  length ? SECTION : "", named->names);
    rules->named = count_lines(named->text) - count_lines(named->names) + 1;
    free(before);
    dft_allowlist_free(rules->rules);
    rules->rules = dft_allowlist_parse(named->text, strlen(named->text), &error);
    if (!rules->path)
        rules->path = dft_tool_copy("-t", strlen("-t"));
    if (!rules->rules)
        dft_tool_error("run: %s:%u: %s", rules->path, error.line, error.message);
    return rules->rules != NULL;
}

static bool write_all(int fd, const char *text)
{
    for (size_t length = strlen(text); length > 0;) {
        ssize_t written = write(fd, text, length);
        if (written < 0 && errno != EINTR)
            return false;
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

bool dft_run_named_share(const struct dft_run_named *named, struct dft_environment *environment,
                         const char *directory)
{
    if (!named->text)
        return true;
    char *path = dft_tool_format("%s/" DFT_RUN_ALLOWLIST_FILE, directory);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool done = fd >= 0 && write_all(fd, named->text);
    if (!done)
        dft_tool_error("cannot write the rules to %s: %s; -e SPOOL_DIR=DIR names another place",
                       path, strerror(errno));
    if (fd >= 0)
        close(fd);
    dft_environment_set(environment, "DFTRACER_ALLOWLIST", path);
    free(path);
    return done;
}

void dft_run_named_free(struct dft_run_named *named)
{
    free(named->names);
    free(named->text);
}
