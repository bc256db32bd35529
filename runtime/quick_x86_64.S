/*
 * The hooks as x86-64 programs call them: hooks.c once more, by hand, for a caller that keeps all
 * its registers. docs/ABI.md has the contract:
 *
 *   __dftrace_quick_enter   r11 = site; returns the token in r11
 *   __dftrace_quick_exit    r11 = token, r10 = site; r10 and r11 are lost
 *
 * Nothing else changes but the flags, so the hook is one instruction to the compiler, and a function
 * that is not traced has nothing to save. The stack may be aligned to 8 bytes only. hooks.c tells why
 * things happen in this order; what is not "one more call like the last" goes to C, with the vector
 * registers saved, because C code may use them and the caller may have its arguments in them.
 */
#include "runtime/quick.h"

#define INNERMOST(member) ((member) - DFT_FRAME_SIZE) /* of the frame below `top` */

        .text

        .macro save register
        pushq   \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endm

        .macro restore register
        popq    \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endm

        /* With the frame pointer as base; `place` counts from the caller's stack pointer. */
        .macro push_at register, place
        pushq   \register
        .cfi_offset \register, \place
        .endm

        .macro pop_at register
        popq    \register
        .cfi_restore \register
        .endm

        /* rdx is lost */
        .macro read_clock
        rdtsc
        shlq    $32, %rdx
        orq     %rdx, %rax
        .endm

        .macro load_self register
        movq    dft_quick_self@gottpoff(%rip), \register
        movq    %fs:(\register), \register
        .endm

        /*
         * The caller's side of a hook stands apart from its function, where nothing tells unwinders
         * of the stack. It ends with a jump back, `behind` bytes behind the return address. As the
         * registers are the same there, that is where the function has called us from:
         *
         *   return address = where the jump goes
         */
        .macro returns_by_jump behind
        .cfi_escape 0x16, 0x10, 17      /* DW_CFA_val_expression of rip; the CFA is on the stack */
        .cfi_escape 0x38, 0x1c, 0x06    /* the word below it: into the caller's side */
        .cfi_escape 0x12, 0x23, \behind + 1, 0x94, 4 /* the distance that is in the jump, */
        .cfi_escape 0x08, 32, 0x24, 0x08, 32, 0x26    /* with its sign, */
        .cfi_escape 0x22, 0x23, \behind + 5           /* from behind the jump */
        .endm

        .macro begin name, behind
        .globl  \name
        .type   \name, @function
        .p2align 6
\name:
        .cfi_startproc
        returns_by_jump \behind
        endbr64
        .endm

        .macro finish name
        .cfi_endproc
        .size   \name, . - \name
        .endm

        /* Whatever C code may change and its caller may not; the frame pointer marks the way back. */
        .macro call_c function
        movl    dft_quick_area(%rip), %eax
        subq    %rax, %rsp
        andq    $-64, %rsp
        movl    dft_quick_mask(%rip), %eax
        testl   %eax, %eax
        jz      1f
        xorl    %r8d, %r8d
        .irp    offset, 512, 520, 528, 536, 544, 552, 560, 568
        movq    %r8, \offset(%rsp)
        .endr
        movq    %rdx, %r8
        xorl    %edx, %edx
        xsave64 (%rsp)
        movq    %r8, %rdx
        call    \function
        movq    %rax, %r11
        movl    dft_quick_mask(%rip), %eax
        xorl    %edx, %edx
        xrstor64 (%rsp)
        jmp     2f
1:      fxsave64 (%rsp)
        call    \function
        movq    %rax, %r11
        fxrstor64 (%rsp)
2:
        .endm

        begin   __dftrace_quick_enter, 3 /* movq %r11, token */
        save    %rax
        save    %rdx
        save    %rcx
        load_self %rcx
        movl    DFT_SITE_ID(%r11), %eax
        testq   %rcx, %rcx
        jz      .Lenter_slowly
        movq    DFT_THREAD_TOP(%rcx), %rdx
        testl   %eax, %eax
        jz      .Lenter_slowly
        cmpq    DFT_THREAD_LIMIT(%rcx), %rdx
        je      .Lenter_slowly
        cmpq    %rsp, INNERMOST(DFT_FRAME_STACK)(%rdx)
        jbe     .Linlined_or_left
