/*
 * What the files of logstat share: one log line, the table of paths, and the phases that main runs.
 */
#ifndef LOGSTAT_H
#define LOGSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATH_SIZE = 48 };

/* The fields of a log line. */
struct request {
    char path[PATH_SIZE];
    unsigned status;
    unsigned bytes;
    unsigned microseconds;
};

/* The statistics of one path. */
struct entry {
    char path[PATH_SIZE];
    uint64_t requests;
    uint64_t errors;
    uint64_t bytes;
    unsigned slowest; /* microseconds */
};

/* Open addressing; `capacity` is a power of two, an entry without requests is free. */
struct table {
    struct entry *entries;
    size_t capacity;
    size_t used;
};

/* The whole log in memory, and its sums as generated, which verify_total compares with. */
struct log {
    char *text;
    size_t length;
    size_t lines;
    uint64_t bytes;
    uint64_t errors;
};

bool generate_log(struct log *log, size_t lines);

/* Returns the start of the next line, or NULL if the line is malformed. */
const char *parse_line(const char *line, const char *end, struct request *request);

bool table_create(struct table *table, size_t capacity);
void table_destroy(struct table *table);
bool table_add_request(struct table *table, const struct request *request);
bool table_merge(struct table *into, const struct table *from);

bool print_summary(const struct table *table);

#endif
