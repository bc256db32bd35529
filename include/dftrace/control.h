/*
 * The protocol between `dftrace ctl` and a traced process: a socket with an abstract name, which
 * needs no file and is the same in every mount namespace. Each side checks the other side's
 * credentials, as the kernel reports them. A request is one packet, the answer another; then the
 * connection is closed.
 *
 *   on | off | status | flush | set FILE        the request; FILE is absolute
 *   ok [NAME=VALUE]...  |  error MESSAGE        the answer
 *
 * The packet of `set` has one descriptor (SCM_RIGHTS): a memfd with the contents of FILE, sealed
 * against writing and shrinking. The traced process never opens FILE, which may be a pipe or on a
 * file system that does not respond. It uses the name only in messages.
 */
#ifndef DFTRACE_CONTROL_H
#define DFTRACE_CONTROL_H

#define DFTRACE_CONTROL_MAX 4352 /* limit of a packet, in bytes */

/* After the NUL that makes a name abstract: the pid, and the inode of its pid namespace. */
#define DFTRACE_CONTROL_NAME "dftrace-control-%ld-%llu"

#endif
