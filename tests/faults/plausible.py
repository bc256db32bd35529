"""Which errors each system call may plausibly return, and which calls never fail.

A call that dftrace makes and that is in neither table fails the tests: whoever adds it decides here what may happen to it.
"""

DISK = ["ENOSPC", "EIO", "EDQUOT"]
DESCRIPTORS = ["EMFILE", "ENFILE", "ENOMEM"]
NAMES = ["EACCES", "EIO", "ENOENT"]
SHORT = "short"
LATE = "late"  # any call may take long

ERRORS = {
    # files
    "openat": DESCRIPTORS + ["EACCES", "EINTR"] + DISK,
    "open": DESCRIPTORS + ["EACCES", "EINTR"] + DISK,
    "read": ["EIO", "EINTR", SHORT],
    "pread64": ["EIO", "EINTR", SHORT],
    "write": DISK + ["EINTR", "EAGAIN", "EPIPE", SHORT],
    "pwrite64": DISK + ["EFBIG", "EINTR", SHORT],
    "close": ["EIO", "EINTR"],
    "fstat": ["EIO", "ENOMEM"],
    "newfstatat": ["EACCES", "EIO", "ENOMEM"],
    "lseek": ["EINVAL"],
    "ftruncate": ["EIO", "EINTR", "EPERM"],
    "fallocate": DISK + ["EINTR", "ENOSYS", "EOPNOTSUPP"],
    "fchmod": ["EPERM", "EIO"],
    "fchown": ["EPERM", "EIO"],
    "lchown": ["EPERM", "EIO"],
    "flock": ["EINTR", "ENOLCK"],
    "fcntl": ["EMFILE", "EINVAL"],
    "dup2": ["EMFILE", "EINTR"],
    "dup3": ["EMFILE", "EINTR"],
    "close_range": ["ENOSYS", "ENOMEM", "EPERM"],
    "ioctl": ["ENOTTY", "EPERM"],
    "fstatfs": ["EIO", "ENOSYS"],
    "statfs": ["EIO", "ENOSYS"],
    "copy_file_range": DISK + ["ENOSYS"],
    "fsync": ["EIO", "ENOSPC"],
    "fdatasync": ["EIO", "ENOSPC"],
    # names
    "access": NAMES,
    "chdir": NAMES,
    "faccessat": NAMES,
    "faccessat2": NAMES + ["ENOSYS"],
    "getcwd": ["ENOENT", "EACCES"],
    "getdents64": ["EIO"],
    "mkdir": ["EACCES", "ENOSPC", "EEXIST"],
    "readlink": NAMES,
    "readlinkat": NAMES,
    "rename": ["EACCES", "EIO", "ENOSPC"],
    "renameat2": ["EACCES", "EIO", "EINVAL"],
    "rmdir": ["EACCES", "EBUSY"],
    "unlink": ["EACCES", "EIO"],
    "unlinkat": ["EACCES", "EIO"],
    "linkat": ["EACCES", "EIO"],
    # memory
    "brk": ["ENOMEM"],
    "madvise": ["EINVAL", "EAGAIN", "ENOMEM"],
    "memfd_create": DESCRIPTORS + ["ENOSYS"],
    "mlock": ["ENOMEM", "EAGAIN"],
    "munlock": ["ENOMEM"],
    "mmap": ["ENOMEM", "EAGAIN"],
    "msync": ["EIO"],
    "mprotect": ["ENOMEM", "EACCES"],
    "mremap": ["ENOMEM"],
    "munmap": ["ENOMEM"],
    "process_vm_readv": ["EPERM", "ENOSYS", "EFAULT"],
    # processes, threads, signals
    "clone": ["EAGAIN", "ENOMEM"],
    "clone3": ["EAGAIN", "ENOMEM", "ENOSYS"],
    "execve": ["ENOMEM", "EACCES"],
    "fork": ["EAGAIN", "ENOMEM"],
    "pidfd_getfd": ["ENOSYS", "EPERM", "EMFILE"],
    "pidfd_open": ["ENOSYS", "EMFILE", "ENOMEM"],
    "prctl": ["EINVAL", "EPERM"],
    "prlimit64": ["EPERM"],
    "sched_getaffinity": ["EINVAL"],
    "setpriority": ["EACCES", "EPERM"],
    "setsid": ["EPERM"],
    "sigaltstack": ["ENOMEM"],
    "unshare": ["EPERM", "ENOMEM"],
    "vfork": ["EAGAIN", "ENOMEM"],
    "wait4": ["EINTR"],
    "waitid": ["EINTR"],
    # waiting
    "clock_nanosleep": ["EINTR"],
    "futex": ["EINTR", "EAGAIN"],
    "nanosleep": ["EINTR"],
    "poll": ["EINTR", "ENOMEM"],
    "ppoll": ["EINTR", "ENOMEM"],
    "rt_sigtimedwait": ["EAGAIN", "EINTR"],
    # descriptors that are not files
    "accept4": DESCRIPTORS + ["EINTR", "ECONNABORTED"],
    "bind": ["EADDRINUSE", "ENOMEM"],
    "connect": ["ECONNREFUSED", "EAGAIN", "EINTR"],
    "eventfd2": DESCRIPTORS,
    "getsockopt": ["ENOMEM"],
    "inotify_add_watch": ["ENOSPC", "ENOMEM"],
    "inotify_init1": DESCRIPTORS,
    "listen": ["EADDRINUSE"],
    "pipe2": DESCRIPTORS,
    "recvfrom": ["EINTR", "ENOMEM", "ECONNRESET"],
    "recvmsg": ["EINTR", "ENOMEM", "ECONNRESET"],
    "sendmsg": ["EINTR", "ENOMEM", "EPIPE"],
    "sendto": ["EINTR", "ENOMEM", "EPIPE"],
    "setsockopt": ["ENOMEM"],
    "shutdown": ["ENOTCONN"],
    "signalfd4": DESCRIPTORS,
    "socket": DESCRIPTORS + ["EACCES"],
    "socketpair": DESCRIPTORS,
    "getrandom": ["ENOSYS", "EINTR", SHORT],
}

