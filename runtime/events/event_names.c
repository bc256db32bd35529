/*
 * Numbers of names and keys. Runs in traced threads, signal handlers included. Keeps errno. A key
 * that was used before takes neither a lock nor a system call.
 *
 * Keys are nearly always literals. A cache finds a key's entry by the address of its text. Since
 * another text may be at that address by now, the text of the entry is compared.
 */
#include "runtime/events/event_names.h"
#include "dftrace/abi.h"
#include "runtime/base/guard.h"
#include "runtime/events/mishaps.h"
#include "runtime/session/session.h"

#include <string.h>

#define CACHE_SIZE 4096
#define KEY_SIZE 240 /* longer keys are cut */

/*
 * The number of an entry, and above it the offset of its text, in units of 4 bytes. In a forked
 * child, all entries have the same numbers and offsets.
 */
#define NUMBER_BITS 24
static _Atomic uint64_t cache[CACHE_SIZE];

static _Atomic uint32_t names_used;

size_t dft_event_names_length(const char *name, size_t most)
{
    size_t length = strnlen(name, most + 1);

    if (length <= most)
        return length;
    for (length = most; length + 4 > most; length--)
        if (((unsigned char)name[length] & 0xc0) != 0x80)
            return length;
    return most; /* not UTF-8 */
}

uint32_t dft_event_names_intern(const char *text, uint32_t line)
{
    struct dft_spool *spool = &dft_session.spool;

    if (atomic_load(&names_used) >= DFT_EVENT_NAMES_MAX)
        return dft_spool_find_site(spool, text, line, DFT_SITE_EVENT);
    uint32_t before = dft_spool_sites(spool);
    uint32_t id = dft_spool_intern_site(spool, text, line, DFT_SITE_EVENT);
    if (id > before)
        atomic_fetch_add(&names_used, 1);
    return id;
}

uint32_t dft_event_names_other(void)
{
    /* NAME, LINKAGE, FILE, PARAMETERS, CATEGORY; the array's remaining zeros are the other texts. */
    static const char text[64] = "dftrace: another name\0\0\0\0APP";

    return dft_spool_intern_site(&dft_session.spool, text, 0, DFT_SITE_EVENT);
}

static _Atomic uint64_t *place_of(const char *key)
{
    uint64_t address = (uint64_t)(uintptr_t)key;

    return &cache[(address ^ address >> 12) % CACHE_SIZE];
}

static const char *text_of(uint64_t cached)
{
    const struct dft_spool_header *header = dft_session.spool.header;

    return (const char *)header + header->site_text.offset + (cached >> NUMBER_BITS) * 4;
}

static bool is_same(const char *a, const char *b)
{
    for (; *a == *b; a++, b++)
        if (*a == '\0')
            return true;
    return false;
}

/* Finds or adds the entry; outside a guard. */
static uint32_t learn(const char *key, size_t length, _Atomic uint64_t *place)
{
    char text[KEY_SIZE + DFTRACE_TEXT_COUNT] = {0};
    struct dft_site_view site;
    struct dft_guard guard;

    memcpy(text, key, length);
    dft_guard_enter(&guard);
    uint32_t id = dft_event_names_intern(text, 0);
    dft_guard_leave(&guard);
    if (id && key[length] == '\0' && dft_spool_site(&dft_session.spool, id, &site)) {
        uint64_t offset = (uint64_t)(site.name - text_of(0)) / 4;
        atomic_store_explicit(place, offset << NUMBER_BITS | id, memory_order_relaxed);
    }
    return id;
}

struct dft_field_key dft_event_names_key(const char *key)
{
    if (!key) {
        dft_mishaps_count(DFT_MISHAP_NAME);
        key = "?";
    }
    _Atomic uint64_t *place = place_of(key);
    uint64_t cached = atomic_load_explicit(place, memory_order_relaxed);
    if (cached && is_same(text_of(cached), key))
        return (struct dft_field_key){.number = cached & ((1u << NUMBER_BITS) - 1)};
    size_t length = dft_event_names_length(key, KEY_SIZE);
    uint32_t id = learn(key, length, place);
    if (id)
        return (struct dft_field_key){.number = id};
    dft_mishaps_count(DFT_MISHAP_NAMES);
    return (struct dft_field_key){
        .number = DFT_FIELD_INLINE_KEY, .length = (uint32_t)length, .text = key};
}
