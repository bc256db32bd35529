// A function that the optimizer inlines everywhere is traced, and each of its calls is an event:
// the hooks are inserted before inlining.
//
// RUN: printf 'forced\nsmall\nonce\nmain\n' > allow.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --only main once small forced \
// RUN:      --count main=1 --count once=1 --count small=10 --count forced=20 --tree | FileCheck %s'
//
// At -O3 there is no copy left that could be called: the calls counted above were inlined.
// RUN: nm level-3/prog | FileCheck %s --check-prefix=SYMBOLS --implicit-check-not=forced
// SYMBOLS: main
//
// CHECK:      {{^}}  main
// CHECK-NEXT: {{^}}    once
// CHECK-NEXT: {{^}}      small
// CHECK-NEXT: {{^}}        forced
// CHECK-NEXT: {{^}}        forced
// CHECK-NEXT: {{^}}      small

static inline __attribute__((always_inline)) int forced(int x)
{
    return x * 3 + 1;
}

static int small(int x)
{
    return forced(x) + forced(x + 1);
}

static int once(int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += small(i);
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    return once(argc * 10) == 320 ? 0 : 1;
}
