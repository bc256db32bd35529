// Structures are passed in registers in pieces, or in memory if there are no registers left: the
// numbers before, between and after them are recorded correctly.
//
// RUN: printf '[args]\nfun:*\n[never]\n*::Copied\n' > allow.txt
// RUN: %each-level '%cxx -Wall -Wextra -Werror -Wno-comment $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz \
// RUN:   && %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines'

#define PART __attribute__((noinline))

struct Span {
    double *data;
    unsigned long size;
};
struct Mixed {
    long number;
    float real;
};
struct Four {
    float part[4];
};
struct Empty {
};
struct Padded { // the second half has nothing in it
    alignas(16) long number;
};
struct Late { // nor has the first one here
    Empty nothing[8];
    long number;
};
struct Unnamed {
    int : 32;
};
struct Bits {
    unsigned long low : 40, high : 40;
};
struct Derived : Empty {
    long a, b;
};
typedef float vector __attribute__((vector_size(16)));
struct Vector {
    vector content;
};
struct Copied {
    long number;
    explicit Copied(long n) : number(n) {}
    Copied(const Copied &other) : number(other.number) {}
};

// CHECK:      main {"return":0}

// CHECK-NEXT: spans {"a":"Span","b":"Span","c":"Span","n":42,"out":"Span","return":42}
PART unsigned long spans(Span a, Span b, Span c, unsigned long n, Span out)
{
    return a.size && b.size && c.size && out.size ? n : 0;
}

// CHECK-NEXT: spread {"a":1,"mixed":"Mixed","b":2,"four":"Four","c":3.5,"empty":"Empty","d":4,"padded":"Padded","e":5,"late":"Late","f":6,"bits":"Bits","g":7,"return":5}
PART long spread(long a, Mixed mixed, long b, Four four, float c, Empty empty, long d,
                 Padded padded, long e, Late late, long f, Bits bits, long g)
{
    (void)empty;
    return a + b + d + f + g + mixed.number + padded.number + late.number + bits.low > 0 &&
                   c > four.part[0]
               ? e
               : 0;
}

// CHECK-NEXT: others {"unnamed":"Unnamed","a":1,"derived":"Derived","b":2,"vector":"Vector","c":3.5,"bare":"vector","d":4.5,"copied":"Copied","e":5,"method":"member pointer","f":6,"span":"Span","g":7,"return":7}
PART long others(Unnamed unnamed, long a, Derived derived, long b, Vector vector, double c,
                 ::vector bare, double d, Copied copied, long e, long (Late::*method)(), long f,
                 Span span, long g)
{
    (void)unnamed;
    return a + b + e + f + derived.a + copied.number + static_cast<long>(span.size) > 0 &&
                   c + d > vector.content[0] + bare[0] && !method
               ? g
               : 0;
}

int main()
{
    double one = 1;
    Span span = {&one, 1};
    spans(span, span, span, 42, span);
    Padded padded = {1};
    Late late = {{}, 1};
    Bits bits = {1, 1};
    Mixed mixed = {1, 1};
    Four four = {{1, 1, 1, 1}};
    spread(1, mixed, 2, four, 3.5f, Empty(), 4, padded, 5, late, 6, bits, 7);
    Derived derived;
    derived.a = derived.b = 1;
    Vector vector = {{1, 1, 1, 1}};
    others(Unnamed(), 1, derived, 2, vector, 3.5, vector.content, 4.5, Copied(1), 5, nullptr, 6,
           span, 7);
    return 0;
}
