/*
 * Derives a function's names from its linkage name alone, so that they are the same in every part
 * of dftrace and from every compiler.
 *
 * Safe from any thread; allocates, so not for signal handlers. Suffixes of compiler clones are
 * removed: to a user, f.constprop.0 is f.
 */
#include "internal.h"
#include "plain.h"

#include <stdlib.h>
#include <string.h>

/* Suffixes that compilers add behind a dot; those that end in '*' are prefixes of suffixes. */
static const char *const clone_words[] = {
    /* GCC */
    "constprop", "isra", "part", "cold", "lto_priv", "localalias", "simdclone", "_omp_fn",
    "_omp_cpyfn", "_loopfn", "actor", "destroy", "resume", "tsan", "nonchk", "chkp", "clone",
    /* LLVM */
    "llvm", "__uniq", "omp_outlined", "omp_outlined_debug__", "cleanup", "specialized", "outlined",
    "extracted", "hot", "split",
    /* target_clones and ifuncs */
    "default", "ifunc", "resolver", "arch_*", "sse*", "avx*", "popcnt", "aes", "bmi*", "fma*"};

static bool is_all_digits(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return length > 0;
}

static bool is_clone_word(const char *text, size_t length)
{
    if (is_all_digits(text, length))
        return true;
    for (size_t i = 0; i < sizeof clone_words / sizeof clone_words[0]; i++) {
        size_t size = strlen(clone_words[i]);
        bool is_open = clone_words[i][size - 1] == '*';
        size -= is_open;
        if ((is_open ? length >= size : length == size) && memcmp(text, clone_words[i], size) == 0)
            return true;
    }
    return false;
}

/* For names that are not mangled, where a dot may be part of the name: only known suffixes are
 * removed. */
static size_t without_clone_suffix(const char *text, size_t length)
{
    for (;;) {
        size_t dot = length;
        while (dot > 0 && text[dot - 1] != '.')
            dot--;
        if (dot < 2 || !is_clone_word(text + dot, length - dot))
            return length;
        length = dot - 1;
    }
}

static bool is_mangled(const char *text)
{
    return strncmp(text, "_Z", 2) == 0 || strncmp(text, "__Z", 3) == 0;
}

/* A leading '*' (GCC) or '\1' (LLVM) means "verbatim"; "@VERSION" is added by the linker. */
static void linkage_symbol(const char *linkage, const char **begin, size_t *length)
{
    *begin = linkage + (linkage[0] == '*' || linkage[0] == '\1');
    *length = strlen(*begin);
    const char *version = *length ? strchr(*begin + 1, '@') : NULL;
    if (version)
        *length = (size_t)(version - *begin);
}

void dft_linkage_core(const char *linkage, const char **begin, size_t *length)
{
    linkage_symbol(linkage, begin, length);
    if (!is_mangled(*begin)) {
        *length = without_clone_suffix(*begin, *length);
        return;
    }
    const char *dot = memchr(*begin, '.', *length);
    if (dot)
        *length = (size_t)(dot - *begin);
}

/* libiberty shows clones it knows as "f() [clone .cold]". */
static void drop_clone_marks(char *text)
{
    char *mark = strstr(text, " [clone ");
    if (mark)
        *mark = '\0';
}

/* Fills in the names of a C++ function. */
static enum dft_demangle_result demangle_symbol(const char *symbol, struct dft_names *names)
{
    /*
     * With parameters first: without them, libiberty ignores everything after the name, even if it
     * is malformed.
     */
    enum dft_demangle_result result = dft_demangle(symbol, true, &names->signature);
    if (result == DFT_DEMANGLED)
        result = dft_demangle(symbol, false, &names->qualified);
    if (result != DFT_DEMANGLED) {
        free(names->signature);
        names->signature = NULL;
        return result;
    }
    drop_clone_marks(names->signature);
    drop_clone_marks(names->qualified);
    names->plain = dft_plain_make(names->qualified);
    return names->plain ? DFT_DEMANGLED : DFT_DEMANGLE_NO_MEMORY;
}

/* "_ZNH": an explicit object parameter (C++23), which libiberty cannot demangle. */
static void drop_object_mark(char *mangled)
{
    if (strncmp(mangled, "_ZNH", 4) == 0)
        memmove(mangled + 3, mangled + 4, strlen(mangled + 4) + 1);
}

/* __mymod_MOD_f is mymod::f; submodules (__mymod.sub_MOD_f) stay as they are. */
static bool rename_module_procedure(char *name)
{
    if (strncmp(name, "__", 2) != 0)
        return false;
    char *border = strstr(name + 2, "_MOD_");
    size_t module = border ? (size_t)(border - name) - 2 : 0;
    if (module == 0 || border[5] == '\0' || memchr(name + 2, '.', module))
        return false;
    memmove(name, name + 2, module);
    memcpy(name + module, "::", 2);
    memmove(name + module + 2, border + 5, strlen(border + 5) + 1);
    return true;
}

static void drop_fortran_underscore(char *name)
{
    size_t length = strlen(name);
    bool is_bare = strspn(name, "_") == length;
    if (is_bare || name[length - 1] != '_' || strchr(name, '.') || strcmp(name, "MAIN__") == 0)
        return;
    name[length - 1] = '\0';
}

/* Uses a name that is not mangled for all three. Takes ownership of `symbol`. */
static bool use_symbol(char *symbol, enum dft_language language, struct dft_names *names)
{
    if (!rename_module_procedure(symbol) && language == DFT_LANGUAGE_FORTRAN)
        drop_fortran_underscore(symbol);
    names->qualified = symbol;
    names->signature = strdup(symbol);
    names->plain = strdup(symbol);
    return names->signature && names->plain;
}

bool dft_names_make(const char *linkage, enum dft_language language, struct dft_names *names)
{
    const char *begin;
    size_t length, core_length;
    enum dft_demangle_result result = DFT_NOT_MANGLED;
    memset(names, 0, sizeof *names);
    names->linkage = linkage ? linkage : "";
    linkage_symbol(names->linkage, &begin, &length);
    char *symbol = strndup(begin, length);
    if (!symbol)
        return false;
    dft_linkage_core(names->linkage, &begin, &core_length);
    if (is_mangled(symbol)) {
        char *mangled = symbol + (symbol[1] == '_');
        symbol[core_length] = '\0';
        drop_object_mark(mangled);
        result = demangle_symbol(mangled, names);
        if (result == DFT_NOT_MANGLED && core_length < length) {
            memcpy(symbol, begin, length);
            result = demangle_symbol(mangled, names);
        }
    }
    bool is_made = result == DFT_DEMANGLED;
    if (result == DFT_NOT_MANGLED) {
        memcpy(symbol, begin, length);
        symbol[core_length] = '\0';
        is_made = use_symbol(symbol, language, names);
    } else {
        free(symbol);
    }
    if (!is_made)
        dft_names_free(names);
    return is_made;
}

void dft_names_free(struct dft_names *names)
{
    free(names->qualified);
    free(names->signature);
    free(names->plain);
    memset(names, 0, sizeof *names);
}

const char *dft_names_parameters(const struct dft_names *names)
{
    size_t length = strlen(names->qualified);
    bool begins = strncmp(names->signature, names->qualified, length) == 0;

    return begins && names->signature[length] == '(' ? names->signature + length : "";
}
