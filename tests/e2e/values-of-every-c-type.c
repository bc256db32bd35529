// Arguments and results of C functions in [args]: structures and unions by their tag, arrays as
// pointers, functions with `...`, parameters that are volatile or whose address is taken. There is
// no warning, and the results are the same as without the plugin.
//
// RUN: printf '[args]\nfun:*\n' > allow.txt
// RUN: %cc -O2 %s -o plain && ./plain > plain.txt
// RUN: %each-level '%cc -Wall -Wextra -Werror -Wno-comment $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog > out.txt && diff ../plain.txt out.txt && %check-trace trace-prog-*.pfw.gz \
// RUN:   && %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines'
//
// The runtime's functions are found in a static executable, and in one that is not
// position-independent and not linked with the runtime.
// RUN: %cc -O2 -static -pthread %plugin %allow=allow.txt %s -o static -L%libdir -l:libdftrace.a
// RUN: DFTRACER_ENABLE=1 ./static && %show-values trace-static-*.pfw.gz | FileCheck %s --match-full-lines
// RUN: %cc -O2 -no-pie -fno-pie %plugin %allow=allow.txt %s -o fixed && ./fixed > out.txt && diff plain.txt out.txt
// RUN: %dftrace run ./fixed > /dev/null && %show-values trace-fixed-*.pfw.gz | FileCheck %s --match-full-lines
// RUN: %cc -O2 -masm=intel %plugin %allow=allow.txt %s -o intel %lib
// RUN: DFTRACER_ENABLE=1 ./intel && %show-values trace-intel-*.pfw.gz | FileCheck %s --match-full-lines

#include <complex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PART __attribute__((noinline))

enum mode { OFF, ON = 1 << 20 };
struct pair {
    int a, b;
};
typedef struct {
    double x[4];
} quad;
union either {
    int i;
    float f;
};

// CHECK: main {"return":0}

// CHECK-NEXT: scalars {"b":true,"c":"c","m":1048576,"u8":200,"i64":-1,"f":1.5,"return":1048576}
PART static enum mode scalars(_Bool b, char c, enum mode m, uint8_t u8, int64_t i64, float f)
{
    return b && c && u8 && i64 && f > 1 ? m : OFF;
}

// CHECK-NEXT: tagged {"p":"struct pair","q":"quad","e":"union either","z":9,"return":"struct pair"}
PART static struct pair tagged(struct pair p, quad q, union either e, int z)
{
    p.a += (int)q.x[3] + e.i + z;
    return p;
}

// CHECK-NEXT: numbers {"z":[1.0,2.0],"big":3,"ubig":4,"n":5,"return":[13.0,2.0]}
PART static double complex numbers(double complex z, __int128 big, unsigned __int128 ubig, int n)
{
    return z + (double)(big + (__int128)ubig) + n;
}

// CHECK-NEXT: arrays {"text":"in an array","numbers":"ADDRESS","n":2,"rows":"ADDRESS","return":"in an array"}
PART static char *arrays(char text[16], const int numbers[3], int n, int rows[][n])
{
    return numbers[0] + rows[1][1] ? text : NULL;
}

// CHECK-NEXT: variadic {"count":3,"kind":"sum","return":60}
PART static int variadic(int count, const char *kind, ...)
{
    va_list list;
    int sum = 0;
    va_start(list, kind);
    for (int i = 0; i < count; i++)
        sum += va_arg(list, int);
    va_end(list);
    return sum;
}

static void set(int *p, int value)
{
    *p = value;
}

// CHECK-NEXT: touched {"volatile_one":1,"address_taken":2,"text":"ADDRESS","return":12}
// CHECK-NEXT: set {"p":"ADDRESS","value":11}
PART static int touched(volatile int volatile_one, int address_taken, volatile char *text)
{
    set(&address_taken, 11);
    return text[0] ? volatile_one + address_taken : 0;
}

// CHECK-NEXT: restricted {"to":"ADDRESS","from":"ADDRESS","n":4,"return":"ADDRESS"}
PART static void *restricted(void *restrict to, const void *restrict from, size_t n)
{
    return memcpy(to, from, n);
}

// CHECK-NEXT: many {"a":"1","b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9.5,"j":10,"return":55.5}
PART static double many(char a, int b, long c, short d, long e, int f, int g, signed char h,
                        double i, unsigned j)
{
    return (a - '0') + b + c + d + e + f + g + h + i + j;
}

// CHECK-NEXT: early {"n":1,"return":-1}
// CHECK-NEXT: early {"n":5,"return":10}
PART static long early(int n)
{
    if (n < 2)
        return -1;
    for (int i = 0;; i++)
        if (i * 2 == n * 2)
            return i * 2;
}

int main(void)
{
    char text[16] = "in an array";
    int numbers_in[3] = {1, 2, 3}, rows[2][2] = {{0, 1}, {2, 3}}, to[1];
    volatile char hard[] = "hard";
    quad q = {{1, 2, 3, 4}};
    struct pair p = {1, 2};
    union either e = {.i = 5};

    scalars(true, 'c', ON, 200, -1, 1.5f);
    p = tagged(p, q, e, 9);
    double complex z = numbers(1 + 2 * I, 3, 4, 5);
    char *back = arrays(text, numbers_in, 2, rows);
    int sum = variadic(3, "sum", 10, 20, 30);
    int twelve = touched(1, 2, hard);
    restricted(to, numbers_in, sizeof to);
    double all = many('1', 2, 3, 4, 5, 6, 7, 8, 9.5, 10);
    long first = early(1), last = early(5);
    printf("%d %d %g %s %d %d %d %g %ld %ld\n", p.a, p.b, creal(z), back, sum, twelve, to[0], all,
           first, last);
    return 0;
}