.Ltake_frame:
        addq    $DFT_FRAME_SIZE, %rdx
        movq    %rdx, DFT_THREAD_TOP(%rcx)
        movq    24(%rsp), %rcx /* where the hook was called */
        movq    %rax, INNERMOST(DFT_FRAME_SITE)(%rdx) /* the number, and that no record is wanted */
        movq    %rsp, INNERMOST(DFT_FRAME_STACK)(%rdx)
        movq    %rcx, INNERMOST(DFT_FRAME_CALLER)(%rdx)
        movq    %rdx, %rcx
        read_clock
        movq    %rax, INNERMOST(DFT_FRAME_START)(%rcx)
        movq    %rax, %r11
        .cfi_remember_state
        restore %rcx
        restore %rdx
        restore %rax
        ret

        .cfi_restore_state
.Linlined_or_left: /* the same place, called from elsewhere: one function inlined into another */
        jb      .Lenter_slowly
        movq    INNERMOST(DFT_FRAME_CALLER)(%rdx), %rcx
        cmpq    24(%rsp), %rcx
        je      .Lenter_slowly
        load_self %rcx
        jmp     .Ltake_frame

.Lenter_slowly:
        movq    24(%rsp), %rdx
        movq    %rsp, %rax
        save    %rsi
        save    %rbp
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        push_at %rdi, -56
        push_at %r8, -64
        push_at %r9, -72
        push_at %r10, -80
        movq    %r11, %rdi
        movq    %rax, %rsi
        call_c  dft_quick_enter
        leaq    -32(%rbp), %rsp
        pop_at  %r10
        pop_at  %r9
        pop_at  %r8
        pop_at  %rdi
        popq    %rbp
        .cfi_def_cfa %rsp, 40
        .cfi_restore %rbp
        restore %rsi
        restore %rcx
        restore %rdx
        restore %rax
        ret
        finish  __dftrace_quick_enter

        begin   __dftrace_quick_exit, 0
        save    %rax
        save    %rdx
        save    %rcx
        save    %rsi
        save    %r10
        read_clock
        load_self %rcx
        subq    %r11, %rax
        testq   %rcx, %rcx
        jz      .Lexit_slowly
        movq    DFT_THREAD_TOP(%rcx), %rdx
        movl    %eax, %r10d
        cmpq    %r11, INNERMOST(DFT_FRAME_START)(%rdx)
        jne     .Lexit_slowly
        cmpq    %rax, %r10 /* a longer call needs a longer record */
        jne     .Lexit_slowly
        movq    DFT_THREAD_NEXT(%rcx), %rax
.Ltake_record:
        cmpq    DFT_THREAD_END(%rcx), %rax
        jae     .Lchunk_is_full
        leaq    DFT_RECORD_SIZE(%rax), %rsi
        movl    %eax, INNERMOST(DFT_FRAME_WANTED)(%rdx)
        addq    $DFT_RECORD_SIZE, DFT_THREAD_NEXT(%rcx)
        cmpq    %rsi, DFT_THREAD_NEXT(%rcx)
        jne     .Lhandler_was_faster /* a record that is taken and not filled is no call */
        movq    %r11, DFT_RECORD_START(%rax)
        movl    %r10d, DFT_RECORD_DURATION(%rax)
        movl    INNERMOST(DFT_FRAME_SITE)(%rdx), %r10d
        movl    %r10d, DFT_RECORD_SITE(%rax)
        movq    $0, INNERMOST(DFT_FRAME_START)(%rdx)
        subq    $DFT_FRAME_SIZE, DFT_THREAD_TOP(%rcx)
        .cfi_remember_state
        restore %r10
        restore %rsi
        restore %rcx
        restore %rdx
        restore %rax
        ret

        .cfi_restore_state
.Lhandler_was_faster:
        movq    DFT_THREAD_NEXT(%rcx), %rax
        jmp     .Ltake_record

.Lchunk_is_full:
        movq    %r10, %rax
.Lexit_slowly:
        leaq    16(%rsp), %rcx /* comparable to what enter has noted */
        leaq    (%rax,%r11), %rdx
        movq    (%rsp), %rax
        save    %rbp
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        push_at %rdi, -64
        push_at %r8, -72
        push_at %r9, -80
        movq    %rax, %rdi
        movq    %r11, %rsi
        call_c  dft_quick_exit
        leaq    -24(%rbp), %rsp
        pop_at  %r9
        pop_at  %r8
        pop_at  %rdi
        popq    %rbp
        .cfi_def_cfa %rsp, 48
        .cfi_restore %rbp
        restore %r10
        restore %rsi
        restore %rcx
        restore %rdx
        restore %rax
        ret
        finish  __dftrace_quick_exit

        .section .note.GNU-stack, "", @progbits
