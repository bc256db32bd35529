// longjmp leaves functions without returning from them: their events end, and what is called next
// is a child of the function that called setjmp. A hundred times.
//
// RUN: printf 'main\nattempt\ndescend\nafterwards\n' > allow.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count main=1 --count attempt=100 --count descend=300 \
// RUN:      --count afterwards=100 --tree | FileCheck %s'
//
// CHECK:      {{^}}  main
// CHECK-NEXT: {{^}}    attempt
// CHECK-NEXT: {{^}}      descend
// CHECK-NEXT: {{^}}        descend
// CHECK-NEXT: {{^}}          descend
// CHECK-NEXT: {{^}}      afterwards
// CHECK-NEXT: {{^}}    attempt

#include <setjmp.h>

static jmp_buf target;
static volatile int sink;

static __attribute__((noinline)) void descend(int depth)
{
    if (depth == 0)
        longjmp(target, 1);
    descend(depth - 1);
    sink = depth;
}

static __attribute__((noinline)) void afterwards(void)
{
    sink = 0;
}

static __attribute__((noinline)) int attempt(void)
{
    if (setjmp(target) == 0)
        descend(2);
    afterwards();
    return 1;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += attempt();
    return sum == 100 ? 0 : 1;
}
