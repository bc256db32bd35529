/*
 * The hooks that x86-64 programs call: the fast path of hooks.c, written by hand. The caller is
 * inline assembly, which declares the few registers that a hook changes. docs/ABI.md has the
 * contract:
 *
 *   __dftrace_quick_enter   r11 = site; returns the token in rax; rdx, r10 and r11 are clobbered
 *   __dftrace_quick_exit    r11 = token, r10 = site; rax, rcx, rdx, rsi, r10 and r11 are clobbered
 *
 * Besides these only the flags change, so a function that is not traced has next to nothing to
 * save. Every instruction counts: the two readings of the counter take as long as about sixty other
 * instructions. The stack may be aligned to 8 bytes only. hooks.c explains the order of the steps.
 * Calls that the fast path does not handle go to C. Before that the vector registers are saved: C
 * code may use them, and the caller may have its arguments in them.
 */
#include "runtime/hooks/hooks_x86_64.h"

#define INNERMOST(member) ((member) - DFT_FRAME_SIZE) /* member of the frame below `top` */
#define TAKEN(member) ((member) - DFT_RECORD_SIZE)    /* member of the record below `next` */

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

        /* For use with a frame pointer; `place` is relative to the caller's stack pointer. */
        .macro push_at register, place
        pushq   \register
        .cfi_offset \register, \place
        .endm

        .macro pop_at register
        popq    \register
        .cfi_restore \register
        .endm

        .macro load_self register
        movq    dft_asm_self@gottpoff(%rip), \register
        movq    %fs:(\register), \register
        .endm

        /*
         * Functions call a hook from a stub outside the function. The stub has no unwind
         * information. When the hook has returned, the stub jumps back into the function, without
         * changing registers or stack. So unwinders are told that the hook returns directly to the
         * target of that jump:
         *
         *   return address = target of the jump
         */
        .macro returns_by_jump
        .cfi_escape 0x16, 0x10, 17         /* DW_CFA_val_expression of rip; starts with the CFA */
        .cfi_escape 0x38, 0x1c, 0x06       /* the word below the CFA: an address in the stub */
        .cfi_escape 0x12, 0x23, 1, 0x94, 4 /* the displacement in the jump, */
        .cfi_escape 0x08, 32, 0x24, 0x08, 32, 0x26 /* sign-extended, */
        .cfi_escape 0x22, 0x23, 5          /* relative to the end of the jump */
        .endm

        .macro begin name
        .globl  \name
        .type   \name, @function
        .p2align 6
\name:
        .cfi_startproc
        returns_by_jump
        .endm

        .macro finish name
        .cfi_endproc
        .size   \name, . - \name
        .endm

        /* Saves all registers that C code may change. rbp restores the stack pointer afterwards. */
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
        cmpl    $0, dft_quick_compact(%rip)
        je      3f
        xsavec64 (%rsp)
        jmp     4f
3:      xsave64 (%rsp)
4:      movq    %r8, %rdx
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

        /*
         * For the throttled site with the index in %eax, and the thread's counts at %rdx: sets %rdx
         * to the address of the site's count, and %rax to what a call adds to it.
         */
        .macro  load_count
        andl    $DFT_SITE_COUNT_MASK, %eax
        leaq    (%rdx,%rax,8), %rdx
        andl    $DFT_STEP_MASK, %eax
        leal    DFT_STEP_FIRST(,%rax,DFT_STEP_GROWTH), %eax
        shlq    $48, %rax
        incq    %rax
        .endm

        begin   __dftrace_quick_enter
        load_self %r10
        movl    DFT_SITE_ID(%r11), %eax
        movq    DFT_THREAD_TOP(%r10), %rdx
        testl   %eax, %eax
        jle     .Lthrottled_or_new
        cmpq    DFT_THREAD_LIMIT(%r10), %rdx
        je      .Ldeep
        cmpq    %rsp, INNERMOST(DFT_FRAME_STACK)(%rdx)
        jbe     .Linlined_or_left
.Ltake_frame:
        leaq    DFT_FRAME_SIZE(%rdx), %r11
        movq    %r11, DFT_THREAD_TOP(%r10)
        movq    (%rsp), %rdx /* where the hook was called */
        /* The site's number. The upper half of rax is 0 and becomes `record`. */
        movq    %rax, INNERMOST(DFT_FRAME_SITE)(%r11)
        movq    %rsp, INNERMOST(DFT_FRAME_STACK)(%r11)
        movq    %rdx, INNERMOST(DFT_FRAME_CALLER)(%r11)
        rdtsc
        shlq    $32, %rdx
        orq     %rdx, %rax
        movq    %rax, INNERMOST(DFT_FRAME_START)(%r11)
        ret

.Lthrottled_or_new: /* if throttled, own_id has the site's number, for calls that are timed */
        jz      .Lenter_slowly
        movq    DFT_THREAD_COUNTS(%r10), %rdx
        testq   %rdx, %rdx
        jz      .Lenter_slowly
        load_count
        addq    %rax, (%rdx) /* one instruction, because handlers count too */
        jc      .Ltimed
        xorl    %eax, %eax
        ret

