// A mistyped plugin argument is an error that lists the valid ones.
//
// RUN: echo main > allow.txt
// RUN: not %cc %plugin %arg-alowlist=allow.txt -c %s -o out.o 2>&1 | FileCheck %s
// RUN: not %cc %plugin %allow=allow.txt %arg-nonsense -c %s -o out.o 2>&1 | FileCheck %s --check-prefix=NONSENSE
// RUN: not %cc %plugin %arg-allowlist -c %s -o out.o 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: test ! -e out.o
//
// CHECK: error:{{.*}}alowlist
// CHECK: allowlist
// CHECK: report
// NONSENSE: error:{{.*}}nonsense
// NONSENSE: allowlist
// NONSENSE: report
// VALUE: error:{{.*}}allowlist

int main(void)
{
    return 0;
}
