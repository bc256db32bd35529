/*
 * The spool's site table: every function that was called at least once has an entry and a number.
 *
 * Sites are added by traced threads, once each, while holding a spin lock with signals blocked.
 * Reading needs no lock, because an entry is complete before the count includes it.
 */
#include "dftrace/abi.h"
#include "spool/spool.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

static char *region(const struct dft_spool *spool, const struct dft_region *which)
{
    return (char *)spool->header + which->offset;
}

static uint32_t *site_index(const struct dft_spool *spool)
{
    return (uint32_t *)region(spool, &spool->header->site_index);
}

static uint32_t *site_hash(const struct dft_spool *spool)
{
    return (uint32_t *)region(spool, &spool->header->site_hash);
}

static struct dft_site_entry *site_entry(const struct dft_spool *spool, uint32_t id)
{
    return (struct dft_site_entry *)(region(spool, &spool->header->site_text) +
                                     site_index(spool)[id - 1]);
}

static int count_texts(uint32_t flags)
{
    return flags & DFTRACE_SITE_GUEST ? DFT_GUEST_TEXT_COUNT : DFTRACE_TEXT_COUNT;
}

static size_t text_length(const char *text, uint32_t flags)
{
    const char *end = text;

    for (int i = 0; i < count_texts(flags); i++)
        end += strlen(end) + 1;
    return (size_t)(end - text);
}

