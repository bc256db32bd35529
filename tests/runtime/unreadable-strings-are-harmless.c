// Pointers to characters are read without trusting them: null, pages that are not mapped or not
// readable, text that runs into such a page, text without an end, bytes that are not UTF-8. errno
// does not change. If the kernel does not permit reading, addresses are shown.
//
// RUN: printf '[args]\nlook\nlook_wide\n' > allow.txt
// RUN: %each-level '%cc -D_GNU_SOURCE $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz \
// RUN:   && %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines'
//
// CHECK:      look {"text":"0x0","return":1}
// CHECK-NEXT: look {"text":"0x10","return":2}
// CHECK-NEXT: look {"text":"ADDRESS","return":3}
// CHECK-NEXT: look {"text":"ADDRESS","return":4}
// CHECK-NEXT: look {"text":"up to the end…","return":5}
// CHECK-NEXT: look {"text":"across pages","return":6}
// CHECK-NEXT: look {"text":"","return":7}
// CHECK-NEXT: look {"text":"\"\\\u0001\u007f","return":8}
// CHECK-NEXT: look {"text":"�(�ä","return":9}
// CHECK-NEXT: look {"text":"1{{(2{126})}}3","return":10}
// CHECK-NEXT: look {"text":"{{(x{128})}}…","return":11}
// CHECK-NEXT: look {"text":"{{(x{127})}}…","return":12}
// CHECK-NEXT: look {"text":"ddress","return":13}
// CHECK-NEXT: look {"text":"ADDRESS","return":14}
// CHECK-NEXT: look_wide {"a":"{{(y{128})}}…","b":"{{(y{128})}}…","c":"{{(y{128})}}…","d":"{{(y{128})}}…","e":"{{(y{128})}}…","f":"{{(y{128})}}…","return":1}
// CHECK-NEXT: look {"text":"ADDRESS","return":15}
// CHECK-NEXT: look {"text":"0x0","return":16}

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static int count;

__attribute__((noinline)) static int look(const char *text)
{
    __asm__ volatile("" : : "r"(text));
    return ++count;
}

__attribute__((noinline)) static int look_wide(const char *a, const char *b, const char *c,
                                               const char *d, const char *e, const char *f,
                                               const char *beyond)
{
    __asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e));
    return f == beyond;
}

static void check(const char *text)
{
    errno = 12345;
    look(text);
    if (errno != 12345)
        abort();
}

static void refuse_reading(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), /* the number of the system call */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof code / sizeof *code, code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        abort();
}

int main(void)
{
    char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *million = malloc(1 << 20), full[129], split[131], wide[200];

    if (pages == MAP_FAILED || !million || mprotect(pages + 2 * 4096, 4096, PROT_NONE) != 0)
        abort();
    memcpy(pages + 2 * 4096 - 13, "up to the end", 13);
    memcpy(pages + 4096 - 6, "across pages", 13);
    memset(million, 'x', (1 << 20) - 1);
    million[(1 << 20) - 1] = '\0';
    memset(full, '2', sizeof full);
    full[0] = '1', full[127] = '3', full[128] = '\0';
    memset(split, 'x', sizeof split);
    memcpy(split + 127, "\xc3\xa4x", 4);
    memset(wide, 'y', sizeof wide);
    wide[199] = '\0';

    check(NULL);
    check((char *)16);
    check((char *)-1);
    check(pages + 2 * 4096);
    check(pages + 2 * 4096 - 13);
    check(pages + 4096 - 6);
    check("");
    check("\"\\\x01\x7f");
    check("\xff(\xc3\xc3\xa4");
    check(full);
    check(million);
    check(split);
    check(&"address"[1]);
    munmap(pages, 3 * 4096);
    check(pages);
    look_wide(wide, wide, wide, wide, wide, wide, wide);
    refuse_reading();
    check("not read");
    check(NULL);
    return 0;
}
