// Prints the sites of the program it is linked into, one a line, with all that the compiler wrote.
#include "dftrace/abi.h"

#include <stdio.h>
#include <string.h>

extern struct dftrace_site __start_dftrace_sites[], __stop_dftrace_sites[];

int main(void)
{
    for (struct dftrace_site *site = __start_dftrace_sites; site < __stop_dftrace_sites; site++) {
        const char *text = site->text;
        for (int i = 0; i < DFTRACE_TEXT_COUNT; i++, text += strlen(text) + 1)
            printf("%s|", text);
        printf("line %u|flags %u|on %u|known %u|id %u|own id %u\n", site->line, site->flags,
               site->on, site->known, site->id, site->own_id);
    }
    return 0;
}
