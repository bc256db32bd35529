// The GIMPLE that the pass makes of a function, before any other pass changes it. A function that
// no rule names is not changed.
//
// RUN: echo traced > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt -fdump-tree-lower=- -S %s -o code.s | FileCheck %s
// RUN: FileCheck --check-prefix=CODE %s < code.s
//
// The same in Intel syntax, and as ordinary code where inline assembly cannot be used.
// RUN: %cc -O2 %plugin %allow=allow.txt -c code.s -o att.o && objdump -d att.o | grep -v format > att.txt
// RUN: %cc -O2 %plugin %allow=allow.txt -masm=intel -c %s -o intel.o && objdump -d intel.o | grep -v format > intel.txt
// RUN: cmp att.txt intel.txt
// RUN: %cc -O2 -mcmodel=large %plugin %allow=allow.txt -fdump-tree-lower=- -S %s -o large.s | FileCheck --check-prefix=PORTABLE %s

int traced(int x)
{
    return x + 1;
}

int other(int x)
{
    return x + 1;
}

// CHECK-LABEL: int traced (int x)
// CHECK: __asm__ __inline__("xor
// CHECK: call{{.*}}*__dftrace_quick_enter@GOTPCREL
// CHECK: .subsection{{.*}}0" : "=&a" [[TOKEN:dftrace_token[.0-9]+]] : "m" [[SITE:dftrace_site[.0-9]+]].on : {{.*}}"r11", "r10", "rdx"
// CHECK-NEXT: try
// CHECK: x + 1
// CHECK: finally
// CHECK: __asm__ __inline__("test
// CHECK: call{{.*}}*__dftrace_quick_exit@GOTPCREL
// CHECK: .subsection{{.*}}0" : "=r" [[TOKEN]] : "m" [[SITE]].on, "0" [[TOKEN]] : {{.*}}"r11", "r10", "rsi", "rdx", "rcx", "rax"
// CHECK: }
// CHECK-LABEL: _sub_I_00100_0 ()
// CHECK: __dftrace_register@GOTPCREL{{.*}}
// CHECK: " : "=r" [[REGISTER:dftrace_register[.0-9]*]]
// CHECK: if ([[REGISTER]] != 0B)
// CHECK: [[REGISTER]] (5, &__start_dftrace_sites, &__stop_dftrace_sites);
// CHECK-LABEL: int other (int x)
// CHECK-NOT: dftrace
// CHECK: return

// PORTABLE-LABEL: int traced (int x)
// PORTABLE: [[ON:D[.][0-9]+]] = [[SITE:dftrace_site[.0-9]+]].on;
// PORTABLE: = __dftrace_enter (&[[SITE]]);
// PORTABLE: [[TOKEN:dftrace_token[.0-9]+]] = iftmp
// PORTABLE-NEXT: try
// PORTABLE: x + 1
// PORTABLE: finally
// PORTABLE: = [[TOKEN]] != 0;
// PORTABLE: __dftrace_exit (&[[SITE]], [[TOKEN]]);
// PORTABLE: }
// PORTABLE-LABEL: _sub_I_00100_0 ()
// PORTABLE: if (__dftrace_register != 0B)
// PORTABLE: __dftrace_register (5, &__start_dftrace_sites, &__stop_dftrace_sites);

// The hooks are weak, the registration runs first, the site is 32 bytes in its own section.
// CODE: .dftrace_link,"e"
// CODE: .quad{{[[:space:]]}}__dftrace_runtime
// CODE-LABEL: traced:
// CODE: cmpb{{[[:space:]]}}$0, dftrace_site{{[.0-9]+}}(%rip)
// CODE-NEXT: jne
// CODE: .weak{{[[:space:]]}}__dftrace_quick_enter
// CODE: call{{[[:space:]]}}*__dftrace_quick_enter@GOTPCREL(%rip)
// CODE: .weak{{[[:space:]]}}__dftrace_quick_exit
// CODE: call{{[[:space:]]}}*__dftrace_quick_exit@GOTPCREL(%rip)
// CODE: .weak{{[[:space:]]}}__dftrace_register
// CODE: .section{{[[:space:]]}}.init_array.00100
// CODE: .section{{[[:space:]]}}dftrace_sites,"aw"
// CODE: .align 32
// CODE: .size{{[[:space:]]}}dftrace_site{{[.0-9]+}}, 32
// CODE: .section{{[[:space:]]}}.note.dftrace,"a"
