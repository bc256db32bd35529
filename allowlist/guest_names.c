/*
 * The names by which rules can refer to a function of an interpreted language.
 *
 * Any thread, any context: allocates nothing.
 */
#include "allowlist.h"

#include <string.h>

/* What the qualified name of a Python function contains behind the function around it. */
#define LOCALS "<locals>."

static void add(struct dft_guest_names *names, const char *name)
{
    if (name[0])
        names->names[names->count++] = name;
}

/* Copies `name` without LOCALS. `room` must be as large as the name with its end. */
static void copy_without_locals(char *room, const char *name)
{
    const char *found;

    while ((found = strstr(name, LOCALS))) {
        memcpy(room, name, (size_t)(found - name));
        room += found - name;
        name = found + sizeof LOCALS - 1;
    }
    memcpy(room, name, strlen(name) + 1);
}

void dft_guest_names_make(struct dft_guest_names *names, const char *name, const char *qualified,
                          const char *module)
{
    const char *whole = qualified[0] ? qualified : name;
    size_t length = strlen(whole) + 1, prefix = module[0] ? strlen(module) + 1 : 0;
    char *room = names->room;

    names->count = 0;
    add(names, name);
    if (whole != name)
        add(names, whole);
    if (prefix + length > sizeof names->room / 2)
        return;
    if (prefix) {
        memcpy(room, module, prefix - 1);
        room[prefix - 1] = '.';
        memcpy(room + prefix, whole, length);
        add(names, room);
        room += prefix + length;
    }
    if (!strstr(whole, LOCALS))
        return;
    if (prefix) {
        memcpy(room, module, prefix - 1);
        room[prefix - 1] = '.';
    }
    copy_without_locals(room + prefix, whole);
    add(names, room + prefix);
    if (prefix)
        add(names, room);
}
