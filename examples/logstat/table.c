/*
 * A hash table from paths to their statistics. Only one thread at a time uses a table.
 */
#include "logstat.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_path(const char *path)
{
    uint64_t hash = 14695981039346656037u;
    for (; *path != '\0'; path++)
        hash = (hash ^ (unsigned char)*path) * 1099511628211u;
    return hash;
}

static struct entry *find_entry(struct table *table, const char *path)
{
    size_t mask = table->capacity - 1;
    size_t at = hash_path(path) & mask;

    while (table->entries[at].requests != 0 && strcmp(table->entries[at].path, path) != 0)
        at = (at + 1) & mask;
    return &table->entries[at];
}

static bool grow_table(struct table *table)
{
    struct table larger;

    if (!table_create(&larger, table->capacity * 2))
        return false;
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->entries[i].requests != 0)
            *find_entry(&larger, table->entries[i].path) = table->entries[i];
    }
    larger.used = table->used;
    table_destroy(table);
    *table = larger;
    return true;
}

static bool add_entry(struct table *table, const struct entry *what)
{
    if (table->used * 2 >= table->capacity && !grow_table(table))
        return false;
    struct entry *entry = find_entry(table, what->path);
    if (entry->requests == 0) {
        memcpy(entry->path, what->path, PATH_SIZE);
        table->used++;
    }
    entry->requests += what->requests;
    entry->errors += what->errors;
    entry->bytes += what->bytes;
    if (what->slowest > entry->slowest)
        entry->slowest = what->slowest;
    return true;
}

bool table_create(struct table *table, size_t capacity)
{
    *table =
        (struct table){.entries = calloc(capacity, sizeof(struct entry)), .capacity = capacity};
    return table->entries != NULL;
}

void table_destroy(struct table *table)
{
    free(table->entries);
    table->entries = NULL;
}

bool table_add_request(struct table *table, const struct request *request)
{
    struct entry entry = {.requests = 1,
                          .errors = request->status >= 500,
                          .bytes = request->bytes,
                          .slowest = request->microseconds};
    memcpy(entry.path, request->path, PATH_SIZE);
    return add_entry(table, &entry);
}

bool table_merge(struct table *into, const struct table *from)
{
    for (size_t i = 0; i < from->capacity; i++) {
        if (from->entries[i].requests != 0 && !add_entry(into, &from->entries[i]))
            return false;
    }
    return true;
}
