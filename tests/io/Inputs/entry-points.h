/* The calls of every-entry-point-is-recorded.c, family by family. */

static char buffer[4096];

/* Ends a descriptor without an event. Its entry in the table stays until the number is used again. */
static void close_raw(int fd)
{
    syscall(SYS_close, fd);
}

static void close_others(void)
{
    closefrom(121);
    out = syscall(SYS_openat, AT_FDCWD, "../expected.txt", O_APPEND | O_WRONLY);
    out = syscall(SYS_fcntl, out, F_DUPFD, 300);
}
#define FILE_VALUES(size) v("fd=%d size=%d", fd, size)

static void posix_data(void)
{
    struct iovec vector[2] = {{buffer, 3}, {buffer + 3, 4}};
    char *a = in("a"), *b = in("b");
    int fd, to;

    INT(open, "open", a, v("flags=%d mode=%d", O_RDWR | O_CREAT, 0644),
        REAL(open)("a", O_RDWR | O_CREAT, 0644));
    fd = result;
    INT(creat, "creat", b, v("flags=%d mode=%d", O_CREAT | O_WRONLY | O_TRUNC, 0600),
        creat("b", 0600));
    to = result;
    INT(write, "write", a, FILE_VALUES(100), write(fd, buffer, 100));
    INT(write, "write", "", "fd=-1 size=1", write(-1, buffer, 1));
    INT(lseek, "lseek", a, v("fd=%d offset=10 whence=0", fd), lseek(fd, 10, SEEK_SET));
    INT(lseek64, "lseek", a, v("fd=%d offset=-20 whence=2", fd), lseek64(fd, -20, SEEK_END));
    INT(read, "read", a, FILE_VALUES(50), REAL(read)(fd, buffer, 50));
    INT(read, "read", a, FILE_VALUES(50), REAL(read)(fd, buffer, 50));
    INT(__read_chk, "read", a, FILE_VALUES(5), __read_chk(fd, buffer, 5, sizeof buffer));
    INT(pread, "pread", a, v("fd=%d size=7 offset=96", fd), REAL(pread)(fd, buffer, 7, 96));
    INT(pread64, "pread", a, v("fd=%d size=7 offset=-5", fd), REAL(pread64)(fd, buffer, 7, -5));
    INT(__pread_chk, "pread", a, v("fd=%d size=7 offset=1", fd),
        __pread_chk(fd, buffer, 7, 1, sizeof buffer));
    INT(__pread64_chk, "pread", a, v("fd=%d size=7 offset=2", fd),
        __pread64_chk(fd, buffer, 7, 2, sizeof buffer));
    INT(pwrite, "pwrite", a, v("fd=%d size=3 offset=5", fd), pwrite(fd, buffer, 3, 5));
    INT(pwrite64, "pwrite", a, v("fd=%d size=3 offset=5000000000", fd),
        pwrite64(fd, buffer, 3, 5000000000));
    INT(readv, "readv", a, v("fd=%d iovcnt=2", fd), readv(fd, vector, 2));
    INT(writev, "writev", b, v("fd=%d iovcnt=2", to), writev(to, vector, 2));
    INT(preadv, "preadv", a, v("fd=%d iovcnt=2 offset=1", fd), preadv(fd, vector, 2, 1));
    INT(preadv64, "preadv", a, v("fd=%d iovcnt=2 offset=2", fd), preadv64(fd, vector, 2, 2));
    INT(preadv2, "preadv", a, v("fd=%d iovcnt=2 offset=2 flags=0", fd),
        preadv2(fd, vector, 2, 2, 0));
    INT(preadv64v2, "preadv", a, v("fd=%d iovcnt=2 offset=2 flags=0", fd),
        preadv64v2(fd, vector, 2, 2, 0));
    INT(pwritev, "pwritev", b, v("fd=%d iovcnt=2 offset=9", to), pwritev(to, vector, 2, 9));
    INT(pwritev64, "pwritev", b, v("fd=%d iovcnt=2 offset=9", to), pwritev64(to, vector, 2, 9));
    INT(pwritev2, "pwritev", b, v("fd=%d iovcnt=2 offset=9 flags=0", to),
        pwritev2(to, vector, 2, 9, 0));
    INT(pwritev64v2, "pwritev", b, v("fd=%d iovcnt=2 offset=9 flags=0", to),
        pwritev64v2(to, vector, 2, 9, 0));
    off64_t at = 0;
    INT(sendfile, "sendfile", b, v("fd=%d in_fd=%d size=11", to, fd), sendfile(to, fd, &at, 11));
    INT(sendfile64, "sendfile", b, v("fd=%d in_fd=%d size=11", to, fd),
        sendfile64(to, fd, &at, 11));
    INT(copy_file_range, "copy_file_range", a, v("fd=%d fd_out=%d size=9 flags=0", fd, to),
        copy_file_range(fd, &at, to, NULL, 9, 0));
    INT(splice, "splice", a, v("fd=%d fd_out=%d size=9 flags=0", fd, to),
        splice(fd, &at, to, NULL, 9, 0));
    INT(tee, "tee", a, v("fd=%d fd_out=%d size=9 flags=0", fd, to), tee(fd, to, 9, 0));
    INT(fsync, "fsync", a, v("fd=%d", fd), fsync(fd));
    INT(fdatasync, "fdatasync", a, v("fd=%d", fd), fdatasync(fd));
    INT(syncfs, "syncfs", "", "fd=-1", syncfs(-1));
    INT(sync_file_range, "sync_file_range", a, v("fd=%d offset=0 length=10 flags=0", fd),
        sync_file_range(fd, 0, 10, 0));
    INT(ftruncate, "ftruncate", a, v("fd=%d length=9000", fd), ftruncate(fd, 9000));
    INT(ftruncate64, "ftruncate", a, v("fd=%d length=8192", fd), ftruncate64(fd, 8192));
    INT(truncate, "truncate", b, "length=30", truncate("b", 30));
    INT(truncate64, "truncate", in("none"), "length=30", truncate64("./none", 30));
    INT(fallocate, "fallocate", a, v("fd=%d mode=0 offset=0 length=100", fd),
        fallocate(fd, 0, 0, 100));
    INT(fallocate64, "fallocate", a, v("fd=%d mode=0 offset=0 length=100", fd),
        fallocate64(fd, 0, 0, 100));
    INT(posix_fallocate, "posix_fallocate", a, v("fd=%d offset=0 length=100", fd),
        posix_fallocate(fd, 0, 100));
    INT(posix_fallocate64, "posix_fallocate", a, v("fd=%d offset=0 length=100", fd),
        posix_fallocate64(fd, 0, 100));
    INT(posix_fadvise, "posix_fadvise", a, v("fd=%d offset=0 length=0 advice=2", fd),
        posix_fadvise(fd, 0, 0, 2));
    INT(posix_fadvise64, "posix_fadvise", a, v("fd=%d offset=0 length=0 advice=2", fd),
        posix_fadvise64(fd, 0, 0, 2));
    INT(readahead, "readahead", a, v("fd=%d size=5 offset=0", fd), readahead(fd, 0, 5));
    INT(flock, "flock", a, v("fd=%d operation=%d", fd, LOCK_SH), flock(fd, LOCK_SH));
    INT(lockf, "lockf", a, v("fd=%d cmd=%d length=1", fd, F_LOCK), lockf(fd, F_LOCK, 1));
    INT(lockf64, "lockf", a, v("fd=%d cmd=%d length=1", fd, F_ULOCK), lockf64(fd, F_ULOCK, 1));
    void *map =
        PTR(mmap, "mmap", a, v("fd=%d address=0x0 length=4096 prot=1 flags=1 offset=0 ret=*", fd),
            mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0));
    INT(msync, "msync", "", "address=* length=4096 flags=4", msync(map, 4096, MS_SYNC));
    INT(mlock, "mlock", "", v("address=%p length=4096", map), mlock(map, 4096));
    INT(mlock2, "mlock", "", v("address=%p length=10 flags=1", map), mlock2(map, 10, 1));
    INT(munlock, "munlock", "", v("address=%p length=4096", map), munlock(map, 4096));
    INT(madvise, "madvise", "", v("address=%p length=4096 advice=%d", map, MADV_RANDOM),
        madvise(map, 4096, MADV_RANDOM));
    INT(mprotect, "mprotect", "", v("address=%p length=4096 prot=0", map),
        mprotect(map, 4096, PROT_NONE));
    INT(munmap, "munmap", "", v("address=%p length=4096", map), munmap(map, 4096));
    INT(madvise, "madvise", "", v("address=%p length=4096 advice=%d", map, MADV_RANDOM),
        madvise(map, 4096, MADV_RANDOM));
    INT(munmap, "munmap", "", "address=0x1 length=4096", munmap((void *)1, 4096));
    INT(mlockall, "mlockall", "", v("flags=%d", MCL_FUTURE | 64), mlockall(MCL_FUTURE | 64));
    INT(mlockall, "mlockall", "", v("flags=%d", MCL_CURRENT), mlockall(MCL_CURRENT));
    INT(munlockall, "munlockall", "", "", munlockall());
    map = PTR(mmap64, "mmap", a,
              v("fd=%d address=0x0 length=4096 prot=1 flags=2 offset=4096 ret=*", fd),
              mmap64(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 4096));
    INT(munmap, "munmap", "", v("address=%p length=4096", map), munmap(map, 4096));
    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* no file: no event */
    INT(close, "close", a, v("fd=%d", fd), close(fd));
    INT(close, "close", b, v("fd=%d", to), close(to));
    INT(close, "close", "", v("fd=%d", to), close(to));
}

