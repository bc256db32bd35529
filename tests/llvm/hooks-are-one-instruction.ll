; On x86-64 a hook is one inline assembly: no additional basic block, and few registers. Where the
; GOT may be out of reach it is ordinary code.
;
; REQUIRES: opt
; RUN: echo 'fun:*' > allow.txt && export DFTRACER_ALLOWLIST=allow.txt
; RUN: %opt -load-pass-plugin=%pass -passes=dftrace,verify -S %s -o out.ll
; RUN: FileCheck %s < out.ll
; RUN: sed 's/^;MODEL //' %s > large.ll
; RUN: %opt -load-pass-plugin=%pass -passes=dftrace,verify -S large.ll -o large-out.ll
; RUN: FileCheck --check-prefix=LARGE %s < large-out.ll

target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define i32 @f(i32 %x)
; CHECK-NEXT:    [[RESULTS:%.*]] = call { i64, i16, i8, i8 } asm sideeffect alignstack "{{.*}}__dftrace_quick_enter{{.*}}", "=&A,=&{dx},=&{r10b},=&{r11b},s,~{flags}"({{.*}}@[[SITE:dftrace_site[.0-9]*]])
; CHECK-NEXT:    [[TOKEN:%.*]] = extractvalue { i64, i16, i8, i8 } [[RESULTS]], 0
; CHECK-NEXT:    %y = add
; CHECK-NEXT:    call { i64, i16, i16, i8, i8, i8, i32 } asm sideeffect alignstack "{{.*}}__dftrace_quick_exit{{.*}}", "=&A,=&{cx},=&{dx},=&{sil},=&{r10b},=&{r11b},=&{flags},r,s"(i64 [[TOKEN]], {{.*}}@[[SITE]])
; CHECK-NEXT:    ret i32 %y
; CHECK-NEXT:  }
;
; LARGE-LABEL: define i32 @f(i32 %x)
; LARGE:         call i64 @__dftrace_enter(
; LARGE:         call void @__dftrace_exit(
; LARGE-NOT:     asm sideeffect
; LARGE:       {{^}}}
define i32 @f(i32 %x) nounwind {
  %y = add i32 %x, 1
  ret i32 %y
}

;MODEL !llvm.module.flags = !{!0}
;MODEL !0 = !{i32 1, !"Code Model", i32 4}
