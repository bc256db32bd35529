/* Names of files. */
#ifndef DFT_IO_NAMES_H
#define DFT_IO_NAMES_H

#include "runtime/io/io.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DFT_IO_NAME_ROOM (DFT_EVENT_NAME_SIZE + 24) /* longer names are cut */

/*
 * The name of an open file: its path as the kernel knows it, absolute and without symbolic links;
 * or what it is, for files without a path. False if the descriptor is not open.
 */
bool dft_io_name_of(int fd, char name[DFT_IO_NAME_ROOM]);

/*
 * Makes a path absolute, from the directory of the descriptor `directory` (AT_FDCWD: the current
 * one; DFT_IO_AS_GIVEN: it stays relative). Symbolic links are not resolved; "." and double slashes
 * are removed. `path` may be an invalid pointer. False if there is no path.
 */
bool dft_io_name_make(int directory, const char *path, char name[DFT_IO_NAME_ROOM]);

/* socket_names.c: improves the name "socket:[INODE]". */
void dft_io_socket_name(int fd, char name[DFT_IO_NAME_ROOM]);

/*
 * The entry for descriptors (descriptors.h) of this name. `is_real`: that of an open file. 0: there
 * is no session yet, so the file must be looked up again.
 */
uint64_t dft_io_name_entry(const char *name, bool is_real);

#endif
