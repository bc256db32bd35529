/*
 * Reading spools of versions 1 to 4, whose layout was another one.
 *
 * Such a spool is opened as a spool of the current version, so that nothing else knows of older
 * layouts: the header and the site table are converted, and all other regions are mapped to where
 * the current version has them. All of this is in the private memory of the caller. The file does
 * not change.
 *
 * Only for spools whose process has ended. For commands; not part of the runtime.
 */
#ifndef DFT_SPOOL_OLDER_OLDER_H
#define DFT_SPOOL_OLDER_OLDER_H

#include "spool/spool.h"

#define DFT_OLDER_FIRST 1u /* the first version that there was */
#define DFT_OLDER_LAST 4u

/*
 * As dft_spool_peek, for a spool of versions 1 to 4. -EINPROGRESS: its process is running. The
 * spool is untrusted, like any other.
 */
int dft_spool_open_older(struct dft_spool *spool, int fd, const char *path);

#endif
