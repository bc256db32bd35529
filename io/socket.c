/*
 * Calls on sockets. See table.h. The name of a socket contains its addresses, so it is looked up
 * again after the calls that change them.
 */
#include "io/table.h"

#include <sys/socket.h>

#include "io/socket.def"

DFT_IO_EXPORT int socket(int domain, int type, int protocol)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_socket];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_none(site, &file);
    int ret = DFT_IO_NEXT(socket)(domain, type, protocol);

    if (ret < 0 && !token)
        return ret;
    dft_io_end_open(
        site, token, &file, ret,
        DFT_IO_VALUES(V(domain, domain), V(type, type), V(protocol, protocol), V(ret, ret)), 4,
        DFT_IO_ERROR_MINUS);
    return ret;
}

DFT_IO_EXPORT int socketpair(int domain, int type, int protocol, int pair[2])
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_socketpair];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_none(site, &file);
    int ret = DFT_IO_NEXT(socketpair)(domain, type, protocol, pair);
    int error = DFT_IO_ERROR_MINUS;

    if (ret == 0) {
        dft_io_descriptor_forget(pair[0]);
        dft_io_descriptor_forget(pair[1]);
    }
    if (token)
        dft_io_end(site, token, &file,
                   DFT_IO_VALUES(V(domain, domain), V(type, type), V(protocol, protocol),
                                 V(read_fd, ret ? -1 : pair[0]), V(write_fd, ret ? -1 : pair[1]),
                                 V(ret, ret)),
                   6, error);
    return ret;
}

/* A connection has a name of its own, the listening socket is `fd`. */
static void end_accept(uint64_t token, struct dft_io_file *file, int ret, int error)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_accept];
    int fd = token ? file->fd : DFT_IO_NO_FD;
    char text[DFT_IO_NAME_ROOM];

    if (ret < 0 && !token)
        return;
    uint64_t entry = ret >= 0 && dft_io_owns_descriptors() && !__dftrace_io_is_own()
                         ? dft_io_descriptor_resolve(ret)
                         : 0;
    if (!token)
        return;
    if (entry & DFT_IO_KNOWN && !(entry & DFT_IO_EXCLUDED))
        *file = (struct dft_io_file){.entry = entry, .fd = ret};
    if (ret >= 0)
        dft_io_keep_name(token, file, text);
    file->fd = fd;
    dft_io_end(site, token, file, DFT_IO_VALUES(V(ret, ret)), 1, error);
}

DFT_IO_EXPORT int accept(int fd, struct sockaddr *address, socklen_t *length)
{
    struct dft_io_file file;
    uint64_t token = dft_io_begin_fd(&dft_io_sites[DFT_IO_EVENT_accept], fd, &file);
    int ret = DFT_IO_NEXT(accept)(fd, address, length);

    end_accept(token, &file, ret, DFT_IO_ERROR_MINUS);
    return ret;
}

DFT_IO_EXPORT int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    struct dft_io_file file;
    uint64_t token = dft_io_begin_fd(&dft_io_sites[DFT_IO_EVENT_accept], fd, &file);
    int ret = DFT_IO_NEXT(accept4)(fd, address, length, flags);

    end_accept(token, &file, ret, DFT_IO_ERROR_MINUS);
    return ret;
}

/* The socket's name has changed. */
static void end_address(struct dftrace_site *site, uint64_t token, struct dft_io_file *file, int fd,
                        int ret, int error)
{
    uint64_t entry = 0;

    dft_io_descriptor_forget(fd);
    if (!token)
        return;
    if (ret == 0 && dft_io_owns_descriptors())
        entry = dft_io_descriptor_resolve(fd);
    if (entry & DFT_IO_KNOWN && !(entry & DFT_IO_EXCLUDED))
        file->entry = entry;
    dft_io_end(site, token, file, DFT_IO_VALUES(V(ret, ret)), 1, error);
}

DFT_IO_EXPORT int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_connect];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_fd(site, fd, &file);
    int ret = DFT_IO_NEXT(connect)(fd, address, length);

    end_address(site, token, &file, fd, ret, DFT_IO_ERROR_MINUS);
    return ret;
}

DFT_IO_EXPORT int bind(int fd, const struct sockaddr *address, socklen_t length)
{
    struct dftrace_site *const site = &dft_io_sites[DFT_IO_EVENT_bind];
    struct dft_io_file file;
    uint64_t token = dft_io_begin_fd(site, fd, &file);
    int ret = DFT_IO_NEXT(bind)(fd, address, length);

    end_address(site, token, &file, fd, ret, DFT_IO_ERROR_MINUS);
    return ret;
}
