/*
 * system and popen. libc's functions start a shell by internal calls, with the environment of this
 * process, which other threads see and which therefore is not changed. Instead the shell itself
 * sets the missing variables, before the command. Everything else is left to libc. Any thread.
 *
 * Not in static executables, where there is no next definition to call.
 */
#ifndef DFT_STATIC
#include "runtime/interpose/child_environment.h"
#include "runtime/interpose/next.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

DFT_DEFINE_NEXT(system)
DFT_DEFINE_NEXT(popen)

#define EXPORT "export"
#define QUOTE "'\\''" /* a single quote, between single quotes */
#define ROOM_MAX (32 * 1024)

static bool is_in(const char *entry, char *const environment[])
{
    for (; environment && *environment; environment++)
        if (*environment == entry)
            return true;
    return false;
}

/* Whether a shell can set the variable, and must. */
static bool is_wanted(const char *entry)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

    return entry[strspn(entry, letters)] == '=' && !is_in(entry, environ);
}

/* Size of the command with the variables before it; 0: none is missing, or they are too long. */
static size_t room_for(const char *command, char *const environment[])
{
    size_t size = 0;

    for (; environment && *environment; environment++)
        if (is_wanted(*environment)) {
            size += strlen(*environment) + sizeof " ''";
            for (const char *at = *environment; (at = strchr(at, '\'')); at++)
                size += sizeof QUOTE;
        }
    if (size == 0)
        return 0;
    size += sizeof EXPORT + sizeof ";" + strlen(command);
    return size > ROOM_MAX ? 0 : size;
}

/* NAME=VALUE becomes NAME='VALUE'. Returns the end. */
static char *quote(char *to, const char *entry)
{
    size_t name = strcspn(entry, "=") + 1;

    to = mempcpy(to, entry, name);
    *to++ = '\'';
    for (entry += name; *entry; entry++)
        if (*entry == '\'')
            to = mempcpy(to, QUOTE, sizeof QUOTE - 1);
        else
            *to++ = *entry;
    *to++ = '\'';
    return to;
}

/* The command stays in the first line, whose number the shell's messages contain. */
static const char *prepend(char *room, const char *command, char *const environment[])
{
    char *to = mempcpy(room, EXPORT, sizeof EXPORT - 1);

    for (; *environment; environment++)
        if (is_wanted(*environment)) {
            *to++ = ' ';
            to = quote(to, *environment);
        }
    *to++ = ';';
    memcpy(to, command, strlen(command) + 1);
    return room;
}

/* `command`, or a copy on the caller's stack. A macro because of alloca. */
#define COMPLETE(command)                                                                          \
    ({                                                                                             \
        char *const *all = DFT_CHILD_ENVIRONMENT(environ);                                         \
        size_t needed = all == environ ? 0 : room_for(command, all);                               \
        needed ? prepend(alloca(needed), command, all) : (command);                                \
    })

DFT_INTERPOSE int system(const char *command)
{
    const char *completed = command ? COMPLETE(command) : NULL;

    return next_system()(completed);
}

DFT_INTERPOSE FILE *popen(const char *command, const char *type)
{
    const char *completed = COMPLETE(command);

    return next_popen()(completed, type);
}
#endif
