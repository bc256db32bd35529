; If it is requested twice, in one pipeline or in two runs, the pass instruments once; a module with
; hooks is not changed.
;
; REQUIRES: opt
; RUN: echo 'fun:*' > allow.txt && export DFTRACER_ALLOWLIST=allow.txt
; RUN: %opt -load-pass-plugin=%pass -passes=dftrace -S %s -o once.ll
; RUN: %opt -load-pass-plugin=%pass -passes=dftrace,dftrace,verify -S %s -o twice.ll
; RUN: %opt -load-pass-plugin=%pass -passes=dftrace -S once.ll -o again.ll
; RUN: for file in once twice again; do sed 's/;.*//' $file.ll > $file.code; done
; RUN: cmp once.code twice.code && cmp once.code again.code
; RUN: test $(grep -c 'call i64 @__dftrace_enter' once.ll) = 1
;
; The optimizer's default pipeline runs it, at every level, and only once.
; RUN: for level in O0 O1 O2 O3 Os Oz; do \
; RUN:   %opt -load-pass-plugin=%pass -passes="default<$level>" -verify-each -S %s -o $level.ll || exit 1; \
; RUN:   test $(grep -c 'call i64 @__dftrace_enter' $level.ll) = 1 || exit 1; \
; RUN:   test $(grep -c 'section "dftrace_sites"' $level.ll) = 1 || exit 1; \
; RUN: done

define i32 @f(i32 %x) nounwind {
  ret i32 %x
}
