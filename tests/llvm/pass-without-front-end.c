// Without a front end that reads arguments (IR as input, a pass plugin alone) the environment names
// the allowlist. Without an allowlist the compilation fails: nothing is silently left
// uninstrumented.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: not %cc -O1 -fpass-plugin=%pass -c %s -o none.o 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: test ! -e none.o
// NONE: error: nothing is instrumented: no allowlist. Set DFTRACER_ALLOWLIST=FILE
//
// RUN: DFTRACER_ALLOWLIST=absent.txt not %cc -O1 -fpass-plugin=%pass -c %s -o absent.o 2>&1 | FileCheck --check-prefix=ABSENT %s
// RUN: test ! -e absent.o
// ABSENT: absent.txt: {{.*}}error: {{.*}}No such file
//
// RUN: printf 'main\n[nevr]\nx\n' > bad.txt
// RUN: DFTRACER_ALLOWLIST=bad.txt not %cc -O1 -fpass-plugin=%pass -c %s -o bad.o 2>&1 | FileCheck --check-prefix=BAD %s
// RUN: test ! -e bad.o
// BAD: bad.txt:2:1: error: unknown section '[nevr]'
//
// RUN: export DFTRACER_ALLOWLIST=$PWD/allow.txt
// RUN: %each-level '%cc $LEVEL -fpass-plugin=%pass %s -o prog %lib && DFTRACER_ENABLE=1 ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count main=1 --count work=10 --only main work'
//
// IR as input. The texts of the sites come from its debug information.
// RUN: %cc -g -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o unit.ll
// RUN: %cc -O2 unit.ll -fpass-plugin=%pass -o prog %lib && DFTRACER_ENABLE=1 ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1 --count work=10 --only main work --tree --show args.file --show args.line > tree.txt
// RUN: sort -u tree.txt | FileCheck --check-prefix=TREE %s
// TREE: {{^}}    work args.file={{.*}}pass-without-front-end.c args.line=[[#@LINE+8]]
//
// The Clang plugin cannot instrument IR, and reports that.
// RUN: %cc unit.ll %plugin %allow=allow.txt -c -o unit.o 2>&1 | FileCheck --check-prefix=IR %s
// IR: warning: dftrace: LLVM IR was not instrumented: {{.*}}-fpass-plugin=

static volatile int sink;

static void work(int x)
{
    sink += x;
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        work(i);
    return sink == 45 ? 0 : 1;
}
