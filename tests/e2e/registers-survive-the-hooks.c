// The hooks change no register that the program uses: arguments in vector registers of every width,
// long double, results in two registers; also on the first call of a function, when a chunk is
// full, and deeper than the shadow stack. The variables of a leaf function are not below the stack
// pointer, where a hook would overwrite them.
//
// RUN: echo 'fun:*' > allow.txt
// RUN: for flags in -O0 -O2 "-O2 -mavx2" "-O3 -fno-omit-frame-pointer" "-O2 -mcmodel=large -fno-pic -no-pie"; do \
// RUN:   case "$flags" in *avx2*) grep -q avx2 /proc/cpuinfo || continue ;; esac; \
// RUN:   rm -f trace-*; %cc $flags %plugin %allow=allow.txt %s -o program %lib || exit 1; \
// RUN:   ./program || exit 1; \
// RUN:   DFTRACER_ENABLE=1 ./program || exit 1; \
// RUN:   %check-trace trace-*.pfw.gz --count main=1 --count mix=6000 --count leaf=6000 --count deep=5001 --count pair=6000 || exit 1; \
// RUN: done

#include <stdio.h>
#include <stdlib.h>

typedef double four __attribute__((vector_size(32)));

struct two {
    long first, second;
};

#define OUT_OF_LINE __attribute__((noinline, noclone))

OUT_OF_LINE double mix(int a, double b, long c, float d, long double e, char f, double g, long h,
                       int i, double j)
{
    return a + 2 * b + 3 * (double)c + 4 * (double)d + 5 * (double)e + 6 * f + 7 * g +
           8 * (double)h + 9 * i + 10 * j;
}

OUT_OF_LINE void wide(four *sum, const four *one)
{
    *sum += *one * 2;
}

OUT_OF_LINE struct two pair(long x)
{
    return (struct two){x, -x};
}

OUT_OF_LINE long leaf(long a, long b)
{
    volatile long room[6] = {a, b, a + b, a - b, 7, 9};

    return room[0] + room[1] + room[2] + room[3] + room[4] + room[5];
}

OUT_OF_LINE double deep(int n, double x)
{
    double below = n ? deep(n - 1, x + 1) : 0;

    return below + x;
}

int main(void)
{
    four sum = {0, 0, 0, 0}, one = {1, 2, 3, 4};

    for (int i = 0; i < 6000; i++) {
        double got = mix(1, 2, 3, 4, 5, 6, 7, 8, 9, i);
        if (got != 1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 + 81 + 10.0 * i)
            return printf("mix %d: %g\n", i, got), EXIT_FAILURE;
        wide(&sum, &one);
        struct two both = pair(i);
        if (both.first != i || both.second != -i)
            return puts("pair"), EXIT_FAILURE;
        if (leaf(i, 3) != i + 3 + i + 3 + i - 3 + 16)
            return puts("leaf"), EXIT_FAILURE;
    }
    for (int i = 0; i < 4; i++)
        if (sum[i] != 12000.0 * (i + 1))
            return puts("wide"), EXIT_FAILURE;
    if (deep(5000, 0) != 5000.0 * 5001 / 2)
        return puts("deep"), EXIT_FAILURE;
    return EXIT_SUCCESS;
}
