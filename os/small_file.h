/* Files that one reading takes in as a whole, such as those of /proc. */
#ifndef DFT_OS_SMALL_FILE_H
#define DFT_OS_SMALL_FILE_H

#include <stddef.h>

/*
 * Reads as much as fits and adds a NUL; an empty text on failure. Returns the length or a negative
 * errno. Any thread, any context; errno is kept.
 */
long dft_small_file_read(const char *path, char *text, size_t size);

#endif
