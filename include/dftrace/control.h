/*
 * How `dftrace ctl` and a traced process talk: by a socket with an abstract name, which needs no
 * file, leaves none behind and is the same in every mount namespace. Both sides look at whom the
 * kernel says the other one is. A request is one packet, the answer another; then it is over.
 *
 *   on | off | status | flush | set FILE        the request; FILE is absolute
 *   ok [NAME=VALUE]...  |  error MESSAGE        the answer
 *
 * The packet of `set` carries one descriptor (SCM_RIGHTS) of a memfd with the contents of FILE,
 * sealed against writing and shrinking. The process itself never opens FILE, which may be a pipe or
 * on a file system that does not answer; the name is for messages.
 */
#ifndef DFTRACE_CONTROL_H
#define DFTRACE_CONTROL_H

#define DFTRACE_CONTROL_MOST 4352 /* bytes of a packet */

/* Behind the NUL that makes a name abstract: pid and inode of its pid namespace. */
#define DFTRACE_CONTROL_NAME "dftrace-control-%ld-%llu"

#endif