.Ltimed:
        movq    DFT_THREAD_TOP(%r10), %rdx
        movl    DFT_SITE_OWN_ID(%r11), %eax
        cmpq    DFT_THREAD_LIMIT(%r10), %rdx
        je      .Ltimed_slowly
        cmpq    %rsp, INNERMOST(DFT_FRAME_STACK)(%rdx)
        ja      .Ltake_frame
        jb      .Ltimed_slowly
        movq    INNERMOST(DFT_FRAME_CALLER)(%rdx), %rax
        cmpq    (%rsp), %rax
        movl    DFT_SITE_OWN_ID(%r11), %eax
        jne     .Ltake_frame
.Ltimed_slowly: /* undoes the count: C code counts the call again and gets the same overflow */
        movl    DFT_SITE_ID(%r11), %eax
        movq    DFT_THREAD_COUNTS(%r10), %rdx
        load_count
        subq    %rax, (%rdx)
        jmp     .Lenter_slowly

.Ldeep: /* with a limit set by the user, calls inside the innermost one are omitted */
        cmpb    $0, DFT_THREAD_CUT(%r10)
        je      .Lenter_slowly
        cmpq    %rsp, INNERMOST(DFT_FRAME_STACK)(%rdx)
        jbe     .Lenter_slowly
        incq    DFT_THREAD_OMITTED(%r10)
        xorl    %eax, %eax
        ret

.Linlined_or_left: /* same stack address, another caller: one function is inlined into the other */
        jb      .Lenter_slowly
        /* Frees r11. rax keeps the site's id, which must not be read twice: it may have changed. */
        movq    %r11, -8(%rsp)
        movq    (%rsp), %r11
        cmpq    %r11, INNERMOST(DFT_FRAME_CALLER)(%rdx)
        jne     .Ltake_frame
        movq    -8(%rsp), %r11

.Lenter_slowly:
        movq    (%rsp), %rdx
        movq    %rsp, %rax
        save    %rcx
        save    %rbp
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        push_at %rsi, -32
        push_at %rdi, -40
        push_at %r8, -48
        push_at %r9, -56
        movq    %r11, %rdi
        movq    %rax, %rsi
        call_c  dft_hooks_x86_64_enter
        leaq    -32(%rbp), %rsp
        pop_at  %r9
        pop_at  %r8
        pop_at  %rdi
        pop_at  %rsi
        popq    %rbp
        .cfi_def_cfa %rsp, 16
        .cfi_restore %rbp
        restore %rcx
        movq    %r11, %rax
        ret
        finish  __dftrace_quick_enter

        begin   __dftrace_quick_exit
        rdtsc
        load_self %rcx
        movq    DFT_THREAD_TOP(%rcx), %rsi
        cmpq    %r11, INNERMOST(DFT_FRAME_START)(%rsi)
        jne     .Lexit_slowly
        subl    %r11d, %eax
        sbbl    4 + INNERMOST(DFT_FRAME_START)(%rsi), %edx
        jne     .Llong_call
        movq    DFT_THREAD_NEXT(%rcx), %rdx
.Ltake_record:
        cmpq    DFT_THREAD_END(%rcx), %rdx
        jae     .Lchunk_is_full
        movl    %edx, INNERMOST(DFT_FRAME_RECORD_FIELD)(%rsi)
        addq    $DFT_RECORD_SIZE, %rdx
        addq    $DFT_RECORD_SIZE, DFT_THREAD_NEXT(%rcx)
        cmpq    %rdx, DFT_THREAD_NEXT(%rcx)
        jne     .Lhandler_was_faster /* readers ignore a record that is taken and not filled */
        movq    %r11, TAKEN(DFT_RECORD_START)(%rdx)
        movl    %eax, TAKEN(DFT_RECORD_DURATION)(%rdx)
        movl    INNERMOST(DFT_FRAME_SITE)(%rsi), %eax
        movl    %eax, TAKEN(DFT_RECORD_SITE)(%rdx)
        movq    $0, INNERMOST(DFT_FRAME_START)(%rsi)
        subq    $DFT_FRAME_SIZE, DFT_THREAD_TOP(%rcx)
        ret

.Lhandler_was_faster:
        movq    DFT_THREAD_NEXT(%rcx), %rdx
        jmp     .Ltake_record

.Lchunk_is_full: /* as dft_records_drop */
        cmpb    $DFT_STUCK, DFT_THREAD_STUCK(%rcx)
        jbe     .Lfull_slowly
        decb    DFT_THREAD_STUCK(%rcx)
        incq    DFT_THREAD_DROPPED(%rcx)
        movq    $0, INNERMOST(DFT_FRAME_START)(%rsi)
        subq    $DFT_FRAME_SIZE, DFT_THREAD_TOP(%rcx)
        ret

.Lfull_slowly:
        xorl    %edx, %edx
.Llong_call: /* rdx:rax is the duration; adding the start gives the time again */
        shlq    $32, %rdx
        addq    %rdx, %rax
        addq    %r11, %rax
        movq    %rax, %rdx
        shrq    $32, %rdx
        movl    %eax, %eax
.Lexit_slowly:
        shlq    $32, %rdx
        orq     %rax, %rdx /* now */
        movq    %rsp, %rcx /* comparable to the stack address in the frame */
        save    %rbp
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        push_at %rdi, -24
        push_at %r8, -32
        push_at %r9, -40
        movq    %r10, %rdi
        movq    %r11, %rsi
        call_c  dft_hooks_x86_64_exit
        leaq    -24(%rbp), %rsp
        pop_at  %r9
        pop_at  %r8
        pop_at  %rdi
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        .cfi_restore %rbp
        ret
        finish  __dftrace_quick_exit

        .section .note.GNU-stack, "", @progbits
