/*
 * Names of sockets: "socket:tcp 127.0.0.1:80", "socket:unix /run/a", "socket:udp". Any thread, any
 * context; errno is kept.
 *
 * A connection is named after the side with the lower port, which is the service. The other port is
 * different for every connection; names with it would be too many.
 */
#include "io/names.h"
#include "os/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

union address {
    struct sockaddr any;
    struct sockaddr_in ip4;
    struct sockaddr_in6 ip6;
    struct sockaddr_un local;
    char room[256];
};

typedef long ask_function(int fd, struct sockaddr *address, socklen_t *length);

static bool ask(ask_function *question, int fd, union address *address)
{
    socklen_t length = sizeof *address - 1;

    memset(address, 0, sizeof *address);
    return question(fd, &address->any, &length) == 0 && length >= sizeof address->any.sa_family;
}

static unsigned port_of(const union address *address)
{
    return ntohs(address->any.sa_family == AF_INET6 ? address->ip6.sin6_port
                                                    : address->ip4.sin_port);
}

static void append_ip(char *name, const char *before, const union address *address, bool with_port)
{
    size_t used = strlen(name), room = DFT_IO_NAME_ROOM - used;
    char port[16] = "";

    used += (size_t)snprintf(name + used, room, "%s", before);
    room = DFT_IO_NAME_ROOM - used;

    if (with_port)
        snprintf(port, sizeof port, ":%u", port_of(address));
    if (address->any.sa_family == AF_INET) {
        const unsigned char *b = (const unsigned char *)&address->ip4.sin_addr;
        snprintf(name + used, room, "%u.%u.%u.%u%s", b[0], b[1], b[2], b[3], port);
    } else {
        const unsigned char *b = address->ip6.sin6_addr.s6_addr;
        char text[48];
        size_t length = 0;
        for (int i = 0; i < 16; i += 2)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%x", i ? ":" : "",
                                       b[i] << 8 | b[i + 1]);
        snprintf(name + used, room, "[%s]%s", text, port);
    }
}

static bool is_ip(const union address *address)
{
    return address->any.sa_family == AF_INET || address->any.sa_family == AF_INET6;
}

static void name_ip(int fd, const union address *own, char *name)
{
    union address peer;
    int type = dft_socket_type(fd);

    snprintf(name, DFT_IO_NAME_ROOM, "socket:%s",
             type == SOCK_STREAM  ? "tcp"
             : type == SOCK_DGRAM ? "udp"
                                  : "ip");
    bool connected = ask(dft_socket_peer_address, fd, &peer) && is_ip(&peer);
    if (!connected && port_of(own) == 0)
        return;
    bool is_server = !connected || port_of(own) < port_of(&peer);
    append_ip(name, " ", is_server ? own : &peer, true);
    if (connected && is_server)
        append_ip(name, " from ", &peer, false);
}

static void name_unix(int fd, const union address *own, char *name)
{
    union address peer;
    const char *path = own->local.sun_path;

    if (!*path && !path[1] && ask(dft_socket_peer_address, fd, &peer))
        path = peer.local.sun_path;
    /* An abstract name begins with a NUL, and is shown with "@". */
    if (*path)
        snprintf(name, DFT_IO_NAME_ROOM, "socket:unix %s", path);
    else if (path[1])
        snprintf(name, DFT_IO_NAME_ROOM, "socket:unix @%s", path + 1);
    else
        snprintf(name, DFT_IO_NAME_ROOM, "socket:unix");
}

void dft_io_socket_name(int fd, char name[DFT_IO_NAME_ROOM])
{
    union address own;
    int saved = errno;

    if (ask(dft_socket_own_address, fd, &own)) {
        if (is_ip(&own))
            name_ip(fd, &own, name);
        else if (own.any.sa_family == AF_UNIX)
            name_unix(fd, &own, name);
    }
    errno = saved;
}
