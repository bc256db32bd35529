; What a module gets besides the hooks: a site of 32 bytes in its section, a constructor that runs
; before those of the user, weak references to the runtime, a note.
;
; REQUIRES: opt
; RUN: printf 'src:*.src=CALC\n[sample]\nsecond\n' > allow.txt
; RUN: DFTRACER_ALLOWLIST=allow.txt %opt -load-pass-plugin=%pass -passes=dftrace,verify -S %s -o out.ll
; RUN: FileCheck %s < out.ll
; RUN: echo nothing > none.txt
; RUN: DFTRACER_ALLOWLIST=none.txt %opt -load-pass-plugin=%pass -passes=dftrace,verify -S %s -o none.ll
; RUN: FileCheck --check-prefix=NONE %s < none.ll

source_filename = "unit.src"

; CHECK:     module asm {{.*}}.dftrace_link
; CHECK:     module asm {{.*}}__dftrace_runtime
;
; CHECK-DAG: @dftrace_site = internal global { i8, i8, i16, i32, i32, i32, {{i8\*|ptr}}, i64 } { i8 0, i8 0, i16 0, i32 0, i32 0, i32 0, {{.*}}@dftrace_text{{.*}}, i64 0 }, section "dftrace_sites", align 32
; CHECK-DAG: @dftrace_text = private unnamed_addr constant [{{[0-9]+}} x i8] c"first\00first\00unit.src\00\00CALC\00\00\001:src:*.src=CALC\00\00", section "dftrace_texts", align 1
; CHECK-DAG: = internal global {{.*}} { i8 0, i8 0, i16 1, i32 0, {{.*}}, section "dftrace_sites", align 32
; CHECK-DAG: @__start_dftrace_sites = extern_weak hidden global
; CHECK-DAG: @__stop_dftrace_sites = extern_weak hidden global
; CHECK-DAG: @llvm.global_ctors = appending global [1 x {{.*}}i32 100, {{.*}}@dftrace_register
;
; Name of 8 bytes, description of 35, type 1; ABI 5, 2 functions, the allowlist and its hash.
; CHECK-DAG: @dftrace_note = internal constant [56 x i8] c"\08\00\00\00#\00\00\00\01\00\00\00dftrace\00\05\00\00\00\02\00\00\00allow.txt\00eb28543e5871176b\00\00", section ".note.dftrace", align 4
; CHECK-DAG: @llvm.used = appending global [1 x {{.*}}@dftrace_note

; If no rule matches, there is only the note.
;
; NONE-NOT: dftrace_site
; NONE:     @dftrace_note = internal constant {{.*}}\05\00\00\00\00\00\00\00none.txt\0072a7c2d0bd10a900\00{{.*}}, section ".note.dftrace"
; NONE-NOT: @__dftrace

define i32 @first(i32 %x) nounwind {
  ret i32 %x
}

define i32 @second(i32 %x) nounwind {
  ret i32 %x
}

; CHECK:       declare extern_weak void @__dftrace_register(i32, {{i8\*|ptr}}, {{i8\*|ptr}}) [[NOUNWIND:#[0-9]+]]
; CHECK-LABEL: define internal void @dftrace_register()
; CHECK:         icmp ne {{.*}}@__dftrace_register,{{.*}} null
; CHECK:         call void @__dftrace_register(i32 5, {{.*}}@__start_dftrace_sites{{.*}}@__stop_dftrace_sites
; CHECK:       declare extern_weak i64 @__dftrace_enter({{i8\*|ptr}}) [[NOUNWIND]]
; CHECK:       declare extern_weak void @__dftrace_exit({{i8\*|ptr}}, i64) [[NOUNWIND]]
; CHECK:       attributes [[NOUNWIND]] = { nounwind }
