/*
 * Finds PREFIX and the plugins in it.
 */
#include "tool/build/installation.h"

#include "tool/base/tool.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The parent of the directory that this program is in; NULL with errno. */
static char *find_prefix(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length < 0)
        return NULL;
    path[length] = '\0';
    for (int level = 0; level < 2; level++) {
        char *slash = strrchr(path, '/');

        if (!slash || path[0] != '/') {
            errno = ENOENT;
            return NULL;
        }
        *slash = '\0';
    }
    return dft_tool_copy(path, strlen(path));
}

static int is_compiler(const struct dirent *entry)
{
    return strncmp(entry->d_name, "gcc-", 4) == 0 || strncmp(entry->d_name, "clang-", 6) == 0;
}

static void find_compilers(struct dft_installation *installation)
{
    char *directory = dft_tool_format("%s/lib/dftrace", installation->prefix);
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, is_compiler, versionsort);

    installation->compilers =
        dft_tool_zeroed(count > 0 ? (size_t)count : 0, sizeof *installation->compilers);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *plugin = dft_tool_format("%s/%s/dftrace.so", directory, name);

        if (access(plugin, R_OK) == 0)
            installation->compilers[installation->compiler_count++] =
                dft_tool_copy(name, strlen(name));
        free(plugin);
        free(entries[i]);
    }
    free(entries);
    free(directory);
}

bool dft_installation_find(struct dft_installation *installation)
{
    *installation = (struct dft_installation){.prefix = find_prefix()};
    if (!installation->prefix) {
        dft_tool_error("cannot tell where dftrace is installed: /proc/self/exe: %s",
                       strerror(errno));
        return false;
    }
    installation->plugin = dft_tool_format("%s/lib/dftrace.so", installation->prefix);
    find_compilers(installation);
    return true;
}

void dft_installation_free(struct dft_installation *installation)
{
    for (size_t i = 0; i < installation->compiler_count; i++)
        free(installation->compilers[i]);
    free(installation->compilers);
    free(installation->plugin);
    free(installation->prefix);
}

bool dft_installation_serves(const struct dft_installation *installation, const char *compiler)
{
    for (size_t i = 0; i < installation->compiler_count; i++) {
        if (strcmp(installation->compilers[i], compiler) == 0)
            return true;
    }
    return false;
}

bool dft_installation_has_library(const struct dft_installation *installation, const char *name)
{
    char *path = dft_tool_format("%s/lib/%s", installation->prefix, name);
    bool there = access(path, R_OK) == 0;

    free(path);
    return there;
}

char *dft_installation_list(const struct dft_installation *installation)
{
    char *list = dft_tool_copy("", 0);

    for (size_t i = 0; i < installation->compiler_count; i++) {
        char *longer =
            dft_tool_format("%s%s%s", list, i > 0 ? ", " : "", installation->compilers[i]);
        free(list);
        list = longer;
    }
    if (installation->compiler_count == 0) {
        free(list);
        list = dft_tool_copy("none", 4);
    }
    return list;
}