/* FNV-1a: suits short keys and spreads them well enough. */
static uint32_t hash_site(const char *text, size_t length, uint32_t line)
{
    uint32_t hash = 2166136261u ^ line;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static uint32_t find_site(const struct dft_spool *spool, const char *text, size_t length,
                          uint32_t line, uint32_t flags, uint32_t hash)
{
    uint32_t id = site_hash(spool)[hash % DFT_SITE_BUCKETS];

    for (; id != 0; id = site_entry(spool, id)->next) {
        const struct dft_site_entry *entry = site_entry(spool, id);
        if (entry->hash == hash && entry->length == length && entry->line == line &&
            entry->flags == flags && memcmp(entry->text, text, length) == 0)
            return id;
    }
    return 0;
}

static void lock_sites(struct dft_spool *spool)
{
    while (atomic_exchange_explicit(&spool->header->site_lock, 1, memory_order_acquire))
        sched_yield();
}

static void unlock_sites(struct dft_spool *spool)
{
    atomic_store_explicit(&spool->header->site_lock, 0, memory_order_release);
}

uint32_t dft_spool_find_site(struct dft_spool *spool, const char *text, uint32_t line,
                             uint32_t flags)
{
    size_t length = text_length(text, flags);

    lock_sites(spool);
    uint32_t id = find_site(spool, text, length, line, flags, hash_site(text, length, line));
    unlock_sites(spool);
    return id;
}

static uint32_t add_site(struct dft_spool *spool, uint32_t module, const char *text, size_t length,
                         uint32_t line, uint32_t flags, uint32_t hash)
{
    struct dft_spool_header *header = spool->header;
    uint32_t count = atomic_load_explicit(&header->site_count, memory_order_relaxed);
    uint32_t used = atomic_load_explicit(&header->site_text_used, memory_order_relaxed);
    uint64_t size = (sizeof(struct dft_site_entry) + length + 3) & ~(uint64_t)3;

    if (count >= DFT_SITE_MAX || used + size > DFT_SITE_TEXT_MAX ||
        dft_spool_reserve(spool, header->site_index.offset + (uint64_t)count * 4, 4) != 0 ||
        dft_spool_reserve(spool, header->site_text.offset + used, size) != 0) {
        atomic_fetch_add(&header->lost_sites, 1);
        return 0;
    }
    uint32_t id = count + 1;
    uint32_t *bucket = &site_hash(spool)[hash % DFT_SITE_BUCKETS];
    site_index(spool)[count] = used;
    struct dft_site_entry *entry = site_entry(spool, id);
    entry->next = *bucket;
    entry->hash = hash;
    entry->line = line;
    entry->flags = flags;
    entry->module = module;
    entry->length = (uint32_t)length;
    atomic_init(&entry->style, 0);
    memcpy(entry->text, text, length);
    *bucket = id;
    atomic_store_explicit(&header->site_text_used, used + (uint32_t)size, memory_order_relaxed);
    atomic_store_explicit(&header->site_count, id, memory_order_release);
    return id;
}

uint32_t dft_spool_intern_site(struct dft_spool *spool, const char *text, uint32_t line,
                               uint32_t flags)
{
    return dft_spool_intern_site_of(spool, 0, text, line, flags);
}

uint32_t dft_spool_intern_site_of(struct dft_spool *spool, uint32_t module, const char *text,
                                  uint32_t line, uint32_t flags)
{
    size_t length = text_length(text, flags);
    uint32_t hash = hash_site(text, length, line);

    lock_sites(spool);
    uint32_t id = find_site(spool, text, length, line, flags, hash);
    if (id == 0)
        id = add_site(spool, module, text, length, line, flags, hash);
    unlock_sites(spool);
    return id;
}

void dft_spool_add_own_sites(struct dft_spool *spool)
{
    /*
     * NAME, LINKAGE, FILE, PARAMETERS, CATEGORY; the array's remaining zeros are the other texts,
     * which are empty.
     */
    static const char texts[DFT_OWN_SITES][64] = {
        [DFT_OWN_WAIT] = "dftrace: waiting for writer\0\0\0\0dftrace",
        [DFT_OWN_WORK] = "dftrace: bookkeeping\0\0\0\0dftrace",
    };

    for (int i = 0; i < DFT_OWN_SITES; i++)
        spool->header->own_sites[i] = dft_spool_intern_site(spool, texts[i], 0, DFT_SITE_OWN);
}

int dft_spool_copy_sites(struct dft_spool *spool, const struct dft_spool *from)
{
    struct dft_spool_header *to = spool->header;
    uint32_t count = atomic_load_explicit(&from->header->site_count, memory_order_acquire);

    for (uint32_t id = 1; id <= count; id++) {
        const struct dft_site_entry *entry = site_entry(from, id);
        /* Numbers are assigned in order, so each site keeps its number in the copy. */
        if (add_site(spool, entry->module, entry->text, entry->length, entry->line, entry->flags,
                     entry->hash) != id)
            return -ENOSPC;
        dft_spool_style_site(spool, id, atomic_load(&entry->style), true);
    }
    atomic_store(&to->lost_sites, 0);
    return 0;
}

void dft_spool_style_site(struct dft_spool *spool, uint32_t id, uint32_t style, bool set)
{
    struct dft_site_entry *entry = site_entry(spool, id);

    if (set && style)
        atomic_store(&spool->header->styled, 1);
    if (set)
        atomic_fetch_or(&entry->style, style);
    else
        atomic_fetch_and(&entry->style, ~style);
}

uint32_t dft_spool_site_style(const struct dft_spool *spool, uint32_t id)
{
    if (id == 0 || id > dft_spool_sites(spool))
        return 0;
    uint64_t offset = site_index(spool)[id - 1];
    if (offset % 4 != 0 || offset + sizeof(struct dft_site_entry) > DFT_SITE_TEXT_MAX)
        return 0;
    return atomic_load_explicit(&site_entry(spool, id)->style, memory_order_relaxed);
}

uint32_t dft_spool_sites(const struct dft_spool *spool)
{
    uint32_t count = atomic_load_explicit(&spool->header->site_count, memory_order_acquire);

    return count <= DFT_SITE_MAX ? count : 0;
}

bool dft_spool_site(const struct dft_spool *spool, uint32_t id, struct dft_site_view *view)
{
    const struct dft_spool_header *header = spool->header;
    uint32_t count = atomic_load_explicit(&header->site_count, memory_order_acquire);

    if (id == 0 || id > count || count > DFT_SITE_MAX)
        return false;
    uint64_t offset = site_index(spool)[id - 1];
    if (offset % 4 != 0 || offset + sizeof(struct dft_site_entry) > DFT_SITE_TEXT_MAX)
        return false;
    const struct dft_site_entry *entry = site_entry(spool, id);
    if (entry->length == 0 || offset + sizeof *entry + entry->length > DFT_SITE_TEXT_MAX ||
        entry->text[entry->length - 1] != '\0')
        return false;

    const char *strings[DFT_GUEST_TEXT_COUNT] = {
        [DFT_GUEST_MODULE] = "", [DFT_GUEST_LANGUAGE] = "", [DFT_GUEST_STACK_SIZE] = ""};
    const char *at = entry->text;
    for (int i = 0; i < count_texts(entry->flags); i++) {
        if (at >= entry->text + entry->length)
            return false;
        strings[i] = at;
        at += strlen(at) + 1;
    }
    *view = (struct dft_site_view){
        .name = strings[DFTRACE_TEXT_NAME],
        .linkage = strings[DFTRACE_TEXT_LINKAGE],
        .file = strings[DFTRACE_TEXT_FILE],
        .parameters = strings[DFTRACE_TEXT_PARAMETERS],
        .category = strings[DFTRACE_TEXT_CATEGORY],
        .values = strings[DFTRACE_TEXT_VALUES],
        .types = strings[DFTRACE_TEXT_TYPES],
        .rule = strings[DFTRACE_TEXT_RULE],
        .locals = strings[DFTRACE_TEXT_LOCALS],
        .guest_module = strings[DFT_GUEST_MODULE],
        .language = strings[DFT_GUEST_LANGUAGE],
        .stack_size = strings[DFT_GUEST_STACK_SIZE],
        .line = entry->line,
        .flags = entry->flags,
        .module = entry->module,
    };
    return true;
}
