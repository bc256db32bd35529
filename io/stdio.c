/*
 * Calls on streams. See table.h. What a stream reads and writes itself, in libc, is not
 * intercepted.
 */
#include "io/table.h"

#include <stdarg.h>

/* libc's headers have macros of these names. */
#undef fread_unlocked
#undef fwrite_unlocked

#include "io/stdio.def"

static void end_fopen(struct dftrace_site *site, uint64_t token, struct dft_io_file *file,
                      FILE *ret, const char *mode, int error)
{
    int fd = ret ? dft_io_number_of(ret) : -1;

    if (ret || token)
        dft_io_end_open(site, token, file, fd, DFT_IO_VALUES(T(mode, mode), V(ret, fd)), 2,
                        ret ? 0 : error);
}

DFT_IO_EXPORT FILE *fopen(const char *path, const char *mode)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_fopen];
    struct dft_io_file file;
    char text[DFT_IO_NAME_ROOM];
    uint64_t token = dft_io_begin_open(site, AT_FDCWD, path, &file, text);
    FILE *ret = DFT_IO_NEXT(fopen)(path, mode);

    end_fopen(site, token, &file, ret, mode, errno);
    return ret;
}

DFT_IO_EXPORT FILE *fopen64(const char *path, const char *mode)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_fopen];
    struct dft_io_file file;
    char text[DFT_IO_NAME_ROOM];
    uint64_t token = dft_io_begin_open(site, AT_FDCWD, path, &file, text);
    FILE *ret = DFT_IO_NEXT(fopen64)(path, mode);

    end_fopen(site, token, &file, ret, mode, errno);
    return ret;
}

/* freopen closes the descriptor of the stream, which is forgotten before and after. */
static FILE *reopen(__typeof__(&freopen) next, const char *path, const char *mode, FILE *stream)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_freopen];
    struct dft_io_file file;
    char text[DFT_IO_NAME_ROOM];
    int before = dft_io_is_active ? dft_io_number_of(stream) : -1;
    uint64_t token = dft_io_begin_open(site, AT_FDCWD, path, &file, text);

    dft_io_descriptor_forget(before);
    FILE *ret = next(path, mode, stream);
    int error = errno;
    dft_io_descriptor_forget(before);
    end_fopen(site, token, &file, ret, mode, error);
    return ret;
}

DFT_IO_EXPORT FILE *freopen(const char *path, const char *mode, FILE *stream)
{
    return reopen(DFT_IO_NEXT(freopen), path, mode, stream);
}

DFT_IO_EXPORT FILE *freopen64(const char *path, const char *mode, FILE *stream)
{
    return reopen(DFT_IO_NEXT(freopen64), path, mode, stream);
}

DFT_IO_EXPORT FILE *fdopen(int fd, const char *mode)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_fdopen];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_fd(site, fd, &file);
    FILE *ret = DFT_IO_NEXT(fdopen)(fd, mode);

    if (token)
        dft_io_end(site, token, &file, DFT_IO_VALUES(T(mode, mode)), 1, DFT_IO_ERROR_NULLS);
    return ret;
}

DFT_IO_EXPORT int fclose(FILE *stream)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_fclose];
    struct dft_io_file file;
    char text[DFT_IO_NAME_ROOM];
    int fd = dft_io_is_active ? dft_io_number_of(stream) : -1;
    uint64_t token = dft_io_begin_stream(site, stream, &file);

    dft_io_keep_name(token, &file, text);
    dft_io_descriptor_forget(fd);
    int ret = DFT_IO_NEXT(fclose)(stream);
    int error = DFT_IO_ERROR_MINUS;
    dft_io_descriptor_forget(fd);
    if (token)
        dft_io_end(site, token, &file, DFT_IO_VALUES(V(ret, ret)), 1, error);
    return ret;
}

static FILE *make_temporary(FILE *(*next)(void))
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_tmpfile];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_none(site, &file);
    FILE *ret = next();

    end_fopen(site, token, &file, ret, NULL, errno);
    return ret;
}

DFT_IO_EXPORT FILE *tmpfile(void)
{
    return make_temporary(DFT_IO_NEXT(tmpfile));
}

DFT_IO_EXPORT FILE *tmpfile64(void)
{
    return make_temporary(DFT_IO_NEXT(tmpfile64));
}

static FILE *open_in_memory(__typeof__(&fmemopen) next, void *buffer, size_t size, const char *mode)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_fmemopen];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_none(site, &file);
    FILE *ret = next(buffer, size, mode);

    if (token)
        dft_io_end(site, token, &file, DFT_IO_VALUES(V(size, size), T(mode, mode), P(ret, ret)), 3,
                   DFT_IO_ERROR_NULLS);
    return ret;
}

DFT_IO_EXPORT FILE *fmemopen(void *buffer, size_t size, const char *mode)
{
    return open_in_memory(DFT_IO_NEXT(fmemopen), buffer, size, mode);
}

/* For programs that were linked with the older version, which is not the one that dlsym finds. */
#ifdef DFT_IO_FMEMOPEN_OLD
DFT_IO_EXPORT FILE *dft_io_fmemopen_old(void *buffer, size_t size, const char *mode);
__asm__(".symver dft_io_fmemopen_old, fmemopen@" DFT_IO_FMEMOPEN_OLD);

DFT_IO_EXPORT FILE *dft_io_fmemopen_old(void *buffer, size_t size, const char *mode)
{
    __typeof__(&fmemopen) old = (__typeof__(&fmemopen))dft_io_next_fmemopen_old;

    return open_in_memory(old ? old : DFT_IO_NEXT(fmemopen), buffer, size, mode);
}
#endif

DFT_IO_EXPORT FILE *popen(const char *command, const char *mode)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_popen];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_none(site, &file);
    FILE *ret = DFT_IO_NEXT(popen)(command, mode);
    int fd = ret ? dft_io_number_of(ret) : -1;

    if (ret || token)
        dft_io_end_open(site, token, &file, fd,
                        DFT_IO_VALUES(T(command, command), T(mode, mode), V(ret, fd)), 3,
                        DFT_IO_ERROR_NULLS);
    return ret;
}

DFT_IO_EXPORT int pclose(FILE *stream)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_pclose];
    struct dft_io_file file;
    char text[DFT_IO_NAME_ROOM];
    int fd = dft_io_is_active ? dft_io_number_of(stream) : -1;
    uint64_t token = dft_io_begin_stream(site, stream, &file);

    dft_io_keep_name(token, &file, text);
    dft_io_descriptor_forget(fd);
    int ret = DFT_IO_NEXT(pclose)(stream);
    int error = DFT_IO_ERROR_MINUS;
    dft_io_descriptor_forget(fd);
    if (token)
        dft_io_end(site, token, &file, DFT_IO_VALUES(V(ret, ret)), 1, error);
    return ret;
}