static void posix_metadata(void)
{
    union {
        struct stat s;
        struct stat64 t;
        struct statvfs u;
        struct statvfs64 w;
        struct statfs x;
        struct statfs64 y;
        struct statx z;
    } st;
    char *a = in("a"), *b = in("b"), *none = in("none");
    struct timeval moments[2] = {{1, 2}, {3, 4}};
    struct timespec times[2] = {{1, 2}, {3, 4}};
    dev_t device = 0;
    int fd, dir;

    INT(open64, "open", a, "flags=0", REAL(open64)("a", 0));
    fd = result;
    INT(open, "open", root, v("flags=%d", O_DIRECTORY), REAL(open)(".", O_DIRECTORY));
    dir = result;
    INT(stat, "stat", a, "", REAL(stat)("a", &st.s));
    INT(stat64, "stat", none, "", REAL(stat64)("none", &st.t));
    INT(__xstat, "stat", a, "", __xstat(1, "a", &st));
    INT(__xstat64, "stat", a, "", __xstat64(1, root[0] ? "./a" : "a", &st));
    INT(lstat, "lstat", a, "", REAL(lstat)("a", &st.s));
    INT(lstat64, "lstat", a, "", REAL(lstat64)("a", &st.t));
    INT(__lxstat, "lstat", a, "", __lxstat(1, "a", &st));
    INT(__lxstat64, "lstat", a, "", __lxstat64(1, "a", &st));
    INT(fstat, "fstat", a, v("fd=%d", fd), REAL(fstat)(fd, &st.s));
    INT(fstat64, "fstat", a, v("fd=%d", fd), REAL(fstat64)(fd, &st.t));
    INT(__fxstat, "fstat", a, v("fd=%d", fd), __fxstat(1, fd, &st));
    INT(__fxstat64, "fstat", a, v("fd=%d", fd), __fxstat64(1, fd, &st));
    INT(fstatat, "fstatat", a, "flags=0", REAL(fstatat)(dir, "a", &st.s, 0));
    INT(fstatat64, "fstatat", a, "flags=0", REAL(fstatat64)(AT_FDCWD, a, &st.t, 0));
    INT(__fxstatat, "fstatat", a, "flags=0", __fxstatat(1, dir, "a", &st, 0));
    INT(__fxstatat64, "fstatat", a, v("flags=%d", AT_EMPTY_PATH),
        __fxstatat64(1, fd, "", &st, AT_EMPTY_PATH));
    INT(statx, "statx", a, "flags=0", statx(dir, "a", 0, STATX_SIZE, &st.z));
    INT(statvfs, "statvfs", a, "", statvfs("a", &st.u));
    INT(statvfs64, "statvfs", a, "", statvfs64("a", &st.w));
    INT(fstatvfs, "fstatvfs", a, v("fd=%d", fd), fstatvfs(fd, &st.u));
    INT(fstatvfs64, "fstatvfs", a, v("fd=%d", fd), fstatvfs64(fd, &st.w));
    INT(statfs, "statfs", a, "", statfs("a", &st.x));
    INT(statfs64, "statfs", a, "", statfs64("a", &st.y));
    INT(fstatfs, "fstatfs", a, v("fd=%d", fd), fstatfs(fd, &st.x));
    INT(fstatfs64, "fstatfs", a, v("fd=%d", fd), fstatfs64(fd, &st.y));
    INT(access, "access", none, "mode=4", access("none", R_OK));
    INT(faccessat, "faccessat", a, "mode=0 flags=0", faccessat(dir, "a", F_OK, 0));
    INT(mkdir, "mkdir", in("d"), "mode=448", mkdir("d", 0700));
    INT(mkdirat, "mkdirat", in("d/e"), "mode=448", mkdirat(dir, "d/e", 0700));
    INT(rmdir, "rmdir", in("d/e"), "", rmdir("d//e"));
    INT(rename, "rename", a, v("newpath=%s", in("c")), rename("a", "c"));
    INT(renameat, "renameat", in("c"), v("newpath=%s", in("d/c")), renameat(dir, "c", dir, "d/c"));
    INT(renameat2, "renameat", in("d/c"), v("newpath=%s flags=0", a),
        renameat2(dir, "d/c", AT_FDCWD, "a", 0));
    INT(link, "link", a, v("newpath=%s", in("l")), link("a", "l"));
    INT(linkat, "linkat", a, v("newpath=%s flags=0", in("m")), linkat(dir, "a", dir, "m", 0));
    INT(symlink, "symlink", "a", v("newpath=%s", in("s")), symlink("a", "s"));
    INT(symlinkat, "symlinkat", "../b", v("newpath=%s", in("t")), symlinkat("../b", dir, "t"));
    INT(readlink, "readlink", in("s"), "size=4096", REAL(readlink)("s", buffer, sizeof buffer));
    INT(__readlink_chk, "readlink", in("s"), "size=10",
        __readlink_chk("s", buffer, 10, sizeof buffer));
    INT(readlinkat, "readlinkat", in("t"), "size=2", REAL(readlinkat)(dir, "t", buffer, 2));
    INT(__readlinkat_chk, "readlinkat", in("t"), "size=2",
        __readlinkat_chk(dir, "t", buffer, 2, sizeof buffer));
    INT(unlink, "unlink", in("l"), "", unlink("l"));
    INT(unlinkat, "unlinkat", in("m"), "flags=0", unlinkat(dir, "m", 0));
    INT(remove, "remove", in("s"), "", remove("s"));
    INT(chmod, "chmod", a, "mode=420", chmod("a", 0644));
    INT(fchmod, "fchmod", a, v("fd=%d mode=420", fd), fchmod(fd, 0644));
    INT(fchmodat, "fchmodat", a, "mode=420 flags=0", fchmodat(dir, "a", 0644, 0));
    INT(chown, "chown", a, "owner=4294967295 group=4294967295", chown("a", -1, -1));
    INT(lchown, "lchown", none, "owner=4294967295 group=4294967295", lchown("none", -1, -1));
    INT(fchown, "fchown", a, v("fd=%d owner=4294967295 group=4294967295", fd), fchown(fd, -1, -1));
    INT(fchownat, "fchownat", a, "owner=4294967295 group=4294967295 flags=0",
        fchownat(dir, "a", -1, -1, 0));
    INT(utime, "utime", a, "", utime("a", NULL));
    INT(utimes, "utimes", a, "", utimes("a", moments));
    INT(utimensat, "utimensat", a, "flags=0", utimensat(dir, "a", times, 0));
    INT(futimens, "futimens", a, v("fd=%d", fd), futimens(fd, times));
    INT(futimes, "futimes", a, v("fd=%d", fd), futimes(fd, moments));
    INT(umask, "umask", "", "mode=18", umask(022));
    INT(mkfifo, "mkfifo", in("f"), "mode=384", mkfifo("f", 0600));
    INT(mkfifoat, "mkfifoat", in("g"), "mode=384", mkfifoat(dir, "g", 0600));
    INT(mknod, "mknod", in("h"), v("mode=%d", S_IFREG | 0600), REAL(mknod)("h", S_IFREG | 0600, 0));
    INT(__xmknod, "mknod", in("h"), v("mode=%d", S_IFREG | 0600),
        __xmknod(0, "h", S_IFREG | 0600, &device));
    INT(mknodat, "mknodat", in("i"), v("mode=%d", S_IFREG | 0600),
        REAL(mknodat)(dir, "i", S_IFREG | 0600, 0));
    INT(__xmknodat, "mknodat", in("i"), v("mode=%d", S_IFREG | 0600),
        __xmknodat(0, dir, "i", S_IFREG | 0600, &device));
    INT(chdir, "chdir", in("d"), "", chdir("d"));
    INT(access, "access", in("d/x"), "mode=0", access("x", F_OK));
    INT(fchdir, "fchdir", root, v("fd=%d", dir), fchdir(dir));
    PTR(getcwd, "getcwd", "", "size=4096", REAL(getcwd)(buffer, sizeof buffer));
    PTR(__getcwd_chk, "getcwd", "", "size=1", __getcwd_chk(buffer, 1, sizeof buffer));
    PTR(realpath, "realpath", in("t/none"), "ret=0x0", REAL(realpath)("t/none", buffer));
    PTR(__realpath_chk, "realpath", a, "ret=*", __realpath_chk("a", buffer, sizeof buffer));
    INT(sysconf, "sysconf", "", v("name=%d", _SC_PAGESIZE), sysconf(_SC_PAGESIZE));
    VOID(sync, "sync", "", "", sync());
    INT(close, "close", a, v("fd=%d", fd), close(fd));
    INT(close, "close", root, v("fd=%d", dir), close(dir));
}

