/* Converts the header of a spool of versions 1 to 4: see older.h. Pure functions. */
#ifndef DFT_SPOOL_OLDER_HEADER_H
#define DFT_SPOOL_OLDER_HEADER_H

#include "spool/older/layouts.h"

/* Where an old spool has what cannot stay where it is. */
struct dft_older_regions {
    struct dft_region directory, site_index, site_text, segments, threads, chunks;
};

/*
 * Makes a header of the current version with current places of the regions. It has no sites, and
 * `base` is such that addresses of records stay valid. Returns 0, -ENOMSG, -EPROTONOSUPPORT or
 * -EBADMSG, as dft_spool_open does.
 */
int dft_older_convert_header(const union dft_older_header *old, uint64_t file_size,
                             struct dft_spool_header *header, struct dft_older_regions *regions);

/* How many sites an old spool has. */
uint32_t dft_older_count_sites(const union dft_older_header *old);

#endif
