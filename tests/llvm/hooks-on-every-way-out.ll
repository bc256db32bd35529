; The switch is read once; the exit hook is before every return and before every resumed unwinding.
; A function that cannot unwind gets no cleanup. One that can gets a cleanup with the personality of
; C++ or of C.
;
; REQUIRES: opt
; RUN: printf 'two_returns\nunwinds(int)\nc_unwinds\nhandles(int)\nnever_returns\n' > allow.txt
; RUN: DFTRACER_ALLOWLIST=allow.txt %opaque-opt -load-pass-plugin=%pass -passes=dftrace,verify -S %s -o out.ll
; RUN: FileCheck %s < out.ll

declare i32 @external(i32)
declare i32 @__gxx_personality_v0(...)
declare void @abort() noreturn nounwind

; CHECK-LABEL: define i32 @two_returns(i32 %x)
; CHECK-NOT:   personality
; CHECK-SAME:  {
; CHECK-NEXT:  entry:
; CHECK-NEXT:    [[ON:%.*]] = load volatile i8, {{.*}}@[[SITE:dftrace_site[.0-9]*]]{{[ ,]}}
; CHECK-NEXT:    [[TEST:%.*]] = icmp ne i8 [[ON]], 0
; CHECK-NEXT:    br i1 [[TEST]], label %[[ENTER:.*]], label %[[BODY:.*]], !prof [[UNLIKELY:!.*]]
; CHECK:       [[ENTER]]:
; CHECK-NEXT:    [[ENTERED:%.*]] = call i64 @__dftrace_enter({{.*}}@[[SITE]]{{[ )]}}
; CHECK-NEXT:    br label %[[BODY]]
; CHECK:       [[BODY]]:
; CHECK-NEXT:    [[TOKEN:%.*]] = phi i64 [ 0, %entry ], [ [[ENTERED]], %[[ENTER]] ]
; CHECK-NEXT:    %c = icmp
; CHECK-NOT:   landingpad
; CHECK:       then:
; CHECK-NEXT:    [[GO:%.*]] = icmp ne i64 [[TOKEN]], 0
; CHECK-NEXT:    br i1 [[GO]], label %[[EXIT:.*]], label %[[RETURN:.*]], !prof [[UNLIKELY]]
; CHECK:       [[EXIT]]:
; CHECK-NEXT:    call void @__dftrace_exit({{.*}}@[[SITE]]{{.*}}, i64 [[TOKEN]])
; CHECK-NEXT:    br label %[[RETURN]]
; CHECK:       [[RETURN]]:
; CHECK-NEXT:    ret i32 1
; CHECK:         call void @__dftrace_exit({{.*}}@[[SITE]]{{.*}}, i64 [[TOKEN]])
; CHECK:         ret i32 %y
; CHECK-NOT:     @__dftrace
; CHECK:       {{^}}}
define i32 @two_returns(i32 %x) nounwind {
entry:
  %c = icmp eq i32 %x, 0
  br i1 %c, label %then, label %else
then:
  ret i32 1
else:
  %y = call i32 @external(i32 %x)
  ret i32 %y
}

; CHECK-LABEL: define i32 @_Z7unwindsi(i32 %x)
; CHECK-SAME:  personality {{.*}}@__gxx_personality_v0
; CHECK:         call i64 @__dftrace_enter(
; CHECK:         [[Y:%.*]] = invoke i32 @external(i32 %x)
; CHECK-NEXT:      to label %[[AFTER:.*]] unwind label %[[PAD:dftrace_cleanup.*]]
; CHECK:       [[AFTER]]:
; CHECK:         call void @__dftrace_exit(
; CHECK:         ret i32 [[Y]]
; CHECK:       [[PAD]]:
; CHECK-NEXT:    {{.*}} = landingpad
; CHECK-NEXT:      cleanup
; CHECK:         call void @__dftrace_exit(
; CHECK:         resume
; CHECK:       {{^}}}
define i32 @_Z7unwindsi(i32 %x) {
  %y = call i32 @external(i32 %x)
  ret i32 %y
}

; CHECK-LABEL: define i32 @c_unwinds(i32 %x)
; CHECK-SAME:  personality {{.*}}@__gcc_personality_v0
; CHECK:         invoke i32 @external
; CHECK:         resume
define i32 @c_unwinds(i32 %x) {
  %y = call i32 @external(i32 %x)
  ret i32 %y
}

; A function with handlers: the hook comes after them, and covers the calls without a handler.
;
; CHECK-LABEL: define i32 @_Z7handlesi(i32 %x)
; CHECK-SAME:  personality {{.*}}@__gxx_personality_v0
; CHECK:         invoke i32 @external(i32 %x)
; CHECK-NEXT:      to label {{.*}} unwind label %pad
; CHECK:       pad:
; CHECK-NEXT:    {{.*}} = landingpad
; CHECK-NEXT:      cleanup
; CHECK-NEXT:    {{.*}} = invoke i32 @external(i32 2)
; CHECK-NEXT:      to label {{.*}} unwind label %dftrace_cleanup
; CHECK:         call void @__dftrace_exit(
; CHECK:         resume { {{.*}}, i32 } %p
; CHECK:       dftrace_cleanup:
; CHECK:         call void @__dftrace_exit(
; CHECK:         resume
; CHECK:       {{^}}}
define i32 @_Z7handlesi(i32 %x) personality ptr @__gxx_personality_v0 {
  %y = invoke i32 @external(i32 %x) to label %done unwind label %pad
done:
  ret i32 %y
pad:
  %p = landingpad { ptr, i32 } cleanup
  %z = call i32 @external(i32 2)
  resume { ptr, i32 } %p
}

; A function that never returns: only an enter hook; the runtime shows the call as unfinished.
;
; CHECK-LABEL: define void @never_returns()
; CHECK:         call i64 @__dftrace_enter(
; CHECK-NOT:     @__dftrace_exit(
; CHECK:         unreachable
; CHECK:       {{^}}}
define void @never_returns() noreturn nounwind {
  call void @abort()
  unreachable
}

; A function that no rule names is not changed.
;
; CHECK-LABEL: define i32 @other(i32 %x)
; CHECK-NEXT:    %y = call i32 @external(i32 %x)
; CHECK-NEXT:    ret i32 %y
; CHECK-NEXT:  }
define i32 @other(i32 %x) {
  %y = call i32 @external(i32 %x)
  ret i32 %y
}
