/* Steps of opening a spool that are the same for all versions. Any thread; no state. */
#ifndef DFT_SPOOL_OPEN_H
#define DFT_SPOOL_OPEN_H

#include "spool/spool.h"

/*
 * Begins to open the file: clears the spool and sets its path. Stores the file's size. Returns a
 * negative errno if the file cannot be a spool of this user.
 */
int dft_open_begin(struct dft_spool *spool, int fd, const char *path, uint64_t *size);

/*
 * Reads the beginning of the file. -ENODATA: the header is not written yet; -ENOMSG: the file is
 * too short for a spool.
 */
int dft_open_read(int fd, void *header, size_t size);

/* Terminates the texts of a header. In a valid spool, they are terminated already. */
void dft_open_close_texts(struct dft_spool_header *header);

#endif
