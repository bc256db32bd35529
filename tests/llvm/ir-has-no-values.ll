; IR does not contain the parameters of the source: a function in [args] is traced without values.
;
; REQUIRES: opt
; RUN: printf '[args]\nf\n' > allow.txt
; RUN: DFTRACER_ALLOWLIST=allow.txt %opaque-opt -load-pass-plugin=%pass -passes=dftrace -S %s | FileCheck %s --implicit-check-not=__dftrace_args
;
; CHECK: @dftrace_site = internal global {{.*}} { i8 0, i8 0, i16 2,
; CHECK: define i32 @f(i32 %x)
; CHECK: __dftrace_quick_enter

target triple = "x86_64-pc-linux-gnu"

define i32 @f(i32 %x) {
  ret i32 %x
}
