/*
 * lib/dftrace.so, the one file that a build names: recognises the compiler that has loaded it and
 * hands over to the plugin built for it, in lib/dftrace/<compiler>-<version>/ beside this file.
 *
 * Runs inside compilers, before they have read a line; depends on libc only.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* What GCC passes to plugin_init; the first member is the same in every version. */
struct gcc_version {
    const char *basever;
};
typedef int gcc_plugin_init(void *arguments, struct gcc_version *version);

EXPORT int plugin_is_GPL_compatible;

static int own_directory(char *directory, size_t size)
{
    Dl_info info;

    if (!dladdr(&plugin_is_GPL_compatible, &info) || !info.dli_fname)
        return -1;
    const char *slash = strrchr(info.dli_fname, '/');
    int length = slash ? (int)(slash - info.dli_fname) : 1;
    snprintf(directory, size, "%.*s", length, slash ? info.dli_fname : ".");
    return 0;
}

static void list_plugins(const char *directory)
{
    char path[PATH_MAX];
    int found = 0;

    snprintf(path, sizeof path, "%s/dftrace", directory);
    DIR *all = opendir(path);
    fprintf(stderr, "dftrace: note: plugins in %s:", path);
    for (struct dirent *entry; all && (entry = readdir(all));)
        if (entry->d_name[0] != '.') {
            fprintf(stderr, " %s", entry->d_name);
            found = 1;
        }
    fprintf(stderr, "%s\n", found ? "" : " none");
    if (all)
        closedir(all);
}

EXPORT int plugin_init(void *arguments, struct gcc_version *version)
{
    char directory[PATH_MAX - 64], path[PATH_MAX];

    if (own_directory(directory, sizeof directory) != 0) {
        fprintf(stderr, "dftrace: error: cannot find the directory of dftrace.so\n");
        exit(1);
    }
    int major = (int)strtol(version->basever, NULL, 10);
    snprintf(path, sizeof path, "%s/dftrace/gcc-%d/dftrace.so", directory, major);
    void *plugin = dlopen(path, RTLD_NOW);
    gcc_plugin_init *init = plugin ? (gcc_plugin_init *)dlsym(plugin, "plugin_init") : NULL;
    if (init)
        return init(arguments, version);
    fprintf(stderr, "dftrace: error: no plugin for this compiler, GCC %s: %s\n", version->basever,
            dlerror());
    list_plugins(directory);
    fprintf(stderr,
            "dftrace: note: install this compiler's plugin headers (Debian: gcc-%d-plugin-dev) and "
            "build dftrace again\n",
            major);
    exit(1);
}
