/*
 * What a kill leaves behind is recovered, and the trace compared with the ledger. Recoveries are
 * killed at each of their writes, too, and what they leave behind is recovered the same way, unless
 * the same has been seen before.
 */
#include "tests/model/model.h"
#include "writer/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * So many recoveries of one spool are killed. One that finds no call removes the file before it
 * says that it is done; killed there each time, recoveries would go on for ever.
 */
#define RECOVERIES_MOST 3

uint64_t model_killed_states, model_recoveries;

static struct model_disk recovered;
static char heap[MODEL_HEAP_SIZE];
static size_t heap_used;
static struct model_set seen;

/* --- hashes --------------------------------------------------------------------------------- */

uint64_t model_hash(uint64_t hash, const void *bytes, size_t size)
{
    const char *at = bytes;
    uint64_t others[4] = {1, 2, 3, 4}; /* side by side: the processor does four at once */

    for (; size >= 32; size -= 32)
        for (int i = 0; i < 4; i++, at += 8) {
            uint64_t word;
            memcpy(&word, at, 8);
            others[i] = (others[i] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
            others[i] ^= others[i] >> 32;
        }
    for (int i = 0; i < 4; i++)
        hash = ((hash ^ others[i]) * UINT64_C(0xbf58476d1ce4e5b9)) ^ hash >> 31;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    for (; size; size--)
        hash = (hash ^ (unsigned char)*at++) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 29;
}

static uint64_t hash_between(uint64_t hash, const void *begin, const void *end)
{
    return model_hash(hash, begin, (size_t)((const char *)end - (const char *)begin));
}

/*
 * Of the header, the texts and the figures do not change. Anchors are left out: each recovery takes
 * another one, and recoveries that differ in nothing else must not go on for ever. So are `wake`,
 * `asleep` and `freed`, which no recovery reads; hash_state in explore.c adds them.
 */
uint64_t model_hash_disk(uint64_t hash, const struct model_disk *disk)
{
    const struct dft_spool_header *header = (const struct dft_spool_header *)disk->spool;

    hash = model_hash(hash, header->trace.path, 8);
    hash = model_hash(hash, &header->trace.device, 2 * sizeof header->trace.device);
    hash = model_hash(hash, &header->settings.drop_when_full, 1);
    hash = hash_between(hash, &header->free_chunks, &header->wake);
    hash = hash_between(hash, &header->state, &header->freed);
    hash = hash_between(hash, &header->commit, &header->anchor_count);
    hash = hash_between(hash, &header->segment_count, header->latest);
    hash = hash_between(hash, header + 1, disk->spool + MODEL_SPOOL_SIZE);
    hash = model_hash(hash, &disk->file,
                      offsetof(struct model_disk, file.bytes) - offsetof(struct model_disk, file));
    hash = model_hash(hash, disk->file.bytes, disk->file.size);
    return model_hash(hash, (const char *)disk->ledger,
                      sizeof *disk - offsetof(struct model_disk, ledger));
}

bool model_set_add(struct model_set *set, uint64_t hash)
{
    if (2 * set->used >= set->size) {
        struct model_set larger = {.size = set->size ? 4 * set->size : 1 << 16};
        larger.slots = calloc(larger.size, sizeof *larger.slots);
        if (!larger.slots)
            model_out_of_memory();
        for (size_t i = 0; i < set->size; i++)
            if (set->slots[i])
                model_set_add(&larger, set->slots[i]);
        free(set->slots);
        *set = larger;
    }
    hash += !hash;
    for (size_t i = hash & (set->size - 1);; i = (i + 1) & (set->size - 1)) {
        if (set->slots[i] == hash)
            return false;
        if (set->slots[i] == 0) {
            set->slots[i] = hash;
            set->used++;
            return true;
        }
    }
}

void model_set_clear(struct model_set *set)
{
    free(set->slots);
    *set = (struct model_set){0};
}

/* --- check ---------------------------------------------------------------------------------- */

struct counts {
    unsigned ended[MODEL_SITES + 1], open[MODEL_SITES + 1], threads;
    bool strange;
};

static struct counts count_calls(const struct model_disk *disk)
{
    struct counts counts = {.strange = disk->file.size % sizeof(struct dft_call) != 0};

    for (size_t at = 0; at + sizeof(struct dft_call) <= disk->file.size;
         at += sizeof(struct dft_call)) {
        struct dft_call call;
        memcpy(&call, disk->file.bytes + at, sizeof call);
        if (call.site > MODEL_SITES)
            counts.strange = true;
        else if (call.site == 0)
            counts.threads++;
        else if (call.unfinished)
            counts.open[call.site]++;
        else
            counts.ended[call.site]++;
    }
    return counts;
}

static bool complain(const char *what, unsigned site, const struct counts *counts)
{
    printf("  call %u is %s: %u times in the trace as ended, %u times as open\n", site, what,
           counts->ended[site], counts->open[site]);
    return false;
}

bool model_check(const struct model_disk *disk, uint64_t dropped)
{
    struct counts counts = count_calls(disk);
    unsigned missing = 0, leaving = 0;
    bool fine = true;

    for (unsigned site = 1; site <= MODEL_SITES; site++) {
        unsigned ended = counts.ended[site], open = counts.open[site];
        switch (disk->ledger[site]) {
        case MODEL_NOT_BEGUN:
            if (ended + open != 0)
                fine = complain("not begun", site, &counts);
            break;
        case MODEL_ENTERING:
            if (ended != 0 || open > 1)
                fine = complain("about to begin", site, &counts);
            break;
        case MODEL_OPEN:
            if (ended != 0 || open != 1)
                fine = complain("open", site, &counts);
            break;
        case MODEL_LEAVING:
            leaving++;
            if (ended + open > 1 || (ended + open == 0 && !disk->may_drop))
                fine = complain("about to end", site, &counts);
            missing += ended + open == 0;
            break;
        default:
            if (ended > 1 || open != 0 || (ended == 0 && !disk->may_drop))
                fine = complain("ended", site, &counts);
            missing += ended == 0;
        }
    }
    if (missing > dropped || dropped > missing + leaving) {
        printf("  %u calls are missing, %llu were counted as dropped\n", missing,
               (unsigned long long)dropped);
        fine = false;
    }
    if (counts.strange || (disk->file.size && counts.threads != disk->threads)) {
        printf("  %u threads are named, %u have made calls\n", counts.threads, disk->threads);
        fine = false;
    }
    return fine;
}

/* --- recovery ------------------------------------------------------------------------------- */

/* `recoveries`: that were killed one after the other. */
struct killed {
    struct model_disk disk;
    unsigned recoveries;
};

static struct {
    struct killed *all;
    size_t count, room;
} waiting;

static unsigned generation; /* recoveries that were killed before the one at hand */

static void add_killed(const struct model_disk *disk, unsigned recoveries)
{
    if (recoveries > RECOVERIES_MOST || !model_set_add(&seen, model_hash_disk(1, disk)))
        return;
    model_killed_states++;
    if (waiting.count == waiting.room) {
        waiting.room = waiting.room ? 2 * waiting.room : 64;
        waiting.all = realloc(waiting.all, waiting.room * sizeof *waiting.all);
        if (!waiting.all)
            model_out_of_memory();
    }
    waiting.all[waiting.count].disk = *disk;
    waiting.all[waiting.count++].recoveries = recoveries;
}

/* As tool/commands/recover.c does it. */
static bool recover(void)
{
    struct dft_spool spool = model_spool_of(&recovered);
    struct dft_spool_findings findings;
    struct dft_writer_result result = {0};
    char path[16];
    int error = 0;

    spool.gone = true;
    model_recoveries++;
    if (dft_spool_examine(&spool, &findings) != 0 || findings.damaged) {
        printf("  the spool is taken for a damaged one\n");
        return false;
    }
    if (atomic_load(&spool.header->state) == DFT_SPOOL_FINISHED || dft_writer_is_complete(&spool))
        return model_check(&recovered,
                           spool.header->committed[spool.header->commit & 1].totals.dropped);
    if (atomic_load(&spool.header->state) != DFT_SPOOL_STOPPING || spool.header->ended == 0)
        spool.header->ended = findings.latest;
    struct dft_writer *writer = dft_writer_open(&spool, &error, path, sizeof path);
    if (!writer) {
        printf("  the writer cannot resume: %d\n", error);
        return false;
    }
    dft_writer_finish(writer);
    dft_writer_result(writer, &result);
    return model_check(&recovered, result.dropped);
}

bool model_recover(const struct model_disk *killed)
{
    struct model_disk *disk = model_disk;
    char *former_heap = model_heap;
    size_t *former_used = model_heap_used;
    bool fine = true;

    if (disk == &recovered) { /* a recovery is killed */
        add_killed(killed, generation + 1);
        return true;
    }
    add_killed(killed, 0);
    model_disk = &recovered;
    model_heap = heap;
    model_heap_used = &heap_used;
    while (fine && waiting.count > 0) {
        recovered = waiting.all[--waiting.count].disk;
        generation = waiting.all[waiting.count].recoveries;
        heap_used = 0;
        fine = recover();
    }
    model_disk = disk;
    model_heap = former_heap;
    model_heap_used = former_used;
    return fine;
}

void model_reset_recovery(void)
{
    model_set_clear(&seen);
    waiting.count = 0;
    model_killed_states = model_recoveries = 0;
}
