// Functions of every calling convention get hooks, and receive and return the same values as
// without hooks.
//
// RUN: echo 'fun:*' > allow.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib && ./prog && DFTRACER_ENABLE=1 ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count main=1 --count __regcall3__many=2 --count __regcall3__real=2 \
// RUN:      --count windows=2 --count most=2 --count all=2 --count swift=2 --only main __regcall3__many \
// RUN:      __regcall3__real windows most all swift'

#define KEPT(convention) __attribute__((noinline, convention))

KEPT(regcall)
long many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

KEPT(regcall)
double real(double a, double b, double c, double d, double e, double f, double g, long h)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * (double)h;
}

KEPT(ms_abi) long windows(long a, long b, long c, long d, long e)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e;
}

// Clang 14 and 16 miscompile the results of these two.
static volatile long product, difference;

KEPT(preserve_most) void most(long a, long b)
{
    product = a * b;
}

KEPT(preserve_all) void all(long a, long b)
{
    difference = a - b;
}

KEPT(swiftcall) long swift(__attribute__((swift_context)) char *context, long a)
{
    return *context + a;
}

int main(void)
{
    char context = 7;

    for (long i = 0; i < 2; i++) {
        most(3, i);
        all(3, i);
        if (many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10 + i) != 385 + 10 * i ||
            real(1, 2, 3, 4, 5, 6, 7, i) != 140 + 8 * (double)i ||
            windows(1, 2, 3, 4, i) != 30 + 5 * i || product != 3 * i || difference != 3 - i ||
            swift(&context, i) != 7 + i)
            return 1;
    }
    return 0;
}
