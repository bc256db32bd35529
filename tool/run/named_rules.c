/* See named_rules.h. */
#include "tool/run/named_rules.h"

#include "tool/base/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALLOWLIST "DFTRACER_ALLOWLIST"
#define PREFIX "fun:"

/* `fun:` is added to a name without one; `fun::f` is a function of C++ in the namespace `fun`. */
static const char *missing_prefix(const char *name)
{
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0 && name[strlen(PREFIX)] != ':' ? "" : PREFIX;
}

bool dft_named_rules_add(struct dft_named_rules *named, const char *name)
{
    struct dft_allowlist_error error = {.message = "a line break in a name"};
    char *line = dft_tool_format("%s%s\n", missing_prefix(name), name);
    struct dft_allowlist *list =
        strpbrk(name, "\r\n") ? NULL : dft_allowlist_parse(line, strlen(line), &error);
    bool is_rule = list && dft_allowlist_count(list) == 1;

    if (!list)
        dft_tool_error("run: -t %s: %s", name, error.message);
    else if (!is_rule)
        dft_tool_error("run: -t '%s': expected the name of a function", name);
    if (is_rule) {
        char *text = dft_tool_format("%s%s", named->text ? named->text : "", line);
        free(named->text);
        named->text = text;
        named->count++;
    }
    dft_allowlist_free(list);
    free(line);
    return is_rule;
}

/* The contents of a file, to be freed; NULL with errno if it cannot be read. */
static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;

    *length = 0;
    if (!file)
        return NULL;
    if (getdelim(&text, &(size_t){0}, '\0', file) >= 0)
        *length = strlen(text);
    if (ferror(file)) {
        free(text);
        text = NULL;
    } else if (!text) {
        text = dft_tool_copy("", 0);
    }
    fclose(file);
    return text;
}

/* The rules of the run without the named ones, to be freed; NULL after a message. */
static char *read_others(const struct dft_run_config *config,
                         const struct dft_environment *environment)
{
    const char *path = dft_environment_find(environment, ALLOWLIST);
    size_t length;

    if (config->has_rules)
        return dft_tool_copy(config->configuration.rules, config->configuration.rules_length);
    if (!path || !*path)
        return dft_tool_copy("", 0);
    char *text = read_file(path, &length);
    if (!text)
        dft_tool_error("%s: %s", path, strerror(errno));
    return text;
}

bool dft_named_rules_share(const struct dft_named_rules *named, const struct dft_run_config *config,
                           struct dft_run_rules *rules, struct dft_environment *environment,
                           const char *directory)
{
    if (named->count == 0)
        return dft_run_config_share(config, environment, directory);
    char *others = read_others(config, environment);
    if (!others)
        return false;
    /* The others may end in another section. */
    char *all = *others ? dft_tool_format("%s\n[trace]\n%s", others, named->text)
                        : dft_tool_copy(named->text, strlen(named->text));
    bool done = dft_run_rules_replace(rules, all, named->count) &&
                dft_run_config_write(all, strlen(all), environment, directory);
    free(all);
    free(others);
    return done;
}

void dft_named_rules_free(struct dft_named_rules *named)
{
    free(named->text);
}
