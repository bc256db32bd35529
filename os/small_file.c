/* Reading a small file in one go. Any thread, any context; errno is kept. */
#include "os/small_file.h"
#include "os/descriptor.h"

long dft_small_file_read(const char *path, char *text, size_t size)
{
    int fd = dft_descriptor_open(AT_FDCWD, path);

    text[0] = '\0';
    if (fd < 0)
        return fd;
    long length = dft_kernel(SYS_read, fd, (long)text, (long)size - 1, 0);
    dft_descriptor_close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length;
}
