// Floating-point numbers of 2 and of 16 bytes in [args]: in registers, on the stack, as results.
// Those of 2 bytes are shown as a float of the same value, IEEE numbers of 16 bytes are rounded to
// long double. If a compiler has no _Float16, the test uses float.
//
// Where a compiler has no _Float16 the same is shown of float.
//
// RUN: printf '[args]\nfun:*\n' > allow.txt
// RUN: %each-level '%cc -Wall -Wextra -Werror -Wno-comment $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz \
// RUN:   && %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines'

#define PART __attribute__((noinline))

#ifdef __FLT16_MAX__
typedef _Float16 half;
#else
typedef float half;
#endif
__extension__ typedef __float128 quad;

// CHECK:      main {"return":0}

// CHECK-NEXT: halves {"a":1.5,"n":7,"b":65504.0,"c":-0.0,"d":6.1035156e-05,"return":65504.0}
// CHECK-NEXT: halves {"a":"NaN","n":8,"b":"Infinity","c":"-Infinity","d":-0.25,"return":"Infinity"}
PART half halves(half a, int n, half b, half c, half d)
{
    __asm__ volatile("" : : "m"(a), "m"(c), "m"(d), "r"(n));
    return b;
}

// CHECK-NEXT: quads {"a":0.1,"n":7,"b":-2.5,"c":"Infinity","return":-2.5}
// CHECK-NEXT: quads {"a":"NaN","n":8,"b":"-Infinity","c":0.0,"return":"-Infinity"}
PART quad quads(quad a, int n, quad b, quad c)
{
    __asm__ volatile("" : : "m"(a), "m"(c), "r"(n));
    return b;
}

// CHECK-NEXT: crowded {"a":1.0,"b":2.0,"c":3.0,"d":4.0,"e":5.0,"f":6.0,"g":7.0,"h":8.0,"i":9.0,"j":10.0,"k":11.0,"last":12,"return":10.0}
PART quad crowded(quad a, half b, quad c, half d, quad e, half f, quad g, half h, half i, quad j,
                  half k, int last)
{
    __asm__ volatile("" : : "m"(a), "m"(b), "m"(c), "m"(d), "m"(e), "m"(f), "m"(g), "m"(h));
    __asm__ volatile("" : : "m"(i), "m"(k), "r"(last));
    return j;
}

int main(void)
{
    halves(1.5f, 7, 65504.0f, -0.0f, 0x1p-14f);
    halves((half)__builtin_nanf(""), 8, (half)__builtin_inff(), (half)-__builtin_inff(), -0.25f);
    quads(0.1Q, 7, -2.5Q, 1e4000Q);
    quads((quad)__builtin_nan(""), 8, (quad)-__builtin_inf(), 0.0Q);
    crowded(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    return 0;
}
