/*
 * Reports that the runtime is missing: assembly that both plugins add to every unit with hooks.
 * Runs once in each module that is loaded, from .init_array.
 *
 *   if (&__dftrace_register || !&secure_getenv || !is_true(secure_getenv("DFTRACER_ENABLE")))
 *       return;
 *   if (mmap(MARKER, MAP_FIXED_NOREPLACE) == -EEXIST)
 *       return;                            // another module of this process has reported it
 *   file = open(secure_getenv("DFTRACER_SPOOL_DIR") + "/absent", O_WRONLY | O_APPEND);
 *   if (file >= 0)
 *       write(file, readlink("/proc/self/exe") + "\n");   // for `dftrace run`, which reports it
 *   else
 *       write(2, DFTRACE_ABSENT_MESSAGE);
 *
 * If tracing is not enabled, this makes no system call and writes to no page. A set-uid program
 * ignores its environment: secure_getenv returns NULL. The code does not depend on libc:
 * secure_getenv is a weak reference, and system calls are made directly. A static program that does
 * not contain secure_getenv reports nothing.
 *
 * The linker keeps one copy per module (COMDAT). `.ifndef` keeps one copy per assembly file, since
 * link-time optimization merges several units into one file. Modules cannot share a variable if one
 * of them was loaded by dlopen; so a page without access permission at a fixed address marks the
 * process. Neither sanitizers nor the kernel use that address. exec removes the mark.
 */
#ifndef DFTRACE_ABSENT_H
#define DFTRACE_ABSENT_H

/* A file in the spool directory of `dftrace run`: one line for each program without the runtime. */
#define DFTRACE_ABSENT_FILE "absent"

#define DFTRACE_ABSENT_MESSAGE                                                                     \
    "dftrace: DFTRACER_ENABLE is set, but nothing is traced: the program was linked without the "  \
    "dftrace runtime. Start it by dftrace run, or link with what dftrace config --libs prints"

#define DFTRACE_ABSENT_BEGIN                                                                       \
    "\t.ifndef __dftrace_absent\n"                                                                 \
    "\t.weakref __dftrace_getenv, secure_getenv\n"                                                 \
    "\t.pushsection .text.__dftrace_absent,\"axG\",%progbits,__dftrace_absent,comdat\n"            \
    "\t.weak __dftrace_absent\n"                                                                   \
    "\t.hidden __dftrace_absent\n"                                                                 \
    "\t.type __dftrace_absent, %function\n"                                                        \
    "\t.weak __dftrace_register\n"                                                                 \
    "\t.p2align 4\n"                                                                               \
    "__dftrace_absent:\n"

/* The strings, in the order of their labels. */
#define DFTRACE_ABSENT_END                                                                         \
    "70:\t.asciz \"DFTRACER_ENABLE\"\n"                                                            \
    "71:\t.asciz \"DFTRACER_SPOOL_DIR\"\n"                                                         \
    "72:\t.asciz \"" DFTRACE_ABSENT_FILE "\"\n"                                                    \
    "73:\t.asciz \"/proc/self/exe\"\n"                                                             \
    "74:\t.ascii \"" DFTRACE_ABSENT_MESSAGE "\\n\"\n"                                              \
    "75:\n"                                                                                        \
    "\t.size __dftrace_absent, .-__dftrace_absent\n"                                               \
    "\t.popsection\n"                                                                              \
    "\t.pushsection .init_array.00100,\"awG\",%init_array,__dftrace_absent,comdat\n"               \
    "\t.p2align 3\n"                                                                               \
    "\t.quad __dftrace_absent\n"                                                                   \
    "\t.popsection\n"                                                                              \
    "\t.endif\n"

