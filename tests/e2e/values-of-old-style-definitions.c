// K&R definitions: what callers pass as int or double is shown as the type in the definition.
//
// RUN: printf '[args]\nfun:*\n' > allow.txt
// RUN: %each-level '%cc -std=gnu89 -w $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog && %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines'

#include <stdint.h>

#define PART __attribute__((noinline))

struct pair {
    long a, b;
};

/* The formatter takes the declarations for statements. */
/* clang-format off */
// CHECK:      main {"return":0}
// CHECK-NEXT: character {"user":"bob","sign":"x","n":3,"return":"x"}
PART char character(user, sign, n) char *user; char sign; int n;
{
    return n && user[0] ? sign : 0;
}

// CHECK-NEXT: small {"a":-128,"b":255,"c":-32768,"d":65535,"e":true,"return":65535}
PART unsigned short small(a, b, c, d, e) signed char a; unsigned char b; short c; unsigned short d; _Bool e;
{
    return a && b && c && e ? d : 0;
}

// CHECK-NEXT: real {"text":"t","f":0.1,"d":0.25,"after":7,"return":0.1}
PART float real(text, f, d, after) const char *text; float f; double d; long after;
{
    return *text && d > 0 && after ? f : 0;
}

// CHECK-NEXT: plain {"level":6,"method":8,"pair":"struct pair","last":"l","return":14}
PART int plain(level, method, pair, last) int level; unsigned char method; struct pair pair; char last;
{
    return pair.a && last ? level + method : 0;
}

// CHECK-NEXT: undeclared {"number":-1,"return":-1}
PART undeclared(number)
{
    return number;
}
/* clang-format on */

/* Both compilers heed the declaration. */
int declared(unsigned char, float);

// CHECK-NEXT: declared {"byte":200,"real":1.5,"return":200}
/* clang-format off */
PART int declared(byte, real) unsigned char byte; float real;
{
    return real > 1 ? byte : 0;
}
/* clang-format on */

int main()
{
    struct pair pair = {1, 2};
    character("bob", 'x', 3);
    small(-128, 255, -32768, 65535, 1);
    real("t", 0.1f, 0.25, 7L);
    plain(6, 8, pair, 'l');
    undeclared(-1);
    declared(200, 1.5f);
    return 0;
}
