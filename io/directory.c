/* Streams of directories. See table.h. */
#include "io/table.h"

/* Not dirfd, which is recorded. */
static int number_of(DIR *stream)
{
    int saved = errno;
    int fd = stream && dft_io_is_active ? DFT_IO_NEXT(dirfd)(stream) : -1;

    errno = saved;
    return fd;
}

DFT_IO_EXPORT DIR *opendir(const char *path)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_opendir];
    struct dft_io_file file;
    char text[DFT_IO_NAME_ROOM];
    uint64_t token = dft_io_begin_open(site, AT_FDCWD, path, &file, text);
    DIR *ret = DFT_IO_NEXT(opendir)(path);
    int error = DFT_IO_ERROR_NULLS, fd = number_of(ret);

    if (ret || token)
        dft_io_end_open(site, token, &file, fd, DFT_IO_VALUES(V(ret, fd)), 1, error);
    return ret;
}

DFT_IO_EXPORT DIR *fdopendir(int fd)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_fdopendir];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_fd(site, fd, &file);
    DIR *ret = DFT_IO_NEXT(fdopendir)(fd);
    int error = DFT_IO_ERROR_NULLS;

    if (token)
        dft_io_end(site, token, &file, DFT_IO_VALUES(V(ret, ret ? fd : -1)), 1, error);
    return ret;
}

DFT_IO_EXPORT int closedir(DIR *stream)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_closedir];
    struct dft_io_file file;
    char text[DFT_IO_NAME_ROOM];
    int fd = number_of(stream);
    uint64_t token = dft_io_begin_directory(site, stream, &file);

    dft_io_keep_name(token, &file, text);
    dft_io_descriptor_forget(fd);
    int ret = DFT_IO_NEXT(closedir)(stream);
    int error = DFT_IO_ERROR_MINUS;
    dft_io_descriptor_forget(fd);
    if (token)
        dft_io_end(site, token, &file, DFT_IO_VALUES(V(ret, ret)), 1, error);
    return ret;
}

DFT_IO_EXPORT int dirfd(DIR *stream)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_dirfd];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_directory(site, stream, &file);
    int ret = DFT_IO_NEXT(dirfd)(stream);

    if (token)
        dft_io_end(site, token, &file, DFT_IO_VALUES(V(ret, ret)), 1, DFT_IO_ERROR_MINUS);
    return ret;
}
