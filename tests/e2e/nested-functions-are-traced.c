// GNU C's nested functions are traced like other functions, also one that uses variables of its
// parent.
//
// REQUIRES: gcc
// RUN: echo 'src:*nested-functions*' > allow.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz --tree | FileCheck %s'
//
// CHECK:      {{^}}  main
// CHECK-NEXT: {{^}}    sum_up
// CHECK-NEXT: {{^}}      add{{(\.[0-9]+)?}}{{$}}
// CHECK-NEXT: {{^}}      add{{(\.[0-9]+)?}}{{$}}
// CHECK-NEXT: {{^}}      add{{(\.[0-9]+)?}}{{$}}
// CHECK-NOT:  add

static int sum_up(int count)
{
    int sum = 0;
    void add(int value)
    {
        sum += value;
    }

    for (int i = 1; i <= count; i++)
        add(i);
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    return sum_up(argc + 2) == 6 ? 0 : 1;
}
