// A recursion of 801 calls is one stack of one thread, whatever the format of the trace is: in the report, by thread, and in
// folded stacks. Perfetto's format has it on two tracks.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD && printf 'recurse\nmain\n' > allow.txt
// RUN: %cc -O1 %plugin %allow=allow.txt %s -o prog %lib
// RUN: for format in json dftracer perfetto; do DFTRACER_ENABLE=1 DFTRACER_FORMAT=$format DFTRACER_LOG_FILE=$PWD/$format ./prog || exit 1; done
// RUN: for trace in json-* dftracer-* perfetto-*; do %dftrace report --json $trace | tr '{' '\n' > got.txt; grep '"threads":1,"calls":802,' got.txt || exit 1; grep '"function":"recurse".*"calls":801,' got.txt || exit 1; done
// RUN: for trace in json-* dftracer-* perfetto-*; do %dftrace report --by thread $trace > got.txt; grep -c ' 802 .*(tid' got.txt | grep -x 1 || exit 1; not grep deeper got.txt || exit 1; done
// RUN: for trace in json-* perfetto-*; do %dftrace convert --to folded $trace $trace.folded; grep -oE '^[^ ]*;recurse ' $trace.folded | tr -cd ';\n' | awk '{if (length > most) most = length} END {print most}' | grep -x 80[12] || exit 1; done
// RUN: %dftrace convert perfetto-*.pftrace once.json && %dftrace convert once.json again.pftrace && %dftrace convert again.pftrace twice.json && cmp once.json twice.json

#include <time.h>

/* Folded stacks leave out functions without time of their own, so the innermost call takes some. */
static int take_time(void)
{
    struct timespec first, now;

    clock_gettime(CLOCK_MONOTONIC, &first);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec == first.tv_sec && now.tv_nsec < first.tv_nsec + 10000);
    return 1;
}

__attribute__((noinline)) static int recurse(volatile int depth)
{
    return depth > 1 ? recurse(depth - 1) + 1 : take_time();
}

int main(void)
{
    return recurse(801) != 801;
}