/* rbx: secure_getenv, then the directory's descriptor; r12: the file's descriptor. */
#define DFTRACE_ABSENT_X86_64                                                                      \
    DFTRACE_ABSENT_BEGIN                                                                           \
    "\tendbr64\n"                                                                                  \
    "\tmovq __dftrace_register@GOTPCREL(%rip), %rax\n"                                             \
    "\ttestq %rax, %rax\n"                                                                         \
    "\tjne 9f\n"                                                                                   \
    "\tmovq __dftrace_getenv@GOTPCREL(%rip), %rax\n"                                               \
    "\ttestq %rax, %rax\n"                                                                         \
    "\tje 9f\n"                                                                                    \
    "\tpushq %rbx\n"                                                                               \
    "\tpushq %r12\n"                                                                               \
    "\tsubq $1032, %rsp\n"                                                                         \
    "\tmovq %rax, %rbx\n"                                                                          \
    "\tleaq 70f(%rip), %rdi\n"                                                                     \
    "\tcall *%rbx\n"                                                                               \
    "\ttestq %rax, %rax\n"                                                                         \
    "\tje 8f\n" /* 1, true, yes, attach or on */                                                   \
    "\tmovzbl (%rax), %ecx\n"                                                                      \
    "\tcmpb $'1', %cl\n"                                                                           \
    "\tje 1f\n"                                                                                    \
    "\torb $32, %cl\n"                                                                             \
    "\tcmpb $'t', %cl\n"                                                                           \
    "\tje 1f\n"                                                                                    \
    "\tcmpb $'y', %cl\n"                                                                           \
    "\tje 1f\n"                                                                                    \
    "\tcmpb $'a', %cl\n"                                                                           \
    "\tje 1f\n"                                                                                    \
    "\tcmpb $'o', %cl\n"                                                                           \
    "\tjne 8f\n"                                                                                   \
    "\tmovzbl 1(%rax), %ecx\n"                                                                     \
    "\torb $32, %cl\n"                                                                             \
    "\tcmpb $'n', %cl\n"                                                                           \
    "\tjne 8f\n"                                                                                   \
    "1:\tmovl $9, %eax\n" /* mmap, without access */                                               \
    "\tmovabsq $0x51df7ace0000, %rdi\n"                                                            \
    "\tmovl $4096, %esi\n"                                                                         \
    "\txorl %edx, %edx\n"                                                                          \
    "\tmovl $0x104022, %r10d\n"                                                                    \
    "\tmovq $-1, %r8\n"                                                                            \
    "\txorl %r9d, %r9d\n"                                                                          \
    "\tsyscall\n"                                                                                  \
    "\tcmpq $-17, %rax\n"                                                                          \
    "\tje 8f\n"                                                                                    \
    "\tleaq 71f(%rip), %rdi\n"                                                                     \
    "\tcall *%rbx\n"                                                                               \
    "\ttestq %rax, %rax\n"                                                                         \
    "\tje 2f\n"                                                                                    \
    "\tmovq %rax, %rdi\n"                                                                          \
    "\tmovl $0x290000, %esi\n" /* O_PATH | O_DIRECTORY | O_CLOEXEC */                              \
    "\tmovl $2, %eax\n"                                                                            \
    "\tsyscall\n"                                                                                  \
    "\tmovl %eax, %ebx\n"                                                                          \
    "\ttestl %ebx, %ebx\n"                                                                         \
    "\tjs 2f\n"                                                                                    \
    "\tmovl %ebx, %edi\n"                                                                          \
    "\tleaq 72f(%rip), %rsi\n"                                                                     \
    "\tmovl $0xa0c01, %edx\n" /* O_WRONLY | O_APPEND | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC */      \
    "\tmovl $257, %eax\n"     /* openat */                                                         \
    "\tsyscall\n"                                                                                  \
    "\tmovl %eax, %r12d\n"                                                                         \
    "\tmovl %ebx, %edi\n"                                                                          \
    "\tmovl $3, %eax\n"                                                                            \
    "\tsyscall\n"                                                                                  \
    "\ttestl %r12d, %r12d\n"                                                                       \
    "\tjs 2f\n"                                                                                    \
    "\tleaq 73f(%rip), %rdi\n"                                                                     \
    "\tmovq %rsp, %rsi\n"                                                                          \
    "\tmovl $1023, %edx\n"                                                                         \
    "\tmovl $89, %eax\n" /* readlink */                                                            \
    "\tsyscall\n"                                                                                  \
    "\txorl %edx, %edx\n"                                                                          \
    "\ttestq %rax, %rax\n"                                                                         \
    "\tcmovnsq %rax, %rdx\n"                                                                       \
    "\tmovb $10, (%rsp,%rdx)\n"                                                                    \
    "\tincq %rdx\n"                                                                                \
    "\tmovq %rsp, %rsi\n"                                                                          \
    "\tmovl %r12d, %edi\n"                                                                         \
    "\tmovl $1, %eax\n"                                                                            \
    "\tsyscall\n"                                                                                  \
    "\tmovl %r12d, %edi\n"                                                                         \
    "\tmovl $3, %eax\n"                                                                            \
    "\tsyscall\n"                                                                                  \
    "\tjmp 8f\n"                                                                                   \
    "2:\tmovl $2, %edi\n"                                                                          \
    "\tleaq 74f(%rip), %rsi\n"                                                                     \
    "\tmovl $(75f-74f), %edx\n"                                                                    \
    "\tmovl $1, %eax\n"                                                                            \
    "\tsyscall\n"                                                                                  \
    "8:\taddq $1032, %rsp\n"                                                                       \
    "\tpopq %r12\n"                                                                                \
    "\tpopq %rbx\n"                                                                                \
    "9:\tret\n" DFTRACE_ABSENT_END

