// With _FORTIFY_SOURCE, system headers wrap functions of libc in inline functions. These are not
// functions of the program: a rule that matches every name does not trace them, with any compiler.
//
// RUN: echo 'fun:*' > allow.txt
// RUN: %cc -O2 -D_FORTIFY_SOURCE=2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog 5
// RUN: %check-trace trace-prog-*.pfw.gz --only main copy --count main=1 --count copy=1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char buffer[64];

__attribute__((noinline)) static int copy(const char *from, size_t size)
{
    char text[32];

    memset(text, 0, sizeof text);
    memcpy(text, from, size < sizeof text ? size : sizeof text - 1);
    snprintf(buffer, sizeof buffer, "<%s>", text);
    return strcmp(buffer, "<01234>");
}

int main(int argc, char **argv)
{
    return copy("0123456789", argc > 1 ? strtoul(argv[1], NULL, 10) : 0);
}