static void descriptors(void)
{
    char *a = in("a");
    int fd, dir, ends[2];

    INT(__open_2, "open", a, "flags=2", __open_2("a", O_RDWR));
    fd = result;
    INT(__open64_2, "open", in("none"), "flags=0", __open64_2("none", 0));
    INT(open, "open", root, "flags=0", REAL(open)("d/..", 0));
    dir = result;
    INT(openat, "openat", a, v("flags=%d mode=384", O_CREAT),
        REAL(openat)(dir, "a", O_CREAT, 0600));
    close_raw(result);
    INT(openat64, "openat", in("none"), "flags=0", REAL(openat64)(dir, "none", 0));
    INT(__openat_2, "openat", a, "flags=0", __openat_2(dir, "a", 0));
    INT(dup2, "dup2", a, v("fd=%ld newfd=100", result), dup2(result, 100));
    INT(__openat64_2, "openat", in("d"), "flags=0", __openat64_2(AT_FDCWD, "d", 0));
    INT(dup3, "dup3", in("d"), v("fd=%ld newfd=101 flags=0", result), dup3(result, 101, 0));
    INT(creat64, "creat", in("z"), v("flags=%d mode=384", O_CREAT | O_WRONLY | O_TRUNC),
        creat64("z", 0600));
    INT(dup, "dup", in("z"), v("fd=%ld", result), dup(result));
    INT(write, "write", in("z"), v("fd=%ld size=1", result), write(result, "x", 1));
    INT(write, "write", a, "fd=100 size=1", write(100, "x", 1));
    INT(fcntl, "fcntl", a, v("fd=%d cmd=%d", fd, F_DUPFD), fcntl(fd, F_DUPFD, 110));
    INT(fcntl64, "fcntl", a, v("fd=%d cmd=%d", fd, F_DUPFD_CLOEXEC),
        fcntl64(fd, F_DUPFD_CLOEXEC, 120));
    INT(fcntl, "fcntl", a, v("fd=%d cmd=%d", fd, F_GETFL), fcntl(fd, F_GETFL));
    INT(read, "read", a, "fd=110 size=1", REAL(read)(110, buffer, 1));
    INT(read, "read", a, "fd=120 size=1", REAL(read)(120, buffer, 1));
    INT(pipe, "pipe", "", "flags=0 read_fd=? write_fd=?", pipe(ends));
    INT(write, "write", "pipe:*", v("fd=%d size=5", ends[1]), write(ends[1], "hello", 5));
    INT(read, "read", "pipe:*", v("fd=%d size=9", ends[0]), REAL(read)(ends[0], buffer, 9));
    INT(pipe2, "pipe", "", v("flags=%d read_fd=? write_fd=?", O_NONBLOCK), pipe2(ends, O_NONBLOCK));
    INT(read, "read", "pipe:*", v("fd=%d size=9", ends[0]), REAL(read)(ends[0], buffer, 9));
    INT(close_range, "close_range", "", "first=100 last=109 flags=0", close_range(100, 109, 0));
    INT(read, "read", "", "fd=101 size=1", REAL(read)(101, buffer, 1));
    DIR *stream = PTR(opendir, "opendir", in("d"), "ret=?", opendir("d"));
    INT(dirfd, "dirfd", in("d"), "fd=?", dirfd(stream));
    VOID(readdir, "readdir", in("d"), "fd=? ret=*", readdir(stream));
    VOID(readdir64, "readdir", in("d"), "fd=? ret=*", readdir64(stream));
    VOID(rewinddir, "rewinddir", in("d"), "fd=?", rewinddir(stream));
    INT(closedir, "closedir", in("d"), "fd=?", closedir(stream));
    PTR(opendir, "opendir", in("none"), "ret=-1", opendir("none"));
    stream = PTR(fdopendir, "fdopendir", root, v("fd=%d ret=%d", dir, dir), fdopendir(dir));
    INT(closedir, "closedir", root, v("fd=%d", dir), closedir(stream));
    VOID(closefrom, "closefrom", "", "first=121", close_others());
}

