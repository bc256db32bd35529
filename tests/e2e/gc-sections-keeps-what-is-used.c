// With -ffunction-sections -Wl,--gc-sections an unused function is removed with its site; the
// others can still be traced. With the default linker and with lld.
//
// RUN: echo 'src:*gc-sections*' > allow.txt
// RUN: %cc -O2 -ffunction-sections -fdata-sections %plugin %allow=allow.txt -c %s -o prog.o
// RUN: %cc -Wl,--gc-sections prog.o -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --only main used --count main=1 --count used=3
// RUN: nm prog | FileCheck %s --implicit-check-not=dead
// CHECK: used
//
// RUN: if command -v ld.lld; then %cc -fuse-ld=lld -Wl,--gc-sections prog.o -o with-lld %lib \
// RUN:   && DFTRACER_ENABLE=1 ./with-lld \
// RUN:   && %check-trace trace-with-lld-*.pfw.gz --only main used --count main=1 --count used=3; fi

volatile int sink;

__attribute__((noinline)) void used(int x)
{
    sink = x;
}

__attribute__((noinline)) void dead(int x)
{
    sink = -x;
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        used(i);
    return 0;
}
