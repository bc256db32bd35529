// 128-bit integers and complex numbers in [args]: in registers, on the stack if there are no
// registers left, behind references, as results; the same at every optimization level and with
// every compiler. A complex number is an array of its two parts.
//
// RUN: printf '[args]\nfun:*\n[never]\nfun:make*\n' > allow.txt
// RUN: %each-level '%cxx -Wall -Wextra -Werror -Wno-comment $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz \
// RUN:   && %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines'
//
// Sanitizers change nothing, and find nothing.
// RUN: %cxx -O1 -fsanitize=address,undefined -fno-sanitize-recover=all %plugin %allow=allow.txt %s -o prog %lib
// RUN: ASAN_OPTIONS=detect_leaks=0 DFTRACER_ENABLE=1 ./prog && %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines

#define PART __attribute__((noinline))

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;
__extension__ typedef _Complex float complex_float;
__extension__ typedef _Complex double complex_double;
__extension__ typedef _Complex long double complex_long;

template <typename C, typename T> static C make(T real, T imaginary)
{
    C number;
    __real__ number = real;
    __imag__ number = imaginary;
    return number;
}

// CHECK: main {"return":0}

// CHECK: small {"a":-1,"b":1,"c":-9223372036854775808,"d":9223372036854775807,"return":-1}
PART wide small(wide a, unsigned_wide b, wide c, unsigned_wide d)
{
    return b && c && d ? a : 0;
}

// CHECK-NEXT: large {"a":"-170141183460469231731687303715884105728","b":"340282366920938463463374607431768211455","n":3,"c":"-9223372036854775809","d":"9223372036854775808","return":"340282366920938463463374607431768211455"}
PART unsigned_wide large(wide a, unsigned_wide b, int n, wide c, unsigned_wide d)
{
    return a && n && c && d ? b : 0;
}

// CHECK-NEXT: floats {"a":[1.5,-2.5],"n":7,"b":["NaN","-Infinity"],"return":[1.5,-2.5]}
PART complex_float floats(complex_float a, int n, complex_float b)
{
    return n == 7 ? a : b;
}

// CHECK-NEXT: doubles {"a":[0.1,1e+300],"n":7,"b":[-0.0,0.0],"return":[-0.0,0.0]}
PART complex_double doubles(complex_double a, int n, complex_double b)
{
    return n == 7 ? b : a;
}

// CHECK-NEXT: longs {"a":[0.5,"-Infinity"],"n":7,"b":[3.0,4.0],"return":[3.0,4.0]}
PART complex_long longs(complex_long a, int n, complex_long b)
{
    return n == 7 ? b : a;
}

// CHECK-NEXT: without_registers {"a":[1.0,2.0],"b":[3.0,4.0],"c":[5.0,6.0],"d":[7.0,8.0],"e":[9.0,10.0],"f":[11.0,12.0],"g":1,"h":2,"i":3,"j":4,"return":[9.0,10.0]}
PART complex_double without_registers(complex_double a, complex_double b, complex_double c,
                                      complex_double d, complex_double e, complex_float f, wide g,
                                      wide h, wide i, wide j)
{
    return __real__(a + b + c + d) > 0 && __real__ f > 0 && g + h + i + j > 0 ? e : a;
}

// CHECK-NEXT: referred {"a":-5,"b":[1.0,-1.0],"c":[2.0,-2.0],"n":1,"return":[2.0,-2.0]}
PART const complex_long &referred(const wide &a, const complex_float &b, const complex_long &c,
                                  int n)
{
    static complex_long other;
    return a < 0 && __real__ b > 0 && n ? c : other;
}

// CHECK-NEXT: whole {"z":"_Complex","n":2,"return":"_Complex"}
__extension__ typedef _Complex int complex_int;
PART complex_int whole(complex_int z, int n)
{
    return n ? z : z + 1;
}

int main()
{
    const wide one = 1;
    const wide lowest = -(one << 126) - (one << 126);
    const wide below = -(one << 63) - 1;

    small(-1, 1, -(one << 63), (one << 63) - 1);
    large(lowest, ~static_cast<unsigned_wide>(0), 3, below, static_cast<unsigned_wide>(1) << 63);
    floats(make<complex_float>(1.5f, -2.5f), 7,
           make<complex_float>(__builtin_nanf(""), -__builtin_inff()));
    doubles(make<complex_double>(0.1, 1e300), 7, make<complex_double>(-0.0, 0.0));
    longs(make<complex_long>(0.5L, -1e4000L), 7, make<complex_long>(3.0L, 4.0L));
    without_registers(make<complex_double>(1.0, 2.0), make<complex_double>(3.0, 4.0),
                      make<complex_double>(5.0, 6.0), make<complex_double>(7.0, 8.0),
                      make<complex_double>(9.0, 10.0), make<complex_float>(11.0f, 12.0f), 1, 2, 3,
                      4);
    referred(-5, make<complex_float>(1.0f, -1.0f), make<complex_long>(2.0L, -2.0L), 1);
    whole(make<complex_int>(1, 2), 2);
    return 0;
}