static void streams(void)
{
    char *f = in("f.txt"), *line = NULL;
    fpos_t position;
    fpos64_t position64;
    size_t room = 0;
    int fd;

    FILE *stream = PTR(fopen, "fopen", f, "mode=w+ ret=?", fopen("f.txt", "w+"));
    fd = stream->_fileno;
#define ON v("fd=%d", fd)
    PTR(fopen64, "fopen", in("none"), "mode=r ret=-1", fopen64("none", "r"));
    INT(fileno, "fileno", f, ON, fileno(stream));
    INT(setvbuf, "setvbuf", f, v("fd=%d mode=%d size=100", fd, _IOFBF),
        setvbuf(stream, NULL, _IOFBF, 100));
    VOID(fwrite, "fwrite", f, v("fd=%d size=40 items=10 ret=40", fd),
         REAL(fwrite)(buffer + 100, 4, 10, stream));
    VOID(fwrite_unlocked, "fwrite", f, v("fd=%d size=6 items=3 ret=6", fd),
         REAL(fwrite_unlocked)("a\nb\nc\n", 2, 3, stream));
    INT(fputc, "fputc", f, v("fd=%d character=65", fd), fputc('A', stream));
    INT(fputc_unlocked, "fputc", f, v("fd=%d character=66", fd), REAL(fputc_unlocked)('B', stream));
    INT(putc, "putc", f, v("fd=%d character=67", fd), REAL(putc)('C', stream));
    INT(putc_unlocked, "putc", f, v("fd=%d character=68", fd), REAL(putc_unlocked)('D', stream));
    INT(_IO_putc, "putc", f, v("fd=%d character=69", fd), _IO_putc('E', stream));
    INT(putw, "putw", f, ON, putw(0x0a0a0a0a, stream));
    INT(fputs, "fputs", f, v("fd=%d size=12", fd), REAL(fputs)("12 13 14 15\n", stream));
    INT(fputs_unlocked, "fputs", f, v("fd=%d size=3", fd), REAL(fputs_unlocked)("ab\n", stream));
    INT(fflush, "fflush", f, ON, fflush(stream));
    INT(fflush_unlocked, "fflush", f, ON, fflush_unlocked(stream));
    INT(ftell, "ftell", f, ON, ftell(stream));
    INT(ftello, "ftell", f, ON, ftello(stream));
    INT(ftello64, "ftell", f, ON, ftello64(stream));
    INT(fgetpos, "fgetpos", f, ON, fgetpos(stream, &position));
    INT(fgetpos64, "fgetpos", f, ON, fgetpos64(stream, &position64));
    INT(fseek, "fseek", f, v("fd=%d offset=40 whence=0", fd), fseek(stream, 40, SEEK_SET));
    INT(fgetc, "fgetc", f, ON, fgetc(stream));
    INT(fgetc_unlocked, "fgetc", f, ON, REAL(fgetc_unlocked)(stream));
    INT(getc, "getc", f, ON, REAL(getc)(stream));
    INT(getc_unlocked, "getc", f, ON, REAL(getc_unlocked)(stream));
    INT(_IO_getc, "getc", f, ON, _IO_getc(stream));
    INT(ungetc, "ungetc", f, v("fd=%d character=90", fd), ungetc('Z', stream));
    INT(fseeko, "fseek", f, v("fd=%d offset=51 whence=0", fd), fseeko(stream, 51, SEEK_SET));
    INT(getw, "getw", f, ON, getw(stream));
    INT(fseeko64, "fseek", f, v("fd=%d offset=40 whence=0", fd), fseeko64(stream, 40, SEEK_SET));
    VOID(fgets, "fgets", f, v("fd=%d size=90 ret=2", fd), REAL(fgets)(buffer, 90, stream));
    VOID(fgets_unlocked, "fgets", f, v("fd=%d size=90 ret=2", fd),
         REAL(fgets_unlocked)(buffer, 90, stream));
    VOID(__fgets_chk, "fgets", f, v("fd=%d size=90 ret=2", fd),
         __fgets_chk(buffer, sizeof buffer, 90, stream));
    VOID(__fgets_unlocked_chk, "fgets", f, v("fd=%d size=90 ret=6", fd),
         __fgets_unlocked_chk(buffer, sizeof buffer, 90, stream));
    INT(getline, "getline", f, ON, REAL(getline)(&line, &room, stream));
    INT(getdelim, "getdelim", f, v("fd=%d delim=10", fd),
        REAL(getdelim)(&line, &room, '\n', stream));
    INT(__getdelim, "getdelim", f, v("fd=%d delim=10", fd), __getdelim(&line, &room, '\n', stream));
    INT(fsetpos, "fsetpos", f, ON, fsetpos(stream, &position));
    INT(fsetpos64, "fsetpos", f, ON, fsetpos64(stream, &position64));
    VOID(rewind, "rewind", f, ON, rewind(stream));
    VOID(fread, "fread", f, v("fd=%d size=9 items=3 ret=9", fd), REAL(fread)(buffer, 3, 3, stream));
    VOID(fread_unlocked, "fread", f, v("fd=%d size=4 items=1 ret=4", fd),
         REAL(fread_unlocked)(buffer, 4, 1, stream));
    VOID(__fread_chk, "fread", f, v("fd=%d size=4 items=2 ret=4", fd),
         __fread_chk(buffer, sizeof buffer, 2, 2, stream));
    VOID(__fread_unlocked_chk, "fread", f, v("fd=%d size=4 items=4 ret=4", fd),
         __fread_unlocked_chk(buffer, sizeof buffer, 1, 4, stream));
    INT(feof, "feof", f, ON, feof(stream));
    INT(ferror, "ferror", f, ON, ferror(stream));
    VOID(clearerr, "clearerr", f, ON, clearerr(stream));
    VOID(flockfile, "flockfile", f, ON, flockfile(stream));
    VOID(funlockfile, "funlockfile", f, ON, funlockfile(stream));
    INT(ftrylockfile, "ftrylockfile", f, ON, ftrylockfile(stream));
    VOID(setlinebuf, "setlinebuf", f, ON, setlinebuf(stream));
    VOID(setbuffer, "setbuffer", f, v("fd=%d size=0", fd), setbuffer(stream, NULL, 0));
    VOID(setbuf, "setbuf", f, ON, setbuf(stream, NULL));
    PTR(freopen, "freopen", in("g.txt"), "mode=w ret=?", freopen("g.txt", "w", stream));
    PTR(freopen64, "freopen", f, "mode=r ret=?", freopen64("f.txt", "r", stream));
    VOID(fwrite, "fwrite", f, v("fd=%d size=1 items=0 ret=0 errno=9", fd),
         REAL(fwrite)("x", 1, 1, stream));
    INT(fclose, "fclose", f, ON, fclose(stream));
    INT(open, "open", f, "flags=0", REAL(open)("f.txt", 0));
    fd = result;
    stream = PTR(fdopen, "fdopen", f, v("fd=%d mode=r", fd), fdopen(fd, "r"));
    INT(fclose, "fclose", f, ON, fclose(stream));
    stream = PTR(tmpfile, "tmpfile", "/tmp/*", "ret=?", tmpfile());
    INT(fclose, "fclose", "/tmp/*", "fd=?", fclose(stream));
    stream = PTR(tmpfile64, "tmpfile", "/tmp/*", "ret=?", tmpfile64());
    INT(fclose, "fclose", "/tmp/*", "fd=?", fclose(stream));
    PTR(tmpnam, "tmpnam", "", "ret=*", tmpnam(buffer));
    stream = PTR(open_memstream, "open_memstream", "", "ret=*", open_memstream(&line, &room));
    INT(fputs, "fputs", "memory", "size=2", REAL(fputs)("ab", stream));
    INT(fclose, "fclose", "memory", "", fclose(stream));
    stream = PTR(fmemopen, "fmemopen", "", "size=5 mode=r ret=*", fmemopen("hello", 5, "r"));
    VOID(fread, "fread", "memory", "size=9 items=5 ret=5", REAL(fread)(buffer, 1, 9, stream));
    INT(fclose, "fclose", "memory", "", fclose(stream));
    PTR(fmemopen, "fmemopen", "", "size=5 mode=x ret=0x0", fmemopen(buffer, 5, "x"));
    stream = PTR(fmemopen, "fmemopen", "", "size=0 mode=r ret=*", fmemopen(buffer, 0, "r"));
    INT(fclose, "fclose", "memory", "", fclose(stream));
    PTR(fmemopen, "fmemopen", "", "size=0 mode=r ret=0x0", old_fmemopen(buffer, 0, "r"));
    stream = PTR(popen, "popen", "pipe:*", "command=exit 3 mode=r ret=?", popen("exit 3", "r"));
    INT(pclose, "pclose", "pipe:*", "fd=?", pclose(stream));
}

