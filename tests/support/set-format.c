/* Makes a spool's trace be written in another format: set-format SPOOL NUMBER (enum dft_trace_format). */
#include "spool/format.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[1], "r+") : NULL;

    if (!file || fseek(file, offsetof(struct dft_spool_header, settings.format), SEEK_SET) != 0 ||
        fputc(atoi(argv[2]), file) == EOF || fclose(file) != 0)
        return 1;
    return 0;
}
