/* Reads a configuration file, and answers questions about what it sets. Any thread. */
#include "configuration/configuration.h"

#include "allowlist/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool dft_configuration_load(const char *path, struct dft_configuration *configuration,
                            struct dft_allowlist_error *error)
{
    static const struct dft_file_kind kind = {"configuration file", DFT_CONFIGURATION_SIZE_MAX,
                                              true};
    char *text;
    size_t length;
    bool done = dft_file_read(&kind, path, &text, &length, error) &&
                dft_configuration_parse(text, length, configuration, error);

    free(text);
    return done;
}

void dft_configuration_free(struct dft_configuration *configuration)
{
    free(configuration->rules);
    free(configuration->lines);
    dft_arena_free(&configuration->arena);
    *configuration = (struct dft_configuration){0};
}

struct dft_allowlist *dft_configuration_allowlist(const struct dft_configuration *configuration)
{
    struct dft_allowlist *list = NULL;

    if (configuration->rules)
        list = dft_allowlist_parse(configuration->rules, configuration->rules_length, NULL);
    for (size_t i = 0; list && i < dft_allowlist_count(list); i++)
        dft_allowlist_set_line(list, i,
                               configuration->lines[dft_allowlist_rule(list, i)->line - 1]);
    return list;
}

const struct dft_configuration_setting *
dft_configuration_find(const struct dft_configuration *configuration, const char *name)
{
    for (size_t i = 0; i < configuration->count; i++)
        if (strcmp(configuration->settings[i].name, name) == 0)
            return &configuration->settings[i];
    return NULL;
}

bool dft_configuration_list_ignored(const struct dft_configuration *configuration, char *text,
                                    size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < configuration->count && used < size; i++) {
        const struct dft_configuration_setting *setting = &configuration->settings[i];
        if (setting->ignored && !setting->warning)
            used += (size_t)snprintf(text + used, size - used, "%s%s (line %u)", used ? ", " : "",
                                     setting->key, setting->at.line);
    }
    return used > 0;
}