static void formats(void)
{
    char *f = in("n.txt");
    int n;

    FILE *stream = PTR(fopen64, "fopen", f, "mode=w+ ret=?", fopen64("n.txt", "w+"));
    int fd = stream->_fileno;
    INT(fprintf, "fprintf", f, ON, REAL(fprintf)(stream, "%d %d ", 1, 2));
    INT(__fprintf_chk, "fprintf", f, ON,
        __fprintf_chk(stream, 1, "%d %s %s %s %s %s", 3, "4", "5", "6", "7", "8 x"));
    VOID(rewind, "rewind", f, ON, rewind(stream));
    INT(fscanf, "fscanf", f, ON, plain_fscanf(stream, "%d", &n));
    INT(__isoc99_fscanf, "fscanf", f, ON, __isoc99_fscanf(stream, "%d", &n));
    INT(vfscanf, "vfscanf", f, ON, with_list(plain_vfscanf, stream, "%d", &n));
    INT(__isoc99_vfscanf, "vfscanf", f, ON, with_list(__isoc99_vfscanf, stream, "%d", &n));
    INT(vfprintf, "vfprintf", f, v("fd=%d", fd), with_list(REAL(vfprintf), stream, "%d", 5));
    INT(fclose, "fclose", f, ON, fclose(stream));
    INT(printf, "printf", "*/out.txt", "fd=1", REAL(printf)("%s", "x"));
    INT(__printf_chk, "printf", "*/out.txt", "fd=1", __printf_chk(1, "%s", "x"));
    INT(vprintf, "vprintf", "*/out.txt", "fd=1", print_list(0, "%d", 5));
    INT(__vprintf_chk, "vprintf", "*/out.txt", "fd=1", print_list(1, "%d", 5));
    INT(__vfprintf_chk, "vfprintf", "*/out.txt", "fd=1", print_list(2, "%d", 5));
    INT(putchar, "putchar", "*/out.txt", "fd=1 character=10", REAL(putchar)('\n'));
    INT(putchar_unlocked, "putchar", "*/out.txt", "fd=1 character=10",
        REAL(putchar_unlocked)('\n'));
    INT(puts, "puts", "*/out.txt", "fd=1 size=3", REAL(puts)("ab"));
    INT(getchar, "getchar", "/dev/null", "fd=0", REAL(getchar)());
    INT(getchar_unlocked, "getchar", "/dev/null", "fd=0", REAL(getchar_unlocked)());
    INT(scanf, "scanf", "/dev/null", "fd=0", plain_scanf("%d", &n));
    INT(__isoc99_scanf, "scanf", "/dev/null", "fd=0", __isoc99_scanf("%d", &n));
    INT(fflush, "fflush", "*/out.txt", "fd=1", fflush(stdout));
    VOID(perror, "perror", "*", "fd=2", perror("perror"));
}