/* x19: secure_getenv, then the directory's descriptor; x20: the file's descriptor. */
#define DFTRACE_ABSENT_AARCH64                                                                     \
    DFTRACE_ABSENT_BEGIN                                                                           \
    "\thint #34\n" /* bti c */                                                                     \
    "\tadrp x9, :got:__dftrace_register\n"                                                         \
    "\tldr x9, [x9, :got_lo12:__dftrace_register]\n"                                               \
    "\tcbnz x9, 9f\n"                                                                              \
    "\tadrp x9, :got:__dftrace_getenv\n"                                                           \
    "\tldr x9, [x9, :got_lo12:__dftrace_getenv]\n"                                                 \
    "\tcbz x9, 9f\n"                                                                               \
    "\tstp x29, x30, [sp, #-32]!\n"                                                                \
    "\tstp x19, x20, [sp, #16]\n"                                                                  \
    "\tmov x29, sp\n"                                                                              \
    "\tsub sp, sp, #1024\n"                                                                        \
    "\tmov x19, x9\n"                                                                              \
    "\tadr x0, 70f\n"                                                                              \
    "\tblr x19\n"                                                                                  \
    "\tcbz x0, 8f\n" /* 1, true, yes, attach or on */                                              \
    "\tldrb w1, [x0]\n"                                                                            \
    "\tcmp w1, #'1'\n"                                                                             \
    "\tb.eq 1f\n"                                                                                  \
    "\torr w1, w1, #32\n"                                                                          \
    "\tcmp w1, #'t'\n"                                                                             \
    "\tb.eq 1f\n"                                                                                  \
    "\tcmp w1, #'y'\n"                                                                             \
    "\tb.eq 1f\n"                                                                                  \
    "\tcmp w1, #'a'\n"                                                                             \
    "\tb.eq 1f\n"                                                                                  \
    "\tcmp w1, #'o'\n"                                                                             \
    "\tb.ne 8f\n"                                                                                  \
    "\tldrb w1, [x0, #1]\n"                                                                        \
    "\torr w1, w1, #32\n"                                                                          \
    "\tcmp w1, #'n'\n"                                                                             \
    "\tb.ne 8f\n"                                                                                  \
    "1:\tmov x0, #0xace00000\n" /* mmap, without access, within 39 bits */                         \
    "\tmovk x0, #0x1d, lsl #32\n"                                                                  \
    "\tmov x1, #65536\n"                                                                           \
    "\tmov x2, #0\n"                                                                               \
    "\tmov x3, #0x4022\n"                                                                          \
    "\tmovk x3, #0x10, lsl #16\n"                                                                  \
    "\tmov x4, #-1\n"                                                                              \
    "\tmov x5, #0\n"                                                                               \
    "\tmov x8, #222\n"                                                                             \
    "\tsvc #0\n"                                                                                   \
    "\tcmn x0, #17\n"                                                                              \
    "\tb.eq 8f\n"                                                                                  \
    "\tadr x0, 71f\n"                                                                              \
    "\tblr x19\n"                                                                                  \
    "\tcbz x0, 2f\n"                                                                               \
    "\tmov x1, x0\n"                                                                               \
    "\tmov x0, #-100\n"                                                                            \
    "\tmov x2, #0x4000\n" /* O_PATH | O_DIRECTORY | O_CLOEXEC */                                   \
    "\tmovk x2, #0x28, lsl #16\n"                                                                  \
    "\tmov x8, #56\n" /* openat */                                                                 \
    "\tsvc #0\n"                                                                                   \
    "\tmov x19, x0\n"                                                                              \
    "\ttbnz x19, #63, 2f\n"                                                                        \
    "\tadr x1, 72f\n"                                                                              \
    "\tmov x2, #0x8c01\n" /* O_WRONLY | O_APPEND | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC */          \
    "\tmovk x2, #0x8, lsl #16\n"                                                                   \
    "\tsvc #0\n"                                                                                   \
    "\tmov x20, x0\n"                                                                              \
    "\tmov x0, x19\n"                                                                              \
    "\tmov x8, #57\n" /* close */                                                                  \
    "\tsvc #0\n"                                                                                   \
    "\ttbnz x20, #63, 2f\n"                                                                        \
    "\tmov x0, #-100\n"                                                                            \
    "\tadr x1, 73f\n"                                                                              \
    "\tmov x2, sp\n"                                                                               \
    "\tmov x3, #1023\n"                                                                            \
    "\tmov x8, #78\n" /* readlinkat */                                                             \
    "\tsvc #0\n"                                                                                   \
    "\tcmp x0, #0\n"                                                                               \
    "\tcsel x2, x0, xzr, ge\n"                                                                     \
    "\tmov x1, sp\n"                                                                               \
    "\tmov w3, #10\n"                                                                              \
    "\tstrb w3, [x1, x2]\n"                                                                        \
    "\tadd x2, x2, #1\n"                                                                           \
    "\tmov x0, x20\n"                                                                              \
    "\tmov x8, #64\n" /* write */                                                                  \
    "\tsvc #0\n"                                                                                   \
    "\tmov x0, x20\n"                                                                              \
    "\tmov x8, #57\n"                                                                              \
    "\tsvc #0\n"                                                                                   \
    "\tb 8f\n"                                                                                     \
    "2:\tmov x0, #2\n"                                                                             \
    "\tadr x1, 74f\n"                                                                              \
    "\tadr x2, 75f\n"                                                                              \
    "\tsub x2, x2, x1\n"                                                                           \
    "\tmov x8, #64\n"                                                                              \
    "\tsvc #0\n"                                                                                   \
    "8:\tmov sp, x29\n"                                                                            \
    "\tldp x19, x20, [sp, #16]\n"                                                                  \
    "\tldp x29, x30, [sp], #32\n"                                                                  \
    "9:\tret\n" DFTRACE_ABSENT_END

#endif
