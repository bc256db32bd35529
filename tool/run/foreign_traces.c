/* Traces are found by their names, PREFIX-APP-PID.pfw, .pfw.gz or .pftrace, and their times. */
#include "tool/run/foreign_traces.h"

#include "tool/base/text.h"
#include "tool/base/tool.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_name_of_trace(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(name, prefix, length) == 0 && name[length] == '-' &&
           (dft_text_ends_with(dft_text(name), ".pfw") ||
            dft_text_ends_with(dft_text(name), ".pfw.gz") ||
            dft_text_ends_with(dft_text(name), ".pftrace"));
}

static bool is_trace_since(const char *path, struct timespec since)
{
    struct stat status;

    return lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
           (status.st_mtim.tv_sec > since.tv_sec ||
            (status.st_mtim.tv_sec == since.tv_sec && status.st_mtim.tv_nsec >= since.tv_nsec));
}

void dft_foreign_traces_find(const char *prefix, struct timespec since,
                             void (*found)(void *context, const char *path), void *context)
{
    const char *slash = strrchr(prefix, '/');
    const char *name = slash + 1; /* the prefix is absolute */
    char *directory = dft_tool_copy(prefix, (size_t)(name - prefix));
    DIR *stream = opendir(directory);
    const struct dirent *entry;

    while (stream && (entry = readdir(stream))) {
        if (!is_name_of_trace(entry->d_name, name))
            continue;
        char *path = dft_tool_format("%s%s", directory, entry->d_name);
        if (is_trace_since(path, since))
            found(context, path);
        free(path);
    }
    if (stream)
        closedir(stream);
    free(directory);
}