static void sockets(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct msghdr message = {.msg_iov = &(struct iovec){buffer, 2}, .msg_iovlen = 1};
    socklen_t length = sizeof address;
    char name[100];
    int pair[2], server, client, accepted;

    INT(socketpair, "socketpair", "",
        v("domain=%d type=%d protocol=0 read_fd=? write_fd=?", AF_UNIX, SOCK_STREAM),
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    INT(send, "send", "socket:unix", v("fd=%d size=9 flags=0", pair[0]),
        send(pair[0], buffer, 9, 0));
    INT(recv, "recv", "socket:unix", v("fd=%d size=1 flags=0", pair[1]),
        REAL(recv)(pair[1], buffer, 1, 0));
    INT(__recv_chk, "recv", "socket:unix", v("fd=%d size=1 flags=0", pair[1]),
        __recv_chk(pair[1], buffer, 1, sizeof buffer, 0));
    INT(recvfrom, "recvfrom", "socket:unix", v("fd=%d size=1 flags=0", pair[1]),
        REAL(recvfrom)(pair[1], buffer, 1, 0, NULL, NULL));
    INT(__recvfrom_chk, "recvfrom", "socket:unix", v("fd=%d size=1 flags=0", pair[1]),
        __recvfrom_chk(pair[1], buffer, 1, sizeof buffer, 0, NULL, NULL));
    INT(sendto, "sendto", "socket:unix", v("fd=%d size=1 flags=0", pair[1]),
        sendto(pair[1], buffer, 1, 0, NULL, 0));
    INT(sendmsg, "sendmsg", "socket:unix", v("fd=%d flags=0", pair[1]),
        sendmsg(pair[1], &message, 0));
    INT(recvmsg, "recvmsg", "socket:unix", v("fd=%d flags=0", pair[0]),
        recvmsg(pair[0], &message, 0));
    INT(socket, "socket", "socket:tcp", v("domain=%d type=%d protocol=0", AF_INET, SOCK_STREAM),
        socket(AF_INET, SOCK_STREAM, 0));
    server = result;
    INT(bind, "bind", "socket:tcp 127.0.0.1:*", v("fd=%d", server),
        bind(server, (void *)&address, sizeof address));
    getsockname(server, (void *)&address, &length);
    snprintf(name, sizeof name, "socket:tcp 127.0.0.1:%d", ntohs(address.sin_port));
    INT(listen, "listen", name, v("fd=%d backlog=5", server), listen(server, 5));
    for (int i = 0; i < 2; i++) {
        client = syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
        INT(connect, "connect", "socket:tcp 127.0.0.1:*", v("fd=%d", client),
            connect(client, (void *)&address, sizeof address));
        if (i == 0)
            INT(accept, "accept", "socket:tcp 127.0.0.1:*", v("fd=%d", server),
                accept(server, NULL, NULL));
        else
            INT(accept4, "accept", "socket:tcp 127.0.0.1:*", v("fd=%d", server),
                accept4(server, NULL, NULL, 0));
        accepted = result;
    }
    INT(shutdown, "shutdown", "socket:tcp 127.0.0.1:*", v("fd=%d how=2", accepted),
        shutdown(accepted, SHUT_RDWR));
}

static void processes(void)
{
    char *arguments[] = {"true", NULL};
    int status;
    pid_t child;
    siginfo_t information;
    struct rusage usage;

#define CHILD(how)                                                                                 \
    errno = 0;                                                                                     \
    child = fork();                                                                                \
    if (child == 0)                                                                                \
        syscall(SYS_exit_group, 0);                                                                \
    result = child;                                                                                \
    expect(__func__, "fork", "fork", "", v("ret=%d", child), 0, 0)

    CHILD();
    INT(wait, "wait", "", "", wait(&status));
    CHILD();
    INT(waitpid, "waitpid", "", v("pid=%d options=0", child), waitpid(child, &status, 0));
    CHILD();
    INT(wait3, "wait3", "", "options=0", wait3(&status, 0, &usage));
    CHILD();
    INT(wait4, "wait4", "", v("pid=%d options=0", child), wait4(child, &status, 0, &usage));
    CHILD();
    INT(waitid, "waitid", "", v("type=%d pid=%d options=%d", P_PID, child, WEXITED),
        waitid(P_PID, child, &information, WEXITED));
    INT(wait, "wait", "", "", wait(&status));
    INT(posix_spawn, "posix_spawn", "/bin/true", "",
        posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ));
    INT(waitpid, "waitpid", "", v("pid=%d options=0", child), waitpid(child, &status, 0));
    INT(posix_spawnp, "posix_spawnp", "", "command=true",
        posix_spawnp(&child, "true", NULL, NULL, arguments, environ));
    INT(waitpid, "waitpid", "", v("pid=%d options=0", child), waitpid(child, &status, 0));
    errno = 0;
    child = vfork();
    if (child == 0)
        syscall(SYS_exit, 3);
    expect(__func__, "vfork", "vfork", "", v("ret=%d", child), 0, 0);
    INT(waitpid, "waitpid", "", v("pid=%d options=0", child), waitpid(child, &status, 0));
    INT(system, "system", "", "command=exit 2", system("exit 2"));
    INT(execve, "execve", in("none"), "", execve("none", arguments, environ));
}
