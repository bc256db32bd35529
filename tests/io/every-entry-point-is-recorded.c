// Every intercepted entry point is recorded as exactly one event, with its file, values, result and
// errno, inside the function that called it: with and without instrumentation, without optimization
// and with fortified calls, in JSON, in DFTracer's lines and in Perfetto's format. No entry point of
// the library is left out. Converted from each format to another, the events are the same.
//
// REQUIRES: protoc
// RUN: printf '%%s\n' work posix_data posix_metadata descriptors streams formats sockets processes > allow.txt
// RUN: %cc -w -O0 %s -o plain
// RUN: %cc -w -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 %s -o fortified
// RUN: %cc -w -O0 %plugin %allow=allow.txt %s -o instrumented
// RUN: nm -D --defined-only %libdir/libdftrace-io.so > symbols.txt
// RUN: for one in plain fortified instrumented; do rm -rf data; \
// RUN:   %dftrace run --io --no-report -o json-$one -- ./$one expected.txt < /dev/null > out.txt || exit 1; \
// RUN:   grep -q "all calls were made" out.txt || exit 1; \
// RUN:   %{python} %S/Inputs/compare-events symbols.txt expected.txt json-$one-*.gz $one || exit 1; \
// RUN: done
// RUN: for one in plain fortified instrumented; do for format in dftracer perfetto; do rm -rf data; \
// RUN:   %dftrace run --io --no-report -e FORMAT=$format -o $format-$one -- ./$one expected.txt < /dev/null > out.txt || exit 1; \
// RUN:   %{python} %S/Inputs/compare-events symbols.txt expected.txt $format-$one-*.pf* $one || exit 1; \
// RUN: done; done
// The last program's trace is in Perfetto's format, and EXPECTED is of that run.
// RUN: %dftrace convert perfetto-instrumented-instrumented-*.pftrace a.json.gz
// RUN: %dftrace convert --to dftracer a.json.gz b.pfw.gz
// RUN: %dftrace convert b.pfw.gz c.pftrace
// RUN: %dftrace convert perfetto-instrumented-instrumented-*.pftrace d.dftracer.pfw.gz
// RUN: %dftrace convert --to json b.pfw.gz e.json.gz
// RUN: for trace in a.json.gz b.pfw.gz c.pftrace d.dftracer.pfw.gz e.json.gz; do %{python} %S/Inputs/compare-events symbols.txt expected.txt $trace instrumented || exit 1; done

#define _GNU_SOURCE
#define _LARGEFILE64_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

ssize_t __read_chk(int, void *, size_t, size_t), __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off_t, size_t),
    __readlink_chk(const char *, char *, size_t, size_t);
ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int),
    __recvfrom_chk(int, void *restrict, size_t, size_t, int, __SOCKADDR_ARG, socklen_t *restrict);
int __open_2(const char *, int), __open64_2(const char *, int), __openat_2(int, const char *, int),
    __openat64_2(int, const char *, int);
char *__getcwd_chk(char *, size_t, size_t), *__realpath_chk(const char *, char *, size_t);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *),
    __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
char *__fgets_chk(char *, size_t, int, FILE *), *__fgets_unlocked_chk(char *, size_t, int, FILE *);
int __xstat(int, const char *, void *), __xstat64(int, const char *, void *),
    __lxstat(int, const char *, void *), __lxstat64(int, const char *, void *);
int __fxstat(int, int, void *), __fxstat64(int, int, void *),
    __fxstatat(int, int, const char *, void *, int),
    __fxstatat64(int, int, const char *, void *, int);
int __xmknod(int, const char *, mode_t, dev_t *),
    __xmknodat(int, int, const char *, mode_t, dev_t *);
int __fprintf_chk(FILE *, int, const char *, ...), __printf_chk(int, const char *, ...),
    __vfprintf_chk(FILE *, int, const char *, va_list), __vprintf_chk(int, const char *, va_list);
int __isoc99_fscanf(FILE *, const char *, ...), __isoc99_scanf(const char *, ...),
    __isoc99_vfscanf(FILE *, const char *, va_list);
int plain_fscanf(FILE *, const char *, ...) __asm__("fscanf"),
    plain_scanf(const char *, ...) __asm__("scanf");
int plain_vfscanf(FILE *, const char *, va_list) __asm__("vfscanf");
FILE *old_fmemopen(void *, size_t, const char *);
__asm__(".symver old_fmemopen, fmemopen@GLIBC_2.2.5");
int _IO_getc(FILE *), _IO_putc(int, FILE *);
#undef fread_unlocked
#undef fwrite_unlocked
size_t fread_unlocked(void *, size_t, size_t, FILE *),
    fwrite_unlocked(const void *, size_t, size_t, FILE *);
