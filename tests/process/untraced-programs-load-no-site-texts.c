// An untraced program has no page in memory of the texts that describe its functions, in itself and
// in its libraries. The texts are in a section of their own, and reading a neighbouring page does
// not load them.
//
// RUN: printf '*function*\n' > allow.txt
// RUN: %cc -O2 -I%include -shared -fPIC -DLIBRARY %plugin %allow=allow.txt %s -o libfunctions.so
// RUN: %cc -O2 -I%include %plugin %allow=allow.txt %s -o shared -L. -lfunctions -Wl,-rpath,'$ORIGIN' %lib
// RUN: %cc -O2 -I%include %plugin %allow=allow.txt %s -o archive -L. -lfunctions -Wl,-rpath,'$ORIGIN' \
// RUN:   -L%libdir -l:libdftrace.a -Wl,--export-dynamic
// RUN: for prog in shared archive; do ./$prog 0; DFTRACER_ENABLE=1 ./$prog 1; \
// RUN:   %check-trace trace-$prog-*.pfw.gz --count function_with_a_rather_long_name_a1111=1; done

#include "dftrace/abi.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int sink;

#define ONE(n)                                                                                     \
    __attribute__((noinline)) void function_with_a_rather_long_name_##n(int parameter)             \
    {                                                                                              \
        sink = parameter;                                                                          \
    }
#define FOUR(n) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4)
#define SIXTEEN(n) FOUR(n##1) FOUR(n##2) FOUR(n##3) FOUR(n##4)
#define MANY(n) SIXTEEN(n##1) SIXTEEN(n##2) SIXTEEN(n##3) SIXTEEN(n##4)
#define ALL(n) MANY(n##1) MANY(n##2) MANY(n##3)

extern const struct dftrace_site __start_dftrace_sites[] __attribute__((visibility("hidden")));
extern const struct dftrace_site __stop_dftrace_sites[] __attribute__((visibility("hidden")));

/* How many of the pages that contain only texts are in memory; `all` gets their number. */
static int count_pages(int *all)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)__start_dftrace_sites->text;
    uintptr_t last = (uintptr_t)__stop_dftrace_sites[-1].text;
    uintptr_t from = ((first < last ? first : last) + page - 1) / page;
    uintptr_t to = (first < last ? last : first) / page;
    int file = open("/proc/self/pagemap", O_RDONLY);
    int present = 0;

    for (uintptr_t at = from; at < to; at++) {
        uint64_t entry = 0;
        if (pread(file, &entry, sizeof entry, (off_t)(at * sizeof entry)) != sizeof entry)
            exit(2);
        present += (int)(entry >> 63);
    }
    close(file);
    *all = (int)(to - from);
    return present;
}

#ifdef LIBRARY
ALL(b)
int count_pages_of_library(int *all);
int count_pages_of_library(int *all)
{
    function_with_a_rather_long_name_b1111(1);
    return count_pages(all);
}
#else
ALL(a)
int count_pages_of_library(int *all);
int main(int argc, char **argv)
{
    int is_traced = argc > 1 && atoi(argv[1]);
    int all[2], present[2];

    function_with_a_rather_long_name_a1111(1);
    present[0] = count_pages(&all[0]);
    present[1] = count_pages_of_library(&all[1]);
    for (int i = 0; i < 2; i++) {
        printf("%d of %d pages\n", present[i], all[i]);
        if (all[i] < 3 || (present[i] > 0) != is_traced)
            return 1;
    }
    return 0;
}
#endif
