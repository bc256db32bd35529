/* See config_file.h. */
#include "tool/run/config_file.h"

#include "runtime/base/option_values.h"
#include "tool/base/tool.h"
#include "tool/run/spool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "DFTRACER_"

static bool load(struct dft_run_config *config)
{
    struct dft_allowlist_error error;

    if (dft_configuration_load(config->path, &config->configuration, &error))
        return true;
    if (error.line)
        dft_tool_diagnose(config->path, error.line, error.column, error.message);
    else
        dft_tool_error("%s: %s", config->path, error.message);
    return false;
}

static void apply_setting(const struct dft_run_config *config, struct dft_environment *environment,
                          const struct dft_configuration_setting *setting)
{
    char *name = dft_tool_format(PREFIX "%s", setting->name);

    if (!dft_environment_find(environment, name)) {
        /* Programs may run in another directory. */
        bool is_path = strcmp(setting->name, "ALLOWLIST") == 0 && *setting->value;
        char *path = is_path ? dft_tool_absolute(setting->value) : NULL;
        dft_environment_set(environment, name, path ? path : setting->value);
        free(path);
        if (setting->warning)
            dft_tool_warn("%s:%u:%u: %s: %s", config->path, setting->at.line, setting->at.column,
                          setting->key, setting->warning);
    }
    free(name);
}

static bool shows_information(const struct dft_environment *environment)
{
    const char *level = dft_environment_find(environment, PREFIX "LOG_LEVEL");
    struct dft_option_problem problem;
    struct dft_options options;

    dft_option_set_defaults(&options);
    if (level)
        dft_option_set(&options, "LOG_LEVEL", strlen("LOG_LEVEL"), level, &problem);
    return options.log_level <= DFT_LEVEL_INFO;
}

bool dft_run_config_apply(struct dft_run_config *config, struct dft_environment *environment)
{
    static const char variable[] = PREFIX "CONFIGURATION";
    const char *path = dft_environment_find(environment, variable);
    const struct dft_configuration *configuration = &config->configuration;
    char ignored[1024];

    if (!path || !*path)
        return true;
    config->path = dft_tool_copy(path, strlen(path));
    dft_environment_remove(environment, variable);
    if (!load(config))
        return false;
    for (size_t i = 0; i < configuration->count; i++)
        apply_setting(config, environment, &configuration->settings[i]);
    config->has_rules =
        configuration->rules && !dft_environment_find(environment, PREFIX "ALLOWLIST");
    if (dft_configuration_list_ignored(configuration, ignored, sizeof ignored) &&
        shows_information(environment))
        dft_tool_note("%s: keys without effect: %s", config->path, ignored);
    return true;
}

static bool write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, text, length);
        if (written < 0 && errno != EINTR)
            return false;
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

bool dft_run_config_write(const char *text, size_t length, struct dft_environment *environment,
                          const char *directory)
{
    char *path = dft_tool_format("%s/" DFT_RUN_ALLOWLIST_FILE, directory);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool done = fd >= 0 && write_all(fd, text, length);
    if (!done)
        dft_tool_error("cannot write the rules of the run to %s: %s; -e SPOOL_DIR=DIR names "
                       "another place",
                       path, strerror(errno));
    if (fd >= 0)
        close(fd);
    dft_environment_set(environment, PREFIX "ALLOWLIST", path);
    free(path);
    return done;
}

bool dft_run_config_share(const struct dft_run_config *config, struct dft_environment *environment,
                          const char *directory)
{
    return !config->has_rules ||
           dft_run_config_write(config->configuration.rules, config->configuration.rules_length,
                                environment, directory);
}

void dft_run_config_free(struct dft_run_config *config)
{
    if (config->path)
        dft_configuration_free(&config->configuration);
    free(config->path);
}