# With the arguments that dftrace passes, the kernel has no error for these.
NEVER_FAIL = {
    "kill",  # asks which processes are alive: its errors are answers
    "exit", "exit_group", "geteuid", "getpid", "getppid", "getrusage", "gettid", "getuid", "getgid", "getegid", "rt_sigaction",
    "rt_sigprocmask", "rt_sigreturn", "sched_yield", "sysinfo", "tgkill", "uname", "umask", "clock_gettime", "getpriority",
    "rt_sigpending", "rt_tgsigqueueinfo", "clock_getres", "restart_syscall", "set_robust_list", "rseq", "times", "alarm",
}

# Calls of the program itself, passed on by a function of ours that is called before libc's.
PROGRAMS_OWN = {("runtime", "execve"), ("runtime", "fork")}

# These errors tend to persist: they are tried for one call, and for that call and all later ones.
# Faults that once found a bug, as scenario, role, call, n-th, error, from then on. The test suite tries each of them.
FIXED = [
    ("attach", "control", "accept4", 1, "ENFILE", False),
    ("linked", "runtime", "mmap", 1, "ENOMEM", False),
    ("linked", "writer", "mmap", 5, "ENOMEM", False),
    ("linked", "writer", "mmap", 6, "ENOMEM", True),
    ("linked", "writer", "mremap", 2, "ENOMEM", False),
    ("linked-_exit", "writer", "mremap", 3, "ENOMEM", True),
    ("linked-exec", "writer", "unlink", 3, "EACCES", False),
    ("recover", "recover", "flock", 1, "EINTR", False),
    ("recover", "recover", "newfstatat", 3, "EACCES", False),
    ("recover", "recover", "pread64", 1, "EIO", False),
    ("recover", "recover", "unlink", 1, "EACCES", True),
    ("run", "host", "close_range", 1, "ENOSYS", False),
    ("run", "host", "getdents64", 1, "EIO", True),
    ("run", "host", "kill", 2, LATE, False),
    ("run", "host", "mremap", 2, "ENOMEM", False),
    ("run", "host", "munmap", 1, "ENOMEM", True),
    ("run", "host", "openat", 3, "EMFILE", True),
    ("run", "host", "poll", 4, "ENOMEM", True),
    ("run", "host", "pread64", 1, "EIO", True),
    ("run", "host", "rmdir", 1, "EACCES", True),
    ("run", "host", "sendto", 2, "EPIPE", False),
    ("run", "host", "unlink", 1, "EACCES", True),
    ("run-exec", "host", "unlinkat", 1, "EIO", True),
    ("attach", "runtime", "mmap", 1, "ENOMEM", False),
    ("run", "host", "write", 2, "EIO", True),
    ("run", "run", "close", 1, "EIO", True),
    ("run", "run", "poll", 1, "ENOMEM", True),
    ("run", "run", "readlink", 1, "EIO", True),
    ("run", "run", "sendto", 1, "ENOMEM", True),
    ("run", "run", "wait4", 1, "EINTR", False),
    ("run", "runtime", "madvise", 5, "EAGAIN", False),
    ("run", "runtime", "madvise", 10, "ENOMEM", False),
    ("run", "runtime", "mmap", 5, "ENOMEM", True),
]

# Of an open file: these errors happen once, and do not persist.
PASSING = {"newfstatat", "fstat"}

LASTING = {"ENOSPC", "EDQUOT", "EIO", "EMFILE", "ENFILE", "ENOMEM", "EACCES", "EPERM", "ENOSYS", "EOPNOTSUPP", "EINVAL", "EFBIG"}
