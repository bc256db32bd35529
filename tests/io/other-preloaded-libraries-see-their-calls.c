// Libraries that intercept the same calls, preloaded before, between and after those of dftrace, see each
// call of the program exactly once, and so does the trace; as with sanitizers and another allocator.
//
// RUN: %cc -w -O1 %s -o prog
// RUN: %cc -w -O1 -shared -fPIC %S/Inputs/counts-calls.c -o counts.so
// RUN: LD_PRELOAD=$PWD/counts.so COUNTS=alone.txt ./prog > out.txt
// RUN: grep -qx "prog: open 20 read 120 write 200 fopen 20 fgets 40 close 20" alone.txt
//
// RUN: counts=$PWD/counts.so io=%libdir/libdftrace-io.so rt=%libdir/libdftrace.so
// RUN: for list in $counts:$io:$rt $io:$counts:$rt $io:$rt:$counts; do \
// RUN:   COUNTS=chain.txt DFTRACER_ENABLE=1 DFTRACER_LOG_FILE=$PWD/t LD_PRELOAD=$list ./prog > out-chain.txt || exit 1; \
// RUN:   cmp out.txt out-chain.txt && cmp alone.txt chain.txt && %{python} %S/Inputs/count-calls t-*.gz || exit 1; rm t-*.gz chain.txt; done
//
// Below dftrace run, other libraries come after its own.
// RUN: LD_PRELOAD=$PWD/counts.so COUNTS=chain.txt %dftrace run --io --no-report -o r -- ./prog > out-chain.txt
// RUN: cmp out.txt out-chain.txt && grep -x "$(cat alone.txt)" chain.txt && %{python} %S/Inputs/count-calls r-prog-*.gz
//
// An allocator that makes calls when it is first used, which is while the functions are looked up; and one that allocates
// and makes calls without end while a function is missing.
// RUN: %cc -w -O1 -shared -fPIC -fno-builtin %S/Inputs/lazy-heap.c -o lazy.so
// RUN: %cc -w -O1 -shared -fPIC -fno-builtin -DENDLESS %S/Inputs/lazy-heap.c -o endless.so
// RUN: for heap in $PWD/lazy.so $PWD/endless.so; do for list in $heap:$io:$rt $io:$heap:$rt $io:$rt:$heap; do \
// RUN:   DFTRACER_ENABLE=1 DFTRACER_LOG_FILE=$PWD/h LD_PRELOAD=$list ./prog > out-chain.txt || exit 1; \
// RUN:   cmp out.txt out-chain.txt && %{python} %S/Inputs/count-calls h-*.gz || exit 1; rm h-*.gz; done; done
//
// RUN: heap=$(find /usr/lib /lib -name 'libjemalloc.so.2' 2> /dev/null | head -1); if test -z "$heap"; then echo "skipped: no libjemalloc2"; exit 0; fi; \
// RUN: for list in $heap:$io:$rt $io:$heap:$rt $io:$rt:$heap; do \
// RUN:   DFTRACER_ENABLE=1 DFTRACER_LOG_FILE=$PWD/j LD_PRELOAD=$list ./prog > out-chain.txt || exit 1; \
// RUN:   cmp out.txt out-chain.txt && %{python} %S/Inputs/count-calls j-*.gz || exit 1; rm j-*.gz; done

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char buffer[100] = "x", path[32];
    long sum = 0;

    for (int i = 0; i < 20; i++) {
        snprintf(path, sizeof path, "data%d", i);
        int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
        for (int k = 0; k < 10; k++)
            sum += write(fd, buffer, 50);
        lseek(fd, 0, SEEK_SET);
        ssize_t length;
        while ((length = read(fd, buffer, 100)) > 0)
            sum += length;
        close(fd);
        FILE *stream = fopen(path, "r");
        while (fgets(buffer, 100, stream) && ftell(stream) < 150)
            sum++;
        fclose(stream);
        free(realloc(malloc(100000), 300000));
    }
    printf("%ld\n", sum);
    return 0;
}
