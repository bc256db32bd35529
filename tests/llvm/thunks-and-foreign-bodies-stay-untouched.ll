; Thunks, bodies that are compiled elsewhere and naked functions get no hooks, whatever the rules
; are.
;
; REQUIRES: opt
; RUN: echo 'fun:*' > allow.txt
; RUN: DFTRACER_ALLOWLIST=allow.txt %opt -load-pass-plugin=%pass -passes=dftrace,verify -S %s -o out.ll
; RUN: FileCheck %s < out.ll
; RUN: test $(grep -c 'section "dftrace_sites"' out.ll) = 1

; CHECK-LABEL: define i32 @traced(
; CHECK:         @__dftrace_enter
define i32 @traced(i32 %x) nounwind {
  ret i32 %x
}

; CHECK-LABEL: define i32 @bare(
; CHECK-NEXT:    call i32 asm
; CHECK-NEXT:    unreachable
define i32 @bare(i32 %x) naked noinline nounwind {
  %r = call i32 asm sideeffect "ret", "={eax}"()
  unreachable
}

; CHECK-LABEL: define available_externally i32 @elsewhere(
; CHECK-NEXT:    ret i32 %x
define available_externally i32 @elsewhere(i32 %x) nounwind {
  ret i32 %x
}

; CHECK-LABEL: define i32 @_ZThn16_N1B1fEi(
; CHECK-NEXT:    ret i32 %x
define i32 @_ZThn16_N1B1fEi(i32 %x) nounwind {
  ret i32 %x
}

; CHECK-LABEL: define i32 @_ZTv0_n24_N1B1fEi(
; CHECK-NEXT:    ret i32 %x
define i32 @_ZTv0_n24_N1B1fEi(i32 %x) nounwind {
  ret i32 %x
}

; CHECK-LABEL: define i32 @_ZTch0_h16_N1B1fEi(
; CHECK-NEXT:    ret i32 %x
define i32 @_ZTch0_h16_N1B1fEi(i32 %x) nounwind {
  ret i32 %x
}

; CHECK-LABEL: define internal void @_GLOBAL__sub_I_unit.cc(
; CHECK-NEXT:    ret void
define internal void @_GLOBAL__sub_I_unit.cc() nounwind {
  ret void
}
