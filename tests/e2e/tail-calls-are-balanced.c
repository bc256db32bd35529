// The event of a tail call is inside the event of its caller, and mutual recursion nests.
//
// RUN: printf 'even\nodd\nfirst\nsecond\nthird\n' > allow.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count even=51 --count odd=50 --count first=1 \
// RUN:      --count second=1 --count third=1 --tree | FileCheck %s'
//
// CHECK:      {{^}}  first
// CHECK-NEXT: {{^}}    second
// CHECK-NEXT: {{^}}      third
// CHECK-NEXT: {{^}}  even
// CHECK-NEXT: {{^}}    odd
// CHECK-NEXT: {{^}}      even

#define NOINLINE __attribute__((noinline))

static volatile int sink;

static NOINLINE int odd(int n);

static NOINLINE int even(int n)
{
    return n == 0 ? 1 : odd(n - 1);
}

static NOINLINE int odd(int n)
{
    return n == 0 ? 0 : even(n - 1);
}

static NOINLINE void third(int x)
{
    sink = x;
}

static NOINLINE void second(int x)
{
    third(x + 1);
}

static NOINLINE void first(int x)
{
    second(x + 1);
}

int main(int argc, char **argv)
{
    (void)argv;
    first(argc);
    return sink == 3 && even(argc * 100) ? 0 : 1;
}
