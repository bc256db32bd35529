// Each call of a recursive function is an event, inside the event of its caller.
//
// RUN: echo rec > allow.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count rec=5 --only rec --tree | FileCheck %s'
//
// CHECK:      process prog thread prog
// CHECK-NEXT: {{^}}  rec{{$}}
// CHECK-NEXT: {{^}}    rec{{$}}
// CHECK-NEXT: {{^}}      rec{{$}}
// CHECK-NEXT: {{^}}        rec{{$}}
// CHECK-NEXT: {{^}}          rec{{$}}
// CHECK-NOT:  rec

static int rec(int depth)
{
    return depth == 0 ? 0 : 1 + rec(depth - 1);
}

int main(int argc, char **argv)
{
    (void)argv;
    return rec(argc + 3) == 4 ? 0 : 1;
}
