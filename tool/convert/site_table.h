/*
 * The functions, regions and tracks of a process, as the encoders look them up.
 */
#ifndef DFT_TOOL_CONVERT_SITE_TABLE_H
#define DFT_TOOL_CONVERT_SITE_TABLE_H

#include "spool/spool.h"
#include "tool/base/index.h"
#include "tool/convert/encoding.h"

/*
 * Numbers below are those of tracks, which are part of their tids; others are given to functions in
 * the order in which they come.
 */
#define DFT_SITE_TABLE_FIRST (1u << 18)

struct dft_site_record;
struct dft_track_record;

/* All zero initially. */
struct dft_site_table {
    struct dft_site_record *sites;
    size_t count;
    size_t room;
    struct dft_index index;
    struct dft_track_record *tracks; /* by number */
    size_t track_count;
};

uint32_t dft_site_table_find(struct dft_site_table *table, const struct dft_encoding_site *site);
void dft_site_table_add_track(struct dft_site_table *table, uint32_t number, const char *path,
                              uint32_t parent);

/* For struct dft_site_reader. */
bool dft_site_table_read(const void *table, uint32_t id, struct dft_site_view *view);
void dft_site_table_free(struct dft_site_table *table);

#endif
