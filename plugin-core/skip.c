/* The reasons why functions get no hooks. Stateless. */
#include "plugin-core/skip.h"

#include <stddef.h>
#include <string.h>

const char *dft_skip_reason(enum dft_skip skip)
{
#define REASON(name, reason) [DFT_SKIP_##name] = reason,
    static const char *const reasons[DFT_SKIP_COUNT] = {DFT_SKIP_REASONS(REASON)};
#undef REASON
    return reasons[skip];
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length > size && strcmp(text + length - size, end) == 0;
}

bool dft_skip_is_compiler_made(const char *linkage)
{
    static const char *const prefixes[] = {
        "_GLOBAL__", /* runs the constructors of a translation unit */
        "_ZTh",      "_ZTv",
        "_ZTc",              /* thunks: adjust `this` or the result, then call the function */
        "_ZTW",      "_ZTH", /* access to a thread_local variable, and its initialization */
    };

    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(linkage, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    if (strcmp(linkage, "__tls_init") == 0) /* initializes all of a unit's thread_local variables */
        return true;
    /* A deleting destructor calls the destructor, then operator delete. */
    return strncmp(linkage, "_Z", 2) == 0 && ends_with(linkage, "D0Ev");
}
