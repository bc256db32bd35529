/* The messages of the plugins: what happened, where, what to do. Prints nothing. */
#include "plugin-core/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct dft_plugin_message dft_plugin_message_format(const char *format, ...)
{
    struct dft_plugin_message message;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message.text, sizeof message.text, format, arguments);
    va_end(arguments);
    return message;
}

struct dft_plugin_message dft_plugin_message_bad_allowlist(const char *path,
                                                           const struct dft_allowlist_error *error)
{
    if (error->line)
        return dft_plugin_message_format("%s", error->message);
    return dft_plugin_message_format("allowlist '%s': %s", path, error->message);
}

struct dft_plugin_message dft_plugin_message_changed_allowlist(const char *path)
{
    return dft_plugin_message_format(
        "dftrace: %s has changed since 'dftrace config' printed these flags; run it again, or a "
        "compiler cache may return objects that were made by the old list",
        path);
}

struct dft_plugin_message dft_plugin_message_no_report(const char *path, int error_number)
{
    char reason[128];

    return dft_plugin_message_format("dftrace: cannot write the report '%s': %s", path,
                                     strerror_r(error_number, reason, sizeof reason));
}

struct dft_plugin_message dft_plugin_message_summary(unsigned instrumented, unsigned seen,
                                                     const char *allowlist)
{
    return dft_plugin_message_format("dftrace: %u of %u functions instrumented by %s", instrumented,
                                     seen, allowlist);
}
