/*
 * dftrace config: prints flags for build files, and what is installed.
 */
#include "allowlist/allowlist.h"
#include "tool/base/flags.h"
#include "tool/base/text.h"
#include "tool/base/tool.h"
#include "tool/build/compiler.h"
#include "tool/build/installation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FLAG_CC,
    FLAG_ALLOWLIST,
    FLAG_CFLAGS,
    FLAG_LIBS,
    FLAG_STATIC,
    FLAG_PLUGIN,
    FLAG_PREFIX,
    FLAG_VERSION,
    FLAG_COUNT,
};

static const struct dft_flag flags[] = {
    [FLAG_CC] = {"--cc", "COMPILER",
                 "check that there is a plugin for this compiler; --cflags then\n"
                 "has further flags that avoid warnings of this compiler"},
    [FLAG_ALLOWLIST] = {"--allowlist", "FILE", "which functions to trace; checked as well"},
    [FLAG_CFLAGS] = {"--cflags", NULL, "flags for compiling; needs --allowlist"},
    [FLAG_LIBS] = {"--libs", NULL,
                   "flags for linking with the runtime, so that DFTRACER_ENABLE=1 is\n"
                   "all that a run needs"},
    [FLAG_STATIC] = {"--static", NULL, "with --libs: link the runtime statically"},
    [FLAG_PLUGIN] = {"--plugin", NULL, "path of the compiler plugin"},
    [FLAG_PREFIX] = {"--prefix", NULL, "where dftrace is installed"},
    [FLAG_VERSION] = {"--version", NULL, "version of dftrace"},
    [FLAG_COUNT] = {0},
};

static const struct dft_help usage = {
    .command = "config",
    .synopsis = "[OPTIONS]",
    .text = "Prints the flags that a build needs, or without any of --cflags, --libs, --plugin,\n"
            "--prefix and --version an overview of what is installed.",
    .flags = flags,
    .notes = "Words of --cflags and --libs are quoted for a shell where they need it; paths of\n"
             "--plugin and --prefix are printed as they are.\n\n"
             "  cc $(dftrace config --allowlist allow.txt --cflags) -c app.c\n"
             "  cc app.o $(dftrace config --libs)",
};

struct request {
    bool given[FLAG_COUNT];
    const char *compiler;
    const char *allowlist;
    struct dft_allowlist_hash hash; /* of it */
    int printed;                    /* words so far */
};

/* --- flags --- */

static void print_word(struct request *request, const char *word)
{
    if (request->printed++ > 0)
        putchar(' ');
    dft_text_print_shell(stdout, dft_text(word));
}

static void print_made_word(struct request *request, char *word)
{
    print_word(request, word);
    free(word);
}

/*
 * The absolute path. Links are not followed, because users know the name of the link. NULL after a
 * message.
 */
static char *make_absolute(const char *path)
{
    if (path[0] == '/')
        return dft_tool_copy(path, strlen(path));
    char *directory = getcwd(NULL, 0);
    if (!directory) {
        dft_tool_error("cannot tell the current directory: %s", strerror(errno));
        return NULL;
    }
    char *absolute = dft_tool_format("%s/%s", strcmp(directory, "/") == 0 ? "" : directory, path);
    free(directory);
    return absolute;
}

static bool print_cflags(const struct dft_installation *installation, struct request *request,
                         const struct dft_compiler *compiler)
{
    char *allowlist = make_absolute(request->allowlist);
    /* Most builds pass these flags to the linker, too; Clang up to version 16 warns about that. */
    bool may_warn = compiler->is_clang && compiler->major >= 14;

    if (!allowlist)
        return false;
    if (may_warn)
        print_word(request, "--start-no-unused-arguments");
    print_made_word(request, dft_tool_format("-fplugin=%s", installation->plugin));
    print_made_word(request, dft_tool_format("-fplugin-arg-dftrace-allowlist=%s", allowlist));
    /* Compiler caches compare command lines; they do not know that the allowlist is an input. */
    print_made_word(request,
                    dft_tool_format("-fplugin-arg-dftrace-allowlist-hash=%s", request->hash.text));
    if (may_warn)
        print_word(request, "--end-no-unused-arguments");
    free(allowlist);
    return true;
}

static void print_libs(const struct dft_installation *installation, struct request *request)
{
    print_made_word(request, dft_tool_format("-L%s/lib", installation->prefix));
    /* LDFLAGS come before the objects, where nothing refers to the runtime yet. */
    if (request->given[FLAG_STATIC]) {
        print_word(request, "-Wl,-u,__dftrace_runtime");
        print_word(request, "-l:libdftrace.a");
        return;
    }
    print_made_word(request, dft_tool_format("-Wl,-rpath,%s/lib", installation->prefix));
    /* One word, so that no build tool reorders its parts. */
    print_word(request, "-Wl,--push-state,--no-as-needed,-ldftrace,--pop-state");
}

/* --- checks --- */

static bool check_compiler(const struct dft_installation *installation, const char *command,
                           struct dft_compiler *compiler)
{
    bool is_known = dft_compiler_ask(command, compiler);

