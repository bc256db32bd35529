// What the pass makes of a function, before anything else touches it; a function that no rule names
// stays as it was.
//
// RUN: echo traced > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt -fdump-tree-lower=- -S %s -o code.s | FileCheck %s
// RUN: FileCheck --check-prefix=CODE %s < code.s

int traced(int x)
{
    return x + 1;
}

int other(int x)
{
    return x + 1;
}

// CHECK-LABEL: int traced (int x)
// CHECK: [[ON:D[.][0-9]+]] = [[SITE:dftrace_site[.0-9]+]].on;
// CHECK: = __dftrace_enter (&[[SITE]]);
// CHECK: [[TOKEN:dftrace_token[.0-9]+]] = iftmp
// CHECK-NEXT: try
// CHECK: x + 1
// CHECK: finally
// CHECK: = [[TOKEN]] != 0;
// CHECK: __dftrace_exit (&[[SITE]], [[TOKEN]]);
// CHECK: }
// CHECK-LABEL: _sub_I_00100_0 ()
// CHECK: if (__dftrace_register != 0B)
// CHECK: __dftrace_register (1, &__start_dftrace_sites, &__stop_dftrace_sites);
// CHECK-LABEL: int other (int x)
// CHECK-NOT: dftrace
// CHECK: return

// The hooks are weak, the registration runs first of all, the site is 32 bytes in its own section.
// CODE: .dftrace_link,"e"
// CODE: .quad{{[[:space:]]}}__dftrace_runtime
// CODE-LABEL: traced:
// CODE: dftrace_site{{[.0-9]+}}(%rip)
// CODE: call{{[[:space:]]}}__dftrace_enter
// CODE: .section{{[[:space:]]}}.init_array.00100
// CODE: .section{{[[:space:]]}}dftrace_sites,"aw"
// CODE: .align 32
// CODE: .size{{[[:space:]]}}dftrace_site{{[.0-9]+}}, 32
// CODE: .section{{[[:space:]]}}.note.dftrace,"a"
// CODE-DAG: .weak{{[[:space:]]}}__dftrace_enter
// CODE-DAG: .weak{{[[:space:]]}}__dftrace_exit
// CODE-DAG: .weak{{[[:space:]]}}__dftrace_register
