/*
 * Reads the arguments of the plugins. Prints nothing: the plugin reports errors as its compiler
 * does.
 */
#include "plugin-core/arguments.h"

#include <string.h>

static bool has_value(const char *plugin, const char *key, const char *value,
                      struct dft_plugin_message *message)
{
    if (value && *value)
        return true;
    *message = dft_plugin_message_format(
        "'-fplugin-arg-%s-%s' needs a value: '-fplugin-arg-%s-%s=FILE'", plugin, key, plugin, key);
    return false;
}

bool dft_plugin_argument_read(struct dft_plugin_arguments *arguments, const char *plugin,
                              const char *key, const char *value,
                              struct dft_plugin_message *message)
{
    if (strcmp(key, "allowlist") == 0) {
        arguments->allowlist = value;
        return has_value(plugin, key, value, message);
    }
    if (strcmp(key, "report") == 0) {
        arguments->report = value;
        return has_value(plugin, key, value, message);
    }
    if (strcmp(key, "allowlist-hash") == 0) {
        arguments->allowlist_hash = value && *value ? value : NULL;
        return true;
    }
    if (strcmp(key, "verbose") == 0 && !value) {
        arguments->verbose = true;
        return true;
    }
    *message = dft_plugin_message_format(
        "unknown argument '-fplugin-arg-%s-%s'; expected -fplugin-arg-%s-allowlist=FILE, "
        "-fplugin-arg-%s-report=FILE or -fplugin-arg-%s-verbose",
        plugin, key, plugin, plugin, plugin);
    return false;
}

bool dft_plugin_arguments_check(const struct dft_plugin_arguments *arguments, const char *plugin,
                                struct dft_plugin_message *message)
{
    if (arguments->allowlist)
        return true;
    *message = dft_plugin_message_format(
        "the dftrace plugin needs '-fplugin-arg-%s-allowlist=FILE', a file that names the "
        "functions to trace",
        plugin);
    return false;
}