    if (is_known && dft_installation_serves(installation, compiler->name))
        return true;
    char *list = dft_installation_list(installation);
    if (!is_known) {
        dft_tool_note("plugins are installed for: %s", list);
        free(list);
        return false;
    }
    dft_tool_error("'%s' is %s %u, and %s/lib/dftrace/%s/dftrace.so is not there; plugins are "
                   "installed for: %s. Use one of these compilers, or build dftrace where this "
                   "compiler and its plugin headers are installed",
                   command, compiler->is_clang ? "Clang" : "GCC", compiler->major,
                   installation->prefix, compiler->name, list);
    free(list);
    return false;
}

static bool check_allowlist(const char *path, struct dft_allowlist_hash *hash)
{
    struct dft_allowlist_error error = {0};
    struct dft_allowlist *list = dft_allowlist_load(path, &error);

    if (!list) {
        dft_tool_diagnose(path, error.line, error.column, error.message);
        return false;
    }
    *hash = dft_allowlist_hash(list);
    dft_allowlist_free(list);
    return true;
}

static bool check_files(const struct dft_installation *installation, const struct request *request)
{
    const char *library = request->given[FLAG_STATIC] ? "libdftrace.a" : "libdftrace.so";

    if ((request->given[FLAG_CFLAGS] || request->given[FLAG_PLUGIN]) &&
        access(installation->plugin, R_OK) != 0) {
        dft_tool_error("the plugin %s cannot be read: %s; install dftrace again",
                       installation->plugin, strerror(errno));
        return false;
    }
    if (request->given[FLAG_LIBS] && !dft_installation_has_library(installation, library)) {
        dft_tool_error("the runtime %s/lib/%s is not there; install dftrace again",
                       installation->prefix, library);
        return false;
    }
    return true;
}

/* --- the overview --- */

static void print_overview(const struct dft_installation *installation,
                           const struct request *request, const struct dft_compiler *compiler)
{
    static const char *const libraries[] = {"libdftrace.so", "libdftrace.a",
                                            "libdftrace-preload.so"};
    char *list = dft_installation_list(installation);
    const char *separator = "";

    printf("dftrace    %s\nprefix     %s\nplugin     %s%s\ncompilers  %s\nruntime    ",
           DFTRACE_VERSION, installation->prefix, installation->plugin,
           access(installation->plugin, R_OK) == 0 ? "" : " (missing)", list);
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        if (dft_installation_has_library(installation, libraries[i])) {
            printf("%s%s", separator, libraries[i]);
            separator = ", ";
        }
    }
    puts(*separator ? "" : "missing");
    if (request->compiler)
        printf("\n%s is %s %u: its plugin is installed\n", request->compiler,
               compiler->is_clang ? "Clang" : "GCC", compiler->major);
    if (request->allowlist)
        printf("%s%s is a valid allowlist\n", request->compiler ? "" : "\n", request->allowlist);
    free(list);
}

static bool has_selector(const struct request *request)
{
    return request->given[FLAG_CFLAGS] || request->given[FLAG_LIBS] ||
           request->given[FLAG_PLUGIN] || request->given[FLAG_PREFIX] ||
           request->given[FLAG_VERSION];
}

static int print_answer(const struct dft_installation *installation, struct request *request)
{
    struct dft_compiler compiler = {0};

    if (request->compiler && !check_compiler(installation, request->compiler, &compiler))
        return DFT_EXIT_FAILED;
    if (request->allowlist && !check_allowlist(request->allowlist, &request->hash))
        return DFT_EXIT_FAILED;
    if (!has_selector(request)) {
        print_overview(installation, request, &compiler);
        return DFT_EXIT_OK;
    }
    if (!check_files(installation, request))
        return DFT_EXIT_FAILED;
    if (request->given[FLAG_VERSION])
        puts(DFTRACE_VERSION);
    if (request->given[FLAG_PREFIX])
        puts(installation->prefix);
    if (request->given[FLAG_PLUGIN])
        puts(installation->plugin);
    if (request->given[FLAG_CFLAGS] && !print_cflags(installation, request, &compiler))
        return DFT_EXIT_FAILED;
    if (request->given[FLAG_LIBS])
        print_libs(installation, request);
    if (request->printed > 0)
        putchar('\n');
    return DFT_EXIT_OK;
}

int dft_cmd_config(int argc, char **argv)
{
    struct dft_flags line = {.usage = &usage, .argc = argc, .argv = argv};
    struct request request = {0};
    struct dft_installation installation;
    enum dft_flag_kind kind;

    while ((kind = dft_flags_next(&line)) == DFT_FLAG_FOUND) {
        request.given[line.index] = true;
        if (line.index == FLAG_CC)
            request.compiler = line.value;
        else if (line.index == FLAG_ALLOWLIST)
            request.allowlist = line.value;
    }
    if (kind == DFT_FLAG_WORD)
        return dft_flags_refuse(&usage, "unexpected argument '%s'", line.value);
    if (kind != DFT_FLAG_END)
        return kind == DFT_FLAG_HELP ? DFT_EXIT_OK : DFT_EXIT_USAGE;
    if (request.given[FLAG_CFLAGS] && !request.allowlist)
        return dft_flags_refuse(&usage, "--cflags needs --allowlist FILE");
    if (request.given[FLAG_STATIC] && !request.given[FLAG_LIBS])
        return dft_flags_refuse(&usage, "--static goes with --libs");
    if (!dft_installation_find(&installation))
        return DFT_EXIT_FAILED;
    int status = print_answer(&installation, &request);
    dft_installation_free(&installation);
    return status;
}
