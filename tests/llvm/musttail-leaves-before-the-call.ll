; A musttail call must be directly before its return: the exit hook comes before the call.
;
; REQUIRES: opt
; RUN: echo 'fun:*' > allow.txt
; RUN: DFTRACER_ALLOWLIST=allow.txt %opt -load-pass-plugin=%pass -passes=dftrace,verify -S %s -o out.ll
; RUN: FileCheck %s < out.ll

; CHECK-LABEL: define i32 @odd(i32 %n)
; CHECK:         call i64 @__dftrace_enter(
; CHECK:         call void @__dftrace_exit(
; CHECK:         ret i32 0
; CHECK:         call void @__dftrace_exit(
; CHECK-NEXT:    br label %[[CALL:.*]]
; CHECK:       [[CALL]]:
; CHECK-NEXT:    %r = musttail call i32 @even(i32 %m)
; CHECK-NEXT:    ret i32 %r
; CHECK-NEXT:  }
define i32 @odd(i32 %n) nounwind {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %no, label %more
no:
  ret i32 0
more:
  %m = sub i32 %n, 1
  %r = musttail call i32 @even(i32 %m)
  ret i32 %r
}

; The same with exceptions: there can be no cleanup after the musttail call, but there is one
; after the other calls.
;
; CHECK-LABEL: define i32 @even(i32 %n)
; CHECK:         invoke void @may_throw()
; CHECK:         call void @__dftrace_exit(
; CHECK:         %r = musttail call i32 @odd(i32 %m)
; CHECK-NEXT:    ret i32 %r
; CHECK:         call void @__dftrace_exit(
; CHECK:         resume
define i32 @even(i32 %n) {
  call void @may_throw()
  %m = sub i32 %n, 1
  %r = musttail call i32 @odd(i32 %m)
  ret i32 %r
}

declare void @may_throw()
