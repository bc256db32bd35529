/* See environment.h. */
#include "tool/run/environment.h"

#include "tool/base/tool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_of(const char *entry, const char *name)
{
    size_t length = strlen(name);

    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

static const char *find(char *const *entries, const char *name)
{
    for (; entries && *entries; entries++)
        if (is_of(*entries, name))
            return *entries + strlen(name) + 1;
    return NULL;
}

const char *dft_environment_get(const char *name)
{
    return find(environ, name);
}

const char *dft_environment_find(const struct dft_environment *environment, const char *name)
{
    return find(environment->entries, name);
}

void dft_environment_copy(struct dft_environment *environment)
{
    environment->count = 0;
    while (environ && environ[environment->count])
        environment->count++;
    environment->entries =
        dft_tool_zeroed((size_t)environment->count + 1, sizeof *environment->entries);
    for (unsigned i = 0; i < environment->count; i++)
        environment->entries[i] = dft_tool_copy(environ[i], strlen(environ[i]));
}

void dft_environment_set(struct dft_environment *environment, const char *name, const char *value)
{
    unsigned at = 0;

    while (at < environment->count && !is_of(environment->entries[at], name))
        at++;
    if (at == environment->count) {
        environment->entries =
            dft_tool_resize(environment->entries, (size_t)at + 2, sizeof *environment->entries);
        environment->entries[at + 1] = NULL;
        environment->count++;
    } else {
        free(environment->entries[at]);
    }
    environment->entries[at] = dft_tool_format("%s=%s", name, value);
}

void dft_environment_remove(struct dft_environment *environment, const char *name)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < environment->count; i++)
        if (is_of(environment->entries[i], name))
            free(environment->entries[i]);
        else
            environment->entries[kept++] = environment->entries[i];
    environment->entries[kept] = NULL;
    environment->count = kept;
}

void dft_environment_free(struct dft_environment *environment)
{
    for (unsigned i = 0; i < environment->count; i++)
        free(environment->entries[i]);
    free(environment->entries);
}
