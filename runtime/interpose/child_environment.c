/*
 * Completes the environment of programs that are started: see child_environment.h.
 *
 * `keep` runs once, in the constructor of the library. The other functions run in any thread and
 * any context, including signal handlers and vfork children. They only read what `keep` has stored,
 * use no heap and write only to the caller's memory. The environment of this process is not
 * changed.
 *
 * A variable that the new environment already contains is not changed: with DFTRACER_ENABLE=0 in
 * it, the new program and its children are not traced.
 */
#include "runtime/interpose/child_environment.h"
#include "runtime/base/options.h"
#include "runtime/library.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PREFIX "DFTRACER_"
#define PRELOAD "LD_PRELOAD="
#define SANITIZER "ASAN_OPTIONS="
/* AddressSanitizer refuses to start after a preloaded library unless this option is set. */
#define ANY_ORDER "verify_asan_link_order"
#define ANY_ORDER_ALLOWED ANY_ORDER "=0"

/* The copy is on the caller's stack: larger environments are not completed. */
#define ENTRIES_MAX 4096
#define TEXT_MAX (16 * 1024)

/* The variables of this process when it started, in one mapping. */
static struct {
    const char **entries;
    size_t count;
    const char *preload; /* our libraries, joined by colons; NULL: none */
} kept;

static bool is_option(const char *entry)
{
    return strncmp(entry, PREFIX, sizeof PREFIX - 1) == 0 && strchr(entry, '=');
}

void dft_child_environment_keep(void)
{
    static const char preload[] = PREFIX "PRELOAD=";
    size_t count = 0, size = 0;

    if (!dft_library_is_enabled() || dft_options.hosted <= 0 || kept.entries)
        return;
    for (char **entry = environ; entry && *entry; entry++)
        if (is_option(*entry)) {
            count++;
            size += sizeof *kept.entries + strlen(*entry) + 1;
        }
    void *mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
        return;
    const char **entries = mapping;
    char *text = (char *)(entries + count);
    for (char **entry = environ; entry && *entry && kept.count < count; entry++) {
        if (!is_option(*entry))
            continue;
        size_t length = strlen(*entry) + 1;
        entries[kept.count++] = memcpy(text, *entry, length);
        if (strncmp(text, preload, sizeof preload - 1) == 0)
            kept.preload = text + sizeof preload - 1;
        text += length;
    }
    kept.entries = entries;
}

/*
 * The entry of a variable; NULL if there is none. `name` is the variable's name with '=', and
 * perhaps a value.
 */
static const char *find(char *const environment[], const char *name)
{
    size_t length = strcspn(name, "=") + 1;

    for (; environment && *environment; environment++)
        if (strncmp(*environment, name, length) == 0)
            return *environment;
    return NULL;
}

static bool is_switched_off(char *const environment[])
{
    const char *entry = find(environment, PREFIX "ENABLE=");

    return entry && strcmp(entry, PREFIX "ENABLE=0") == 0;
}

static bool lacks_preload(const char *entry)
{
    return kept.preload && (!entry || !strstr(entry, kept.preload));
}

static bool lacks_any_order(const char *entry)
{
    return kept.preload && (!entry || !strstr(entry, ANY_ORDER));
}

size_t dft_child_environment_room(char *const environment[])
{
    size_t count = 0, missing = 0, text = 0;

    if (!kept.entries || is_switched_off(environment))
        return 0;
    for (; environment && environment[count]; count++)
        ;
    for (size_t i = 0; i < kept.count; i++)
        missing += find(environment, kept.entries[i]) == NULL;
    const char *preload = find(environment, PRELOAD), *sanitizer = find(environment, SANITIZER);
    if (lacks_preload(preload))
        text += sizeof PRELOAD + strlen(kept.preload) + (preload ? strlen(preload) : 0) + 1;
    if (lacks_any_order(sanitizer))
        text += sizeof SANITIZER + sizeof ANY_ORDER_ALLOWED + (sanitizer ? strlen(sanitizer) : 0);
    if ((missing == 0 && text == 0) || count > ENTRIES_MAX || text > TEXT_MAX)
        return 0;
    return (count + missing + 3) * sizeof *environment +
           text; /* two constructed entries and a NULL */
}

/* Concatenates four texts and adds a NUL; returns the end. */
static char *join(char *to, const char *const parts[4])
{
    for (int i = 0; i < 4; i++) {
        size_t length = strlen(parts[i]);
        memcpy(to, parts[i], length);
        to += length;
    }
    *to = '\0';
    return to + 1;
}

char *const *dft_child_environment_complete(char *const environment[], void *room)
{
    const char *preload = find(environment, PRELOAD), *sanitizer = find(environment, SANITIZER);
    bool with_preload = lacks_preload(preload), with_order = lacks_any_order(sanitizer);
    const char **entry = room;

    for (size_t i = 0; environment && environment[i]; i++)
        if (!(with_preload && environment[i] == preload) &&
            !(with_order && environment[i] == sanitizer))
            *entry++ = environment[i];
    for (size_t i = 0; i < kept.count; i++)
        if (!find(environment, kept.entries[i]))
            *entry++ = kept.entries[i];
    char *text = (char *)(entry + with_preload + with_order + 1);
    /* Our libraries come first, as in `dftrace run`. */
    if (with_preload) {
        const char *others = preload ? preload + sizeof PRELOAD - 1 : "";
        *entry++ = text;
        text = join(text, (const char *const[]){PRELOAD, kept.preload, *others ? ":" : "", others});
    }
    if (with_order) {
        const char *others = sanitizer ? sanitizer + sizeof SANITIZER - 1 : "";
        *entry++ = text;
        join(text, (const char *const[]){SANITIZER, others, *others ? ":" : "", ANY_ORDER_ALLOWED});
    }
    *entry = NULL;
    return room;
}
