/*
 * What the kernel knows of a socket. Any thread, any context; errno is kept. Each function returns
 * a negative errno on failure.
 */
#ifndef DFT_OS_SOCKET_H
#define DFT_OS_SOCKET_H

#include "os/kernel.h"

#include <sys/socket.h>

/* The address of the socket itself. `length` is its room before, its length afterwards. */
static inline long dft_socket_own_address(int fd, struct sockaddr *address, socklen_t *length)
{
    return dft_kernel(SYS_getsockname, fd, (long)address, (long)length, 0);
}

/* The address of the other side. */
static inline long dft_socket_peer_address(int fd, struct sockaddr *address, socklen_t *length)
{
    return dft_kernel(SYS_getpeername, fd, (long)address, (long)length, 0);
}

/* SOCK_STREAM, SOCK_DGRAM, ...; or a negative errno. */
static inline int dft_socket_type(int fd)
{
    int type = 0;
    socklen_t length = sizeof type;
    int saved = errno;
    long failed = syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &length);
    int error = errno;

    errno = saved;
    return failed ? -error : type;
}

#endif
