/*
 * -finstrument-functions, outside the hot path: from an address to a name, and from a name to a
 * site; and the start of this kind of tracing.
 *
 * Names are looked up in traced threads, including signal handlers, at the first call of each
 * function: with signals blocked. dft_finstrument_resolve and `learn` run on the caller's stack;
 * `answer` and what it calls run on the big stack, while holding the private heap's lock. The
 * second part of the file ("beginning") runs in a constructor, and dft_finstrument_pass_on in hooks
 * of programs that are not traced, on the caller's stack and without a lock. Keeps errno.
 */
#include "runtime/finstrument/resolve.h"
#include "runtime/base/big_stack.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/base/log.h"
#include "runtime/base/private_heap.h"
#include "runtime/detail/detail.h"
#include "runtime/detail/samples.h"
#include "runtime/interpose/next.h"
#include "runtime/library.h"
#include "runtime/session/explain_empty.h"
#include "runtime/session/own_work.h"
#include "runtime/session/thread.h"
#include "runtime/sites/run_allowlist.h"
#include "runtime/symbols/loaded_modules.h"
#include "runtime/symbols/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define RULE_SHOWN 4096

/* --- from address to site --- */

struct question {
    uintptr_t address;
    const struct dft_module *module;
    struct dft_function *answer;
};

static void say_stripped(const char *path)
{
    static bool said;

    if (!said)
        dft_log(DFT_LEVEL_ERROR,
                "%s has no symbols of its functions: they are called module+0x..., and rules that "
                "name them do not match. Link it without -s, or leave its symbols in a debug file "
                "(objcopy --add-gnu-debuglink, or below /usr/lib/debug/.build-id)",
                path);
    said = true;
}

/*
 * Whether the compiler has generated the function. Such functions are not traced, as the plugins do
 * not instrument them. Thunks and wrappers only pass calls on.
 */
static bool is_compiler_made(const char *linkage)
{
    static const char *const beginnings[] = {"_ZTW", "_ZTH",      "_ZTh",      "_ZTv",
                                             "_ZTc", "_GLOBAL__", "__tls_init"};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(linkage, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return dft_names_is_half(linkage);
}

static bool is_fortran(const char *file)
{
    static const char *const endings[] = {".f",   ".for", ".ftn", ".f77", ".f90",
                                          ".f95", ".f03", ".f08", ".f18", ".fpp"};
    const char *ending = file ? strrchr(file, '.') : NULL;

    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(ending, endings[i]) == 0)
            return true;
    return false;
}

/* Makes the strings of a site, as in abi.h. Names of parameters and variables are unknown. */
static char *make_text(const struct dft_names *names, const char *file,
                       const struct dft_verdict *verdict)
{
    char rule[RULE_SHOWN];
    const char *parts[DFTRACE_TEXT_COUNT] = {
        [DFTRACE_TEXT_NAME] = names->qualified,
        [DFTRACE_TEXT_LINKAGE] = names->linkage,
        [DFTRACE_TEXT_FILE] = file,
        [DFTRACE_TEXT_PARAMETERS] = "",
        [DFTRACE_TEXT_CATEGORY] = verdict->category,
        [DFTRACE_TEXT_VALUES] = "",
        [DFTRACE_TEXT_TYPES] = dft_names_parameters(names),
        [DFTRACE_TEXT_RULE] = rule,
        [DFTRACE_TEXT_LOCALS] = "",
    };
    size_t size = 0, used = 0;

    snprintf(rule, sizeof rule, "%u:%s", verdict->rule->line, verdict->rule->text);

    for (int i = 0; i < DFTRACE_TEXT_COUNT; i++)
        size += strlen(parts[i]) + 1;
    char *text = dft_private_heap_alloc(size);
    for (int i = 0; text && i < DFTRACE_TEXT_COUNT; i++) {
        memcpy(text + used, parts[i], strlen(parts[i]) + 1);
        used += strlen(parts[i]) + 1;
    }
    return text;
}

static bool is_same_text(const char *a, const char *b)
{
    for (int i = 0; i < DFTRACE_TEXT_COUNT; i++) {
        if (strcmp(a, b) != 0)
            return false;
        a += strlen(a) + 1;
        b += strlen(b) + 1;
    }
    return true;
}

static struct dft_function *functions;

/* A library that is loaded again gets the sites that it had the first time. */
static struct dft_function *find_gone(const char *text, uint32_t line)
{
    for (struct dft_made_site *made = functions ? &functions->made : NULL; made;
         made = made->next) {
        struct dft_function *function = (struct dft_function *)made;
        if (!(made->site.flags & DFTRACE_SITE_ADDRESS))
            continue;
        if (function->gone && made->site.line == line && is_same_text(made->site.text, text))
            return function;
    }
    return NULL;
}

static struct dft_function *make_function(const struct dft_names *names, const char *file,
                                          uint32_t line, const struct dft_verdict *verdict)
{
    char *text = make_text(names, file ? file : "", verdict);
    struct dft_function *function = text ? find_gone(text, line) : NULL;

    if (function) {
        dft_private_heap_free(text);
        function->gone = false;
        function->twin = NULL;
        function->twice = false;
        return function;
    }
    function =
        text ? dft_private_heap_calloc(1, sizeof *function + _Alignof(struct dft_function)) : NULL;
    if (!function)
        return NULL;
    function = (struct dft_function *)(((uintptr_t)function + _Alignof(struct dft_function) - 1) &
                                       ~(uintptr_t)(_Alignof(struct dft_function) - 1));
    function->made.site.text = text;
    function->made.site.line = line;
    function->made.site.flags =
        (uint16_t)((verdict->flags & DFTRACE_SITE_SAMPLE) | DFTRACE_SITE_ADDRESS);
    dft_sites_add_made(&function->made);
    functions = function;
    return function;
}

