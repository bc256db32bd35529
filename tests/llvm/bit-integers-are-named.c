// Values of _BitInt are not recorded: the trace shows their type instead. The other parameters are
// recorded.
//
// RUN: printf '[args]\nfun:sum*\n' > allow.txt
// RUN: %each-level '%cc -w $LEVEL %plugin %allow=../allow.txt %s -o prog %lib; DFTRACER_ENABLE=1 ./prog; \
// RUN:   %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines; \
// RUN:   zcat trace-prog-*.pfw.gz | FileCheck %s --check-prefix=TYPES'
//
// CHECK: sum {"a":"_BitInt(7)","b":"unsigned _BitInt(33)","n":3,"c":"_BitInt(100)","last":4.0,"return":"_BitInt(7)"}
// TYPES: "types":"(_BitInt(7), unsigned _BitInt(33), int, _BitInt(100), double)"

__attribute__((noinline)) static _BitInt(7)
    sum(_BitInt(7) a, unsigned _BitInt(33) b, int n, _BitInt(100) c, double last)
{
    return b && c && n && last > 0 ? a : 0;
}

int main(void)
{
    sum(1, 2, 3, 4, 4.0);
    return 0;
}