/* The functions themselves, which the headers replace by inline code or by fortified forms. */
#define REAL(entry) ((__typeof__(&entry))address_of_##entry())
#define DEFINE_REAL(entry)                                                                         \
    static void *address_of_##entry(void)                                                          \
    {                                                                                              \
        void *at;                                                                                  \
        __asm__ volatile("movq " #entry "@GOTPCREL(%%rip), %0" : "=r"(at));                        \
        return at;                                                                                 \
    }
/* clang-format off */
#define EACH_REAL(X)                                                                               \
    X(read)                                                                                        \
    X(pread) X(pread64) X(readlink) X(readlinkat) X(getcwd) X(realpath) X(recv) X(recvfrom)        \
        X(open) X(open64) X(openat) X(openat64) X(fread) X(fread_unlocked) X(fwrite_unlocked)      \
            X(fgets) X(fgets_unlocked) X(getc_unlocked) X(fgetc_unlocked) X(getchar)               \
                X(getchar_unlocked) X(putchar) X(putchar_unlocked) X(putc_unlocked)                \
                    X(fputc_unlocked) X(printf) X(fprintf) X(vprintf) X(vfprintf) X(fputs)         \
                        X(fputs_unlocked) X(getline) X(stat) X(stat64) X(fstat) X(fstat64)         \
                            X(lstat) X(lstat64) X(fstatat) X(fstatat64) X(mknod) X(mknodat)        \
                                X(fwrite) X(puts) X(getc) X(putc) X(getdelim)
/* clang-format on */
EACH_REAL(DEFINE_REAL)

static int out;
static char root[512];
static long result;

static const char *v(const char *format, ...)
{
    static char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return text;
}

static char *in(const char *name)
{
    static char path[256][600];
    static int next;
    char *at = path[next++ % 256];
    snprintf(at, 600, "%s/%s", root, name);
    return at;
}

static void expect(const char *function, const char *entry, const char *event, const char *file,
                   const char *values, int failed, int error)
{
    char line[2048];
    int length =
        snprintf(line, sizeof line, "%s\t%s\t%s\t%s\t%s", function, entry, event, file, values);
    if (failed)
        length += snprintf(line + length, sizeof line - length, " errno=%d", error);
    line[length++] = '\n';
    syscall(SYS_write, out, line, length);
}

/* `values` before the call, since they may depend on what it changes. `ret` is added. */
#define INT(entry, event, file, values, call)                                                      \
    do {                                                                                           \
        char given[512];                                                                           \
        snprintf(given, sizeof given, "%s", values);                                               \
        errno = 0;                                                                                 \
        result = (long)(call);                                                                     \
        int error = errno;                                                                         \
        expect(__func__, #entry, event, file, v("%s ret=%ld", given, result),                      \
               result == -1 && error, error);                                                      \
    } while (0)
/* The values are complete; the call fails if it is NULL or 0. */
#define PTR(entry, event, file, values, call)                                                      \
    ({                                                                                             \
        errno = 0;                                                                                 \
        __auto_type made = (call);                                                                 \
        int error = errno;                                                                         \
        expect(__func__, #entry, event, file, values, !made, error);                               \
        made;                                                                                      \
    })
#define VOID(entry, event, file, values, call)                                                     \
    do {                                                                                           \
        call;                                                                                      \
        expect(__func__, #entry, event, file, values, 0, 0);                                       \
    } while (0)

static int with_list(int (*call)(FILE *, const char *, va_list), FILE *stream, const char *format,
                     ...)
{
    va_list list;
    va_start(list, format);
    int ret = call(stream, format, list);
    va_end(list);
    return ret;
}

static int print_list(int which, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int ret = which == 0   ? REAL(vprintf)(format, list)
              : which == 1 ? __vprintf_chk(1, format, list)
              : which == 2 ? __vfprintf_chk(stdout, 1, format, list)
                           : REAL(vfprintf)(stdout, format, list);
    va_end(list);
    return ret;
}

#include "Inputs/entry-points.h"

__attribute__((noinline)) void work(void)
{
    posix_data();
    posix_metadata();
    descriptors();
    streams();
    formats();
    sockets();
    processes();
}

int main(int argc, char **argv)
{
    out = syscall(SYS_openat, AT_FDCWD, argv[1], O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    out = syscall(SYS_fcntl, out, F_DUPFD_CLOEXEC, 300);
    syscall(SYS_getcwd, root, sizeof root);
    strcat(root, "/data");
    syscall(SYS_mkdirat, AT_FDCWD, root, 0700);
    syscall(SYS_chdir, root);
    work();
    syscall(SYS_write, 1, "all calls were made\n", 20);
    return 0;
}
