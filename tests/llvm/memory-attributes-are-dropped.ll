; Two calls with the same arguments are two events: the attributes that allow the optimizer to
; merge, move or remove a call are removed from the function and from its calls. A function without
; hooks keeps them.
;
; REQUIRES: opt
; RUN: echo 'fun:traced_*' > allow.txt
; RUN: DFTRACER_ALLOWLIST=allow.txt %opt -load-pass-plugin=%pass -passes=dftrace,verify -S %s -o out.ll
; RUN: FileCheck %s < out.ll
; RUN: DFTRACER_ALLOWLIST=allow.txt %opt -load-pass-plugin=%pass -passes='default<O2>' -S %s -o optimized.ll
; RUN: FileCheck --check-prefix=OPTIMIZED %s < optimized.ll

; CHECK: define i32 @traced_const(i32 %x) [[PLAIN:#[0-9]+]] {
define i32 @traced_const(i32 %x) noinline nounwind readnone willreturn {
  ret i32 %x
}

; CHECK: define i32 @traced_pure(i32 %x) [[PLAIN]] {
define i32 @traced_pure(i32 %x) noinline nounwind readonly willreturn {
  ret i32 %x
}

; CHECK: define i32 @other_const(i32 %x) [[CONST:#[0-9]+]] {
define i32 @other_const(i32 %x) noinline nounwind readnone willreturn {
  ret i32 %x
}

; CHECK-LABEL: define i32 @caller(
; CHECK:         call i32 @traced_const(i32 1){{$}}
; CHECK:         call i32 @traced_const(i32 1){{$}}
; CHECK:         call i32 @traced_pure(i32 1){{$}}
; CHECK:         call i32 @traced_pure(i32 1){{$}}
; CHECK:         call i32 @other_const(i32 1) [[SITE:#[0-9]+]]
;
; OPTIMIZED-LABEL: define {{.*}}@caller(
; OPTIMIZED:         call i32 @traced_const(
; OPTIMIZED:         call i32 @traced_const(
; OPTIMIZED:         call i32 @traced_pure(
; OPTIMIZED:         call i32 @traced_pure(
; OPTIMIZED-NOT:     call
; OPTIMIZED:       ret
define i32 @caller() nounwind {
  %a = call i32 @traced_const(i32 1) readnone
  %b = call i32 @traced_const(i32 1) readnone
  %c = call i32 @traced_pure(i32 1) readonly
  %d = call i32 @traced_pure(i32 1) readonly
  %e = call i32 @other_const(i32 1) readnone
  %f = add i32 %a, %b
  ret i32 %f
}

; CHECK-DAG: attributes [[PLAIN]] = { noinline nounwind willreturn {{("[^"]*" )*}}}
; CHECK-DAG: attributes [[CONST]] = { noinline nounwind {{(readnone|willreturn memory\(none\))}}
; CHECK-DAG: attributes [[SITE]] = { {{(readnone|memory\(none\))}} }
