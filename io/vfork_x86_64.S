/*
 * vfork. It returns twice, and the child runs first, on its parent's stack: it overwrites what is
 * below the caller's frame. So nothing may be kept there, and no function of C can do this. The
 * caller's return address and rbx are kept in memory of the thread; rbx then points to that memory.
 * The kernel gives each process its own registers back, so both find what they need.
 *
 * The child jumps to the caller without a change. The parent restores its return address and goes on
 * in dft_io_vfork_end, which records the call and returns to the caller.
 */
#include "io/vfork.h"

        .text
        .globl  vfork
        .p2align 4
        .type   vfork, @function
vfork:
        .cfi_startproc
        endbr64
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    dft_io_vfork_begin
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        testq   %rax, %rax
        jz      .Lpass_on
        popq    DFT_IO_VFORK_RETURN(%rax)
        movq    %rbx, DFT_IO_VFORK_RBX(%rax)
        movq    %rax, %rbx
        .cfi_remember_state
        .cfi_adjust_cfa_offset -8
        .cfi_escape 0x10, 16, 2, 0x73, DFT_IO_VFORK_RETURN /* DW_CFA_expression: rip is at (rbx) */
        .cfi_escape 0x10, 3, 2, 0x73, DFT_IO_VFORK_RBX     /* rbx is at 8(rbx) */
        call    *%rdx
        movq    %rbx, %rsi
        movq    DFT_IO_VFORK_RETURN(%rsi), %rdx
        movq    DFT_IO_VFORK_RBX(%rsi), %rbx
        .cfi_same_value %rbx
        .cfi_register %rip, %rdx
        testl   %eax, %eax
        jz      .Lchild
        pushq   %rdx
        .cfi_restore_state
        movl    %eax, %edi
        jmp     dft_io_vfork_end
.Lpass_on:
        jmp     *%rdx
        .cfi_adjust_cfa_offset -8
        .cfi_register %rip, %rdx
.Lchild:
        jmp     *%rdx
        .cfi_endproc
        .size   vfork, . - vfork

        .section .note.GNU-stack, "", @progbits
