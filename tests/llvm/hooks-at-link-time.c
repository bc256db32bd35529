// Bitcode that was compiled without the plugin gets its hooks from lld; bitcode that has hooks is
// not changed. LLVM 14's lld loads no plugins.
//
// LLVM 14's lld loads no plugins.
// REQUIRES: lld
// UNSUPPORTED: clang-14
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: for lto in full thin; do for hooks in "" "%plugin %allow=allow.txt"; do rm -f trace-*; \
// RUN:   %cc -O2 -flto=$lto $hooks -c %s -o unit.o && \
// RUN:   DFTRACER_ALLOWLIST=allow.txt %cc -O2 -flto=$lto %lld unit.o -o prog -Wl,--load-pass-plugin=%pass %lib && \
// RUN:   DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz --count main=1 --count work=10 --only main work || exit 1; \
// RUN: done; done
//
// Without an allowlist the link fails: nothing is silently left uninstrumented.
// RUN: %cc -O2 -flto=full -c %s -o unit.o
// RUN: not %cc -O2 -flto=full %lld unit.o -o none -Wl,--load-pass-plugin=%pass %lib 2>&1 | FileCheck %s
// RUN: test ! -e none
// CHECK: error: nothing is instrumented: no allowlist. Set DFTRACER_ALLOWLIST=FILE

static volatile int sink;

__attribute__((noinline)) void work(int x)
{
    sink += x;
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        work(i);
    return sink == 45 ? 0 : 1;
}
