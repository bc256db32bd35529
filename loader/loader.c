/*
 * lib/dftrace.so, the file that a build passes to -fplugin=: detects the compiler that has loaded
 * it and loads the plugin for it, in lib/dftrace/<compiler>-<version>/ next to this file.
 *
 * GCC calls plugin_init. In Clang the constructor loads the plugin, which registers itself. Runs
 * inside compilers, before they read the source; depends on libc only.
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

static void find_own_directory(char *directory, size_t size)
{
    Dl_info info;
    const char *slash = NULL;

    if (dladdr(&plugin_is_GPL_compatible, &info) && info.dli_fname)
        slash = strrchr(info.dli_fname, '/');
    if (slash)
        snprintf(directory, size, "%.*s", (int)(slash - info.dli_fname), info.dli_fname);
    else
        snprintf(directory, size, ".");
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

/* Loads the plugin for this compiler; ends the compilation if there is none. */
static void *load_plugin(const char *kind, int major, const char *compiler, const char *package,
                         int flags)
{
    char directory[PATH_MAX - 64], path[PATH_MAX];

    find_own_directory(directory, sizeof directory);
    snprintf(path, sizeof path, "%s/dftrace/%s-%d/dftrace.so", directory, kind, major);
    void *plugin = dlopen(path, flags);
    if (plugin)
        return plugin;
    fprintf(stderr, "dftrace: error: no plugin for this compiler, %s: %s\n", compiler, dlerror());
    list_plugins(directory);
    fprintf(stderr,
            "dftrace: note: install this compiler's headers (Debian: %s) and build dftrace again\n",
            package);
    exit(1);
}

EXPORT int plugin_init(void *arguments, struct gcc_version *version)
{
    char compiler[64], package[64];
    int major = (int)strtol(version->basever, NULL, 10);

    snprintf(compiler, sizeof compiler, "GCC %s", version->basever);
    snprintf(package, sizeof package, "gcc-%d-plugin-dev", major);
    void *plugin = load_plugin("gcc", major, compiler, package, RTLD_NOW);
    gcc_plugin_init *init = (gcc_plugin_init *)dlsym(plugin, "plugin_init");
    if (init)
        return init(arguments, version);
    fprintf(stderr, "dftrace: error: %s\n", dlerror());
    exit(1);
}

/* LLVM has a function for its version since 16; for earlier ones, the name of the library tells. */
static int llvm_major(void)
{
    typedef void get_version(unsigned *major, unsigned *minor, unsigned *patch);
    get_version *ask = (get_version *)dlsym(RTLD_DEFAULT, "LLVMGetVersion");
    unsigned major = 0, minor, patch;
    Dl_info info;

    if (ask) {
        ask(&major, &minor, &patch);
        return (int)major;
    }
    void *symbol = dlsym(RTLD_DEFAULT, "LLVMContextCreate");
    if (!symbol || !dladdr(symbol, &info) || !info.dli_fname)
        return 0;
    const char *name = strrchr(info.dli_fname, '/');
    name = strpbrk(name ? name : info.dli_fname, "0123456789");
    return name ? (int)strtol(name, NULL, 10) : 0;
}

/* Whether this is Clang, not opt or lld, which have no front end and need no plugin of it. */
static int is_clang(void)
{
    return dlsym(RTLD_DEFAULT, "_ZN5clang16CompilerInstance18createPreprocessorENS_"
                               "19TranslationUnitKindE") != NULL;
}

__attribute__((constructor)) static void load_into_clang(void)
{
    char compiler[64], package[64];

    if (!is_clang())
        return;
    int major = llvm_major();
    snprintf(compiler, sizeof compiler, "Clang %d", major);
    snprintf(package, sizeof package, "libclang-%d-dev", major);
    load_plugin("clang", major, compiler, package, RTLD_NOW | RTLD_GLOBAL);
}
