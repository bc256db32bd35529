/*
 * Fuzzes configuration files with libFuzzer: the input is translated. What the translation gives
 * must be valid: every option has its value accepted, the rules are an allowlist, and positions lie
 * in the file.
 *
 *   tests/support/fuzz . build configuration 120 tests/fuzz/fuzz_configuration.c ...
 */
#include "allowlist/allowlist.h"
#include "configuration/configuration.h"
#include "runtime/base/option_values.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* An error has a message that fits, and a position within the file or one character after it. */
static void check_error(const struct dft_allowlist_error *error, const char *text, size_t size)
{
    unsigned lines = 1;

    for (size_t i = 0; i < size; i++) /* CR, NEL, LS and PS end lines of YAML, too */
        lines += text[i] == '\n' || text[i] == '\r' || (unsigned char)text[i] == 0x85 ||
                 (unsigned char)text[i] == 0xa8 || (unsigned char)text[i] == 0xa9;
    require(error->message[0] != '\0');
    require(strlen(error->message) < sizeof error->message);
    require(error->line <= lines + 1);
    require(error->line == 0 || error->column > 0);
}

static void check_configuration(const struct dft_configuration *configuration)
{
    struct dft_options options;
    struct dft_option_problem problem;
    char ignored[100];

    dft_option_set_defaults(&options);
    require(configuration->count <= DFT_CONFIGURATION_SETTINGS_MAX);
    for (size_t i = 0; i < configuration->count; i++) {
        const struct dft_configuration_setting *setting = &configuration->settings[i];
        require(dft_option_set(&options, setting->name, strlen(setting->name), setting->value,
                               &problem));
        require(strpbrk(setting->value, "\n\r") == NULL);
        require(setting->at.line > 0 && setting->at.column > 0);
        require(dft_configuration_find(configuration, setting->name) == setting);
    }
    require(dft_configuration_find(configuration, "HOSTED") == NULL);
    require(dft_configuration_find(configuration, "PRELOAD") == NULL);
    struct dft_allowlist *list = dft_configuration_allowlist(configuration);
    require((list != NULL) == (configuration->rules != NULL));
    dft_allowlist_free(list);
    dft_configuration_list_ignored(configuration, ignored, sizeof ignored);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dft_configuration configuration;
    struct dft_allowlist_error error;

    if (dft_configuration_parse((const char *)data, size, &configuration, &error)) {
        check_configuration(&configuration);
        dft_configuration_free(&configuration);
    } else {
        check_error(&error, (const char *)data, size);
    }
    return 0;
}