static void find_twin(struct dft_function *function, const struct dft_module *module,
                      const char *linkage)
{
    function->twin = dft_sites_find(module, linkage);
    function->marks &= ~(uint32_t)DFT_CALL_SLOW;
    if (function->twin || dft_site_is_attached(&function->made.site) ||
        dft_clock_kind != DFT_CLOCK_COUNTER)
        function->marks |= DFT_CALL_SLOW;
}

static void answer(void *argument)
{
    struct question *question = argument;
    const struct dft_module *module = question->module;
    uint64_t address = question->address - module->bias;
    const struct dft_symbols *symbols;
    const char *linkage, *file = NULL;
    struct dft_verdict verdict;
    struct dft_names names;
    uint32_t line = 0;
    char place[256];

    question->answer = &dft_not_traced;
    if (!dft_run_allowlist_is_set())
        return;
    symbols = dft_symbols_of(module);
    linkage = dft_symbols_name(symbols, address);
    if (!linkage) {
        const char *path = *module->name ? module->name : program_invocation_name;
        const char *base = strrchr(path, '/');
        if (!dft_symbols_are_complete(symbols))
            say_stripped(path);
        snprintf(place, sizeof place, "%.200s+0x%llx", base ? base + 1 : path,
                 (unsigned long long)address);
        linkage = place;
    }
    if (is_compiler_made(linkage))
        return;
    dft_symbols_line(symbols, address, &file, &line);
    if (!dft_names_make(linkage, is_fortran(file) ? DFT_LANGUAGE_FORTRAN : DFT_LANGUAGE_C_FAMILY,
                        &names)) {
        question->answer = NULL; /* no memory */
        return;
    }
    dft_run_allowlist_match(&names, file, &verdict);
    if (verdict.traced) {
        question->answer = make_function(&names, file, line, &verdict);
        if (question->answer)
            find_twin(question->answer, module, linkage);
    }
    dft_names_free(&names);
}

/* NULL if there was no memory to find out: the function's next call tries again. */
static struct dft_function *learn(uintptr_t address)
{
    struct dft_module module;
    struct question question = {address, &module, NULL};

    /* The loader's lock is taken before the private heap's. */
    bool found = dft_loaded_modules_find(address, &module);
    if (!dft_private_heap_lock())
        return NULL;
    struct dft_function *function = dft_function_table_find(dft_function_table, address);
    if (!function) {
        if (found)
            dft_big_stack_run(answer, &question);
        function = found ? question.answer : &dft_not_traced;
        if (function)
            dft_function_table_add(address, function);
    }
    dft_private_heap_unlock();
    return function;
}

struct dft_function *dft_finstrument_resolve(uintptr_t address)
{
    struct dft_function *function;
    struct dft_guard guard;

    if (dft_busy)
        return &dft_not_traced;
    uint64_t began = dft_clock_now();
    dft_guard_enter(&guard);
    dft_busy = true;
    function = learn(address);
    if (function && function != &dft_not_traced)
        dft_library_begin(1);
    dft_own_work_end(dft_self, began);
    dft_busy = false;
    dft_guard_leave(&guard);
    return function ? function : &dft_not_traced;
}

/* --- beginning --- */

typedef void hook(void *function, void *call_site);

enum { NOT_LOOKED, LOOKED };
static int looked;
static hook *next_hooks[2];
bool dft_finstrument_is_alone;

/* Finds hooks that a library of the program defines. libc's hooks are empty and do not count. */
static void look_for_next(void)
{
    looked = LOOKED;
#ifndef DFT_STATIC
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    static const char *const names[] = {"__cyg_profile_func_exit", "__cyg_profile_func_enter"};

    for (int i = 0; i < 2; i++) {
        hook *next = (hook *)dlsym(RTLD_NEXT, names[i]);
        if (next && !(libc && next == (hook *)dlsym(libc, names[i])))
            next_hooks[i] = next;
    }
#endif
    dft_finstrument_is_alone = !next_hooks[0] && !next_hooks[1];
}

void dft_finstrument_pass_on(bool enter, void *function, void *call_site)
{
    struct dft_guard guard;

    if (looked == NOT_LOOKED) {
        dft_guard_enter(&guard);
        look_for_next();
        dft_guard_leave(&guard);
    }
    if (next_hooks[enter])
        next_hooks[enter](function, call_site);
}

/*
 * Runs before every constructor that a user can write. In a static executable this file is linked
 * only if an object has hooks of this kind.
 */
__attribute__((constructor(DFTRACE_REGISTER_PRIORITY))) static void begin_fallback(void)
{
    static const char *const hooks[] = {"__cyg_profile_func_enter", NULL};
    struct dft_guard guard;

    if (!dft_library_prepare())
        return;
    bool called = dft_loaded_modules_import(hooks);
    dft_explain_empty_finstrument = called;
    /* `dftrace ctl` may set the list later. */
    if (!dft_run_allowlist_is_set() && !dft_library_is_attachable())
        return;
    look_for_next();
    if (next_hooks[true]) {
        if (called)
            dft_log(DFT_LEVEL_ERROR, "functions compiled with -finstrument-functions are not "
                                     "traced: the program has hooks of its own for them");
        return;
    }
    dft_guard_enter(&guard);
    if (called && (dft_run_allowlist_has_samples() || !dft_run_allowlist_is_set()))
        dft_samples_calibrate();
    if (called)
        dft_library_begin(0);
    dft_function_table_begin();
    dft_guard_leave(&guard);
}
