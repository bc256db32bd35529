/*
 * Finds the functions that the allowlist names, and makes their sites. Sites are never freed, so each
 * function gets one, however often its code object is made again. The table is shared by all
 * interpreters of the process, which may run in parallel.
 */
#include "python/functions.h"
#include "python/describe.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CODE_OPTIMIZED 0x1 /* co_flags: has fast locals, as functions do */
#define CODE_GENERATOR 0x20
#define CODE_COROUTINE 0x80
#define CODE_ASYNC_GENERATOR 0x200

#define BUCKETS 4096u

static struct dft_py_function *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool dft_py_is_traceable(long flags)
{
    return flags > 0 && (flags & CODE_OPTIMIZED);
}

bool dft_py_is_resumable(long flags)
{
    return flags > 0 && (flags & (CODE_GENERATOR | CODE_COROUTINE | CODE_ASYNC_GENERATOR));
}

static void renew_lock(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

void dft_py_functions_init(void)
{
    pthread_atfork(NULL, NULL, renew_lock);
}

/* FNV-1a */
static uint64_t hash_bytes(const char *bytes, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return hash;
}

/* While holding the lock. */
static struct dft_py_function *find_locked(const struct dft_py_function *wanted)
{
    struct dft_py_function *function = buckets[wanted->hash % BUCKETS];

    while (function && (function->hash != wanted->hash || function->length != wanted->length ||
                        memcmp(function->key, wanted->key, wanted->length) != 0))
        function = function->next;
    return function;
}

static struct dft_py_function *find(const struct dft_py_function *wanted)
{
    pthread_mutex_lock(&lock);
    struct dft_py_function *function = find_locked(wanted);
    pthread_mutex_unlock(&lock);
    return function;
}

/* Its sites stay: the runtime never frees one. */
static void free_function(struct dft_py_function *function)
{
    free(function->parameters);
    free(function);
}

/* Another interpreter may have added the same function meanwhile: then that one counts. */
static struct dft_py_function *add(struct dft_py_function *function)
{
    pthread_mutex_lock(&lock);
    struct dft_py_function *found = find_locked(function);
    if (!found) {
        function->next = buckets[function->hash % BUCKETS];
        buckets[function->hash % BUCKETS] = function;
    }
    pthread_mutex_unlock(&lock);
    if (!found)
        return function;
    free_function(function);
    return found;
}

/* A function without sites, with the key of this description. */
static struct dft_py_function *make(const struct dftrace_guest *guest)
{
    const char *texts[] = {guest->module, guest->qualified, guest->file};
    size_t length = sizeof guest->line;

    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        length += strlen(texts[i]) + 1;
    struct dft_py_function *function = calloc(1, sizeof *function + length);
    if (!function)
        return NULL;
    char *at = function->key;
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        at = stpcpy(at, texts[i]) + 1;
    memcpy(at, &guest->line, sizeof guest->line);
    function->length = length;
    function->hash = hash_bytes(function->key, length);
    return function;
}

/* "a,b" becomes "a\0b\0\0". */
static bool keep_parameters(struct dft_py_function *function, const char *list)
{
    size_t length = list ? strlen(list) : 0;

    function->parameters = calloc(1, length + 2);
    if (!function->parameters)
        return false;
    for (size_t i = 0; i < length; i++)
        function->parameters[i] = list[i] == ',' ? '\0' : list[i];
    return true;
}

static bool make_sites(struct dft_py_function *function, struct dftrace_guest *guest,
                       bool is_resumable)
{
    function->site = __dftrace_guest_site(guest);
    if (function->site && is_resumable) {
        guest->flags = DFTRACE_GUEST_RESUMED;
        function->resumed = __dftrace_guest_site(guest);
    }
    return function->site && (function->resumed || !is_resumable);
}

static struct dft_py_function *find_or_make(const struct dft_py_state *state, PyObject *code,
                                            struct dft_py_description *description)
{
    struct dftrace_guest *guest = &description->guest;
    struct dft_py_function *function = make(guest);
    struct dft_py_function *found = function ? find(function) : NULL;

    if (!function || found) {
        free(function);
        return found;
    }
    long flags = dft_py_get_number(state, code, DFT_PY_NAME_co_flags);
    if (!dft_py_describe_variables(state, code, flags, description) ||
        !keep_parameters(function, guest->parameters) ||
        !make_sites(function, guest, dft_py_is_resumable(flags))) {
        free_function(function);
        return NULL;
    }
    return add(function);
}

struct dft_py_function *dft_py_functions_find(const struct dft_py_state *state, PyObject *code,
                                              const struct dft_py_place *place)
{
    struct dft_py_description description;
    struct dft_py_function *function = NULL;

    if (dft_py_describe_names(state, code, place, &description) &&
        __dftrace_guest_asks(&description.guest) && dft_py_is_named(&description))
        function = find_or_make(state, code, &description);
    dft_py_description_free(&description);
    return function;
}
