/* Files that are small enough to be read at once, such as those of /proc. */
#ifndef DFT_OS_SMALL_FILE_H
#define DFT_OS_SMALL_FILE_H

#include <stddef.h>

/*
 * Reads as much as fits and adds a NUL; the text is empty on failure. Returns the length or a
 * negative errno. Any thread, any context; errno is kept.
 */
long dft_small_file_read(const char *path, char *text, size_t size);

#endif
