// A program that calls exit() while functions are running: every call that has returned is in the
// trace, the others are shown as unfinished, atexit handlers are traced, and the exit code is kept.
//
// RUN: printf 'main\nwork\nleave\nhandler\n' > allow.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && code=0 && { DFTRACER_ENABLE=1 ./prog || code=$?; } && test $code = 7 \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count main=1 --count work=3 --count leave=1 \
// RUN:      --count handler=1 --tree --show args.unfinished | FileCheck %s'
//
// CHECK:      {{^}}  main args.unfinished={{True|1}}
// CHECK-NEXT: {{^}}    work args.unfinished=None
// CHECK-NEXT: {{^}}    work args.unfinished=None
// CHECK-NEXT: {{^}}    work args.unfinished=None
// CHECK-NEXT: {{^}}    leave args.unfinished={{True|1}}
// CHECK-NEXT: {{^}}      handler args.unfinished=None

#include <stdlib.h>

static volatile int sink;

static void handler(void)
{
    sink = 0;
}

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static __attribute__((noreturn)) void leave(int code)
{
    exit(code);
}

int main(void)
{
    atexit(handler);
    for (int i = 0; i < 3; i++)
        work(i);
    leave(7);
}
