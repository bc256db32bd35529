// DFTRACER_MAX_DEPTH with -finstrument-functions: down to that depth the trace is the same as
// without a limit. Functions that use alloca run their exit hook at a lower stack address than
// their enter hook; an omitted call of the same function may be there as well.
//
// RUN: printf 'fun:*\n' > allow.txt
// RUN: export DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt
// RUN: for level in -O0 -O2 -Os; do \
// RUN:   %cc $level -finstrument-functions %s -o prog %lib || exit 1; \
// RUN:   ./prog && %check-trace trace-*.pfw.gz --tree > all.txt && rm trace-* || exit 1; \
// RUN:   test $(wc -l < all.txt) = 158 || exit 1; \
// RUN:   for depth in 1 2 3 4 5 7; do \
// RUN:     DFTRACER_MAX_DEPTH=$depth ./prog && %check-trace trace-*.pfw.gz --tree > some.txt && rm trace-* \
// RUN:     && grep -E "^ {0,$((2 * depth))}[^ ]" all.txt | diff - some.txt || exit 1; done; done

#include <alloca.h>
#include <setjmp.h>
#include <string.h>
#include <time.h>

static volatile int sink;
static jmp_buf target;

__attribute__((noinline)) static void leaf(char *bytes, int count)
{
    memset(bytes, 1, (size_t)count);
    sink = bytes[count / 2];
}

__attribute__((noinline)) static void varies(int count, int depth)
{
    char *some = alloca((size_t)count);

    leaf(some, count);
    if (depth > 0)
        varies(count + 16, depth - 1);
    leaf(some, count);
}

__attribute__((noinline)) static void other(int count, int depth);

__attribute__((noinline)) static void one(int count, int depth)
{
    char *some = alloca((size_t)count);

    leaf(some, count);
    if (depth > 0)
        other(count + 32, depth - 1);
}

__attribute__((noinline)) static void other(int count, int depth)
{
    one(count, depth);
    sink = count;
}

/*
 * The calls that longjmp leaves end together. One that began in the same step of the clock would
 * have no length, and readers could not tell its caller.
 */
__attribute__((noinline, no_instrument_function)) static void pass_time(void)
{
    struct timespec begin, now;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec == begin.tv_sec && now.tv_nsec < begin.tv_nsec + 1000);
}

/* Out of calls that are left out, into one that is not, which calls the same functions again. */
__attribute__((noinline)) static void jumps(int depth)
{
    char bytes[16];

    if (depth == 0) {
        pass_time();
        longjmp(target, 1);
    }
    jumps(depth - 1);
    leaf(bytes, 16);
}

__attribute__((noinline)) static void catches(int depth)
{
    if (setjmp(target) == 0)
        jumps(depth);
    varies(64, 2);
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        varies(100 + i * 50, 3);
        one(100, 4);
        catches(3);
        catches(1);
    }
    return 0;
}
