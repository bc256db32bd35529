/*
 * Entries with one block of text each.
 */
#include "tool/convert/site_table.h"

#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

#define TEXTS 11 /* of a site */

struct dft_site_record {
    char *texts[TEXTS]; /* of one block, which begins with the first */
    uint32_t line;
    uint32_t flags;
    uint32_t module;
};

struct dft_track_record {
    char *path; /* NULL: there is no such track */
    uint32_t parent;
};

static void list_texts(const struct dft_encoding_site *site, const char *texts[TEXTS])
{
    const char *given[TEXTS] = {site->name,         site->category, site->file,      site->linkage,
                                site->parameters,   site->types,    site->locals,    site->rule,
                                site->guest_module, site->language, site->stack_size};

    for (size_t i = 0; i < TEXTS; i++)
        texts[i] = given[i] ? given[i] : "";
}

struct key {
    const struct dft_site_table *table;
    const struct dft_encoding_site *site;
    const char *texts[TEXTS];
};

static bool matches(const void *context, uint32_t number)
{
    const struct key *key = context;
    const struct dft_site_record *site = &key->table->sites[number];

    if (site->line != key->site->line || site->flags != key->site->flags ||
        site->module != key->site->module)
        return false;
    for (size_t i = 0; i < TEXTS; i++) {
        if (strcmp(site->texts[i], key->texts[i]) != 0)
            return false;
    }
    return true;
}

static struct dft_site_record make_record(const struct key *key)
{
    struct dft_site_record record = {
        .line = key->site->line, .flags = key->site->flags, .module = key->site->module};
    size_t size = 0;

    for (size_t i = 0; i < TEXTS; i++)
        size += strlen(key->texts[i]) + 1;
    char *at = dft_tool_resize(NULL, size, 1);
    for (size_t i = 0; i < TEXTS; i++) {
        size_t length = strlen(key->texts[i]) + 1;

        record.texts[i] = memcpy(at, key->texts[i], length);
        at += length;
    }
    return record;
}

uint32_t dft_site_table_find(struct dft_site_table *table, const struct dft_encoding_site *site)
{
    struct key key = {.table = table, .site = site};
    uint64_t hash = dft_hash_number(dft_hash_number(10, site->line), site->flags);

    list_texts(site, key.texts);
    for (size_t i = 0; i < TEXTS; i++)
        hash = dft_hash_text(hash, dft_text(key.texts[i]));
    uint32_t found = dft_index_find(&table->index, hash, matches, &key);
    if (found == DFT_INDEX_NONE) {
        table->sites =
            dft_tool_grow(table->sites, table->count, &table->room, sizeof *table->sites);
        found = (uint32_t)table->count++;
        table->sites[found] = make_record(&key);
        dft_index_add(&table->index, hash, found);
    }
    return found + DFT_SITE_TABLE_FIRST;
}

void dft_site_table_add_track(struct dft_site_table *table, uint32_t number, const char *path,
                              uint32_t parent)
{
    if (number == 0 || number >= DFT_SITE_TABLE_FIRST)
        return;
    if (number >= table->track_count) {
        table->tracks = dft_tool_resize(table->tracks, number + 1u, sizeof *table->tracks);
        memset(table->tracks + table->track_count, 0,
               (number + 1u - table->track_count) * sizeof *table->tracks);
        table->track_count = number + 1u;
    }
    free(table->tracks[number].path);
    table->tracks[number] = (struct dft_track_record){dft_tool_copy(path, strlen(path)), parent};
}

static bool read_track(const struct dft_site_table *table, uint32_t id, struct dft_site_view *view)
{
    if (id >= table->track_count || !table->tracks[id].path)
        return false;
    const struct dft_track_record *track = &table->tracks[id];
    const char *name = track->path;
    const struct dft_track_record *parent =
        track->parent < table->track_count ? &table->tracks[track->parent] : NULL;

    /* The name is what the path has behind the parent's path. */
    if (track->parent && parent && parent->path) {
        size_t length = strlen(parent->path);

        if (strncmp(name, parent->path, length) == 0 && name[length] == '/')
            name += length + 1;
    }
    *view = (struct dft_site_view){.name = name,
                                   .linkage = track->path,
                                   .file = "",
                                   .parameters = "",
                                   .category = "",
                                   .values = "",
                                   .types = "",
                                   .rule = "",
                                   .locals = "",
                                   .guest_module = "",
                                   .language = "",
                                   .stack_size = "",
                                   .line = track->parent,
                                   .flags = DFT_SITE_EVENT};
    return true;
}

bool dft_site_table_read(const void *source, uint32_t id, struct dft_site_view *view)
{
    const struct dft_site_table *table = source;

    if (id < DFT_SITE_TABLE_FIRST)
        return read_track(table, id, view);
    if (id - DFT_SITE_TABLE_FIRST >= table->count)
        return false;
    const struct dft_site_record *site = &table->sites[id - DFT_SITE_TABLE_FIRST];
    *view = (struct dft_site_view){.name = site->texts[0],
                                   .category = site->texts[1],
                                   .file = site->texts[2],
                                   .linkage = site->texts[3],
                                   .parameters = site->texts[4],
                                   .types = site->texts[5],
                                   .locals = site->texts[6],
                                   .rule = site->texts[7],
                                   .guest_module = site->texts[8],
                                   .language = site->texts[9],
                                   .stack_size = site->texts[10],
                                   .values = "",
                                   .line = site->line,
                                   .flags = site->flags,
                                   .module = site->module};
    return true;
}

void dft_site_table_free(struct dft_site_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->sites[i].texts[0]);
    for (size_t i = 0; i < table->track_count; i++)
        free(table->tracks[i].path);
    free(table->sites);
    free(table->tracks);
    dft_index_free(&table->index);
}
