// A musttail call replaces its caller on the stack, with hooks as well: recursion that is deeper
// than the stack would allow ends, and every call is recorded and ends. Nesting is lost: the caller
// ends where its callee begins.
//
// RUN: printf 'even\nodd\nmain\n' > allow.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib && (ulimit -s 256; DFTRACER_ENABLE=1 ./prog) \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count even=10001 --count odd=10000 --count main=1 --tree > tree.txt \
// RUN:   && FileCheck %s --input-file=tree.txt'
//
// CHECK:      {{^}}  main
// CHECK-NEXT: {{^}}    even
// CHECK-NEXT: {{^}}    odd
// CHECK-NEXT: {{^}}    even

static int odd(int n);

__attribute__((noinline)) static int even(int n)
{
    if (n == 0)
        return 1;
    __attribute__((musttail)) return odd(n - 1);
}

__attribute__((noinline)) static int odd(int n)
{
    if (n == 0)
        return 0;
    __attribute__((musttail)) return even(n - 1);
}

int main(int argc, char **argv)
{
    (void)argv;
    return even(argc * 20000) ? 0 : 1;
}
