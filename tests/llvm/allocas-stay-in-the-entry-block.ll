; An alloca outside the entry block allocates stack each time it runs. Those of the entry block stay
; there, whatever is between them, so that the optimizer can turn them into registers.
;
; REQUIRES: opt
; RUN: echo 'fun:*' > allow.txt
; RUN: DFTRACER_ALLOWLIST=allow.txt %opaque-opt -load-pass-plugin=%pass -passes=dftrace,verify -S %s -o out.ll
; RUN: FileCheck %s < out.ll
; RUN: DFTRACER_ALLOWLIST=allow.txt %opaque-opt -load-pass-plugin=%pass -passes='dftrace,function(sroa),verify' -S %s -o promoted.ll
; RUN: FileCheck --check-prefix=PROMOTED %s < promoted.ll

; CHECK-LABEL: define i32 @together(
; CHECK-NEXT:    %a = alloca i32
; CHECK-NEXT:    %b = alloca i64
; CHECK-NEXT:    load volatile i8
; CHECK:         = phi i64
; CHECK-NEXT:    store i32 %x
; CHECK-NOT:     alloca
; CHECK:       {{^}}}
;
; PROMOTED-LABEL: define i32 @together(
; PROMOTED-NOT:   alloca
; PROMOTED:       {{^}}}
define i32 @together(i32 %x) nounwind {
  %a = alloca i32
  %b = alloca i64
  store i32 %x, ptr %a
  store i64 7, ptr %b
  %y = load i32, ptr %a
  ret i32 %y
}

; PROMOTED-LABEL: define i32 @scattered(
; PROMOTED-NOT:   alloca
; PROMOTED:       {{^}}}
define i32 @scattered(i32 %x) nounwind {
  %a = alloca i32
  store i32 %x, ptr %a
  %b = alloca i32
  store i32 3, ptr %b
  %y = load i32, ptr %a
  %z = load i32, ptr %b
  %r = add i32 %y, %z
  ret i32 %r
}
