// Values of decimal floating-point types are not recorded: the trace shows their type instead. The
// other parameters are recorded.
//
// RUN: printf '[args]\nfun:sum*\n' > allow.txt
// RUN: %each-level '%cc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib; DFTRACER_ENABLE=1 ./prog; \
// RUN:   %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines; \
// RUN:   zcat trace-prog-*.pfw.gz | FileCheck %s --check-prefix=TYPES'
//
// CHECK: sum {"a":"_Decimal32","b":"_Decimal64","c":"_Decimal128","last":4,"return":"_Decimal64"}
// TYPES: "types":"(_Decimal32, _Decimal64, _Decimal128, int)"

__attribute__((noinline)) static _Decimal64 sum(_Decimal32 a, _Decimal64 b, _Decimal128 c, int last)
{
    __asm__ volatile("" : : "m"(a), "m"(c), "r"(last));
    return b;
}

int main(void)
{
    sum(1.1df, 2.2dd, 3.3dl, 4);
    return 0;
}
