/*
 * Files that users write: allowlists and configuration files.
 *
 * Compilers and the tool read any kind of file, also a pipe. A traced program reads regular files
 * only: it must not wait for the writer of a pipe, and its children could not read the same pipe
 * again.
 */
#ifndef DFT_ALLOWLIST_FILE_H
#define DFT_ALLOWLIST_FILE_H

#include "allowlist.h"

struct dft_file_kind {
    const char *name; /* in messages: "allowlist" */
    size_t max;       /* bytes */
    bool regular;     /* nothing else is read: reading never blocks */
};

/*
 * Reads the whole file. If that fails, returns false and fills `error`, which may be NULL. `text`
 * is the caller's to free in either case.
 */
bool dft_file_read(const struct dft_file_kind *kind, const char *path, char **text, size_t *length,
                   struct dft_allowlist_error *error);

#endif
