/*
 * dftrace-configuration FILE: translates a configuration file for the runtime, which starts this
 * program in a process of its own and reads its answer (answer.h) from a pipe. So a traced program
 * neither loads libyaml nor allocates memory for it, and nothing in a file can harm it.
 *
 * Memory and processor time are limited. This program reads no environment variable.
 */
#include "configuration/answer.h"
#include "configuration/configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MEMORY_MAX ((rlim_t)1 << 30)
#define SECONDS_MAX 5

static void limit(__rlimit_resource_t resource, rlim_t most)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur <= most)
        return;
    limit.rlim_cur = most;
    if (limit.rlim_max > most)
        limit.rlim_max = most;
    setrlimit(resource, &limit);
}

static void limit_resources(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they reserve terabytes */
    limit(RLIMIT_AS, MEMORY_MAX);
#endif
    limit(RLIMIT_CPU, SECONDS_MAX);
    limit(RLIMIT_CORE, 0);
}

static void begin(enum dft_answer kind)
{
    putchar(kind);
}

static void end(void)
{
    putchar('\0');
}

static void say_setting(const char *path, const struct dft_configuration_setting *setting)
{
    begin(DFT_ANSWER_SETTING);
    printf("%s=%s", setting->name, setting->value);
    end();
    if (!setting->warning)
        return;
    begin(DFT_ANSWER_WARNING);
    printf("%s:%u:%u: %s: %s", path, setting->at.line, setting->at.column, setting->key,
           setting->warning);
    end();
}

static void say_error(const char *path, const struct dft_allowlist_error *error)
{
    begin(DFT_ANSWER_ERROR);
    if (error->line)
        printf("%s:%u:%u: %s", path, error->line, error->column, error->message);
    else
        printf("%s: %s", path, error->message);
    end();
}

static void say_configuration(const char *path, const struct dft_configuration *configuration)
{
    const struct dft_configuration_setting *level =
        dft_configuration_find(configuration, "LOG_LEVEL");
    char ignored[1024];

    if (level) /* first: it decides which messages are shown */
        say_setting(path, level);
    for (size_t i = 0; i < configuration->count; i++)
        if (&configuration->settings[i] != level)
            say_setting(path, &configuration->settings[i]);
    if (configuration->rules) {
        begin(DFT_ANSWER_RULES);
        fwrite(configuration->rules, 1, configuration->rules_length, stdout);
        end();
    }
    if (dft_configuration_list_ignored(configuration, ignored, sizeof ignored)) {
        begin(DFT_ANSWER_INFO);
        printf("%s: keys without effect: %s", path, ignored);
        end();
    }
}

int main(int argc, char **argv)
{
    struct dft_configuration configuration;
    struct dft_allowlist_error error;

    if (argc != 2) {
        fputs("usage: dftrace-configuration FILE (the runtime of dftrace starts it)\n", stderr);
        return EXIT_FAILURE;
    }
    limit_resources();
    if (dft_configuration_load(argv[1], &configuration, &error)) {
        say_configuration(argv[1], &configuration);
        dft_configuration_free(&configuration);
    } else {
        say_error(argv[1], &error);
    }
    begin(DFT_ANSWER_END);
    end();
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
