/*
 * Runs a command and makes one system call of dftrace's own code fail, return short or take long.
 *
 * A seccomp filter stops every system call of the command and of its descendants; this process,
 * their tracer, decides whose call it is. Calls of the dftrace tool are all ours, except those of
 * the dynamic linker. Calls in a traced program are ours when the innermost code on the stack that
 * is not libc's belongs to libdftrace; the program's own calls are never touched.
 *
 * Calls are counted by role (see role_of) and number. The n-th call of one role and number, or
 * every one from the n-th on, fails without being made, is made with half its length, or is made
 * later. A close fails after it has been made, as in Linux.
 *
 * The log has one line for each counter, `count ROLE CALL NUMBER`, and one for each failure,
 * `hit ROLE CALL NTH PID MODULE+OFFSET...`, and one for each process that a signal ended, `died PID
 * SIGNAL`. The exit status is the command's, or 124 if processes were still running when the time
 * was up (`hang PID COMMAND` in the log), or 125 if this program itself failed.
 *
 * x86-64 only.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MODULES_MAX 256
#define ROLES_MAX 16
#define CALLS_MAX 512
#define STACK_WORDS 1024
#define OWN_FRAMES_MAX 6
#define POLL_NS 1000000
#define STATUS_HANG 124
#define STATUS_FAILED 125

enum owner { OWNER_LIBC, OWNER_LINKER, OWNER_PROGRAM, OWNER_DFTRACE };

struct module {
    uint64_t begin, end, offset;
    enum owner owner;
    char name[64];
};

/* One process. Threads are mapped to it by their thread group. */
struct process {
    struct process *next;
    pid_t pid;
    bool is_tool;      /* its executable is `dftrace` */
    bool maps_current; /* `modules` is as /proc/PID/maps */
    char role[24];     /* of the tool: the command that it runs */
    struct module modules[MODULES_MAX];
    size_t module_count;
};

struct thread {
    struct thread *next;
    pid_t tid;
    struct process *process;
    long late;           /* the result that replaces the current call's; 0: none */
    uint64_t resumes_ns; /* when the delayed call continues; 0: none is delayed */
    bool restores;       /* its arguments were changed, and must be restored from `before` */
    struct user_regs_struct before;
};

static struct {
    const char *role; /* NULL: nothing fails */
    long call;
    unsigned long nth;
    long error; /* 0 with `is_short` */
    bool is_short, persists;
    unsigned seconds, delay_ms;
    FILE *log;
} wanted = {.seconds = 60};

static struct {
    char role[24];
    unsigned long calls[CALLS_MAX];
} counts[ROLES_MAX];

static struct process *processes;
static struct thread *threads;
static volatile sig_atomic_t time_is_up;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
    exit(STATUS_FAILED);
}

/* --- processes and threads --- */

static void read_line_of(pid_t pid, const char *file, char *text, size_t size)
{
    char path[64];
    int fd;

    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, file);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
}

static pid_t group_of(pid_t tid)
{
    char text[4096];

    read_line_of(tid, "status", text, sizeof text);
    const char *line = strstr(text, "\nTgid:");
    return line ? (pid_t)strtol(line + 6, NULL, 10) : tid;
}

static pid_t parent_of(pid_t pid)
{
    char text[4096];

    read_line_of(pid, "status", text, sizeof text);
    const char *line = strstr(text, "\nPPid:");
    return line ? (pid_t)strtol(line + 6, NULL, 10) : 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* After an exec: finds out which program this is now. */
static void identify(struct process *this)
{
    char link[64], target[4096] = "", words[4096] = "";

    snprintf(link, sizeof link, "/proc/%ld/exe", (long)this->pid);
    ssize_t length = readlink(link, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    this->is_tool = strcmp(base_name(target), "dftrace") == 0;
    this->maps_current = false;
    read_line_of(this->pid, "cmdline", words, sizeof words);
    snprintf(this->role, sizeof this->role, "%.20s", words + strlen(words) + 1);
}

static struct process *find_process(pid_t pid)
{
    for (struct process *this = processes; this; this = this->next)
        if (this->pid == pid)
            return this;
    return NULL;
}

static struct process *process_of(pid_t pid)
{
    struct process *this = find_process(pid);

    if (this)
        return this;
    this = calloc(1, sizeof *this);
    if (!this)
        fail("calloc");
    this->pid = pid;
    this->next = processes;
    processes = this;
    identify(this);
    /* `dftrace run` forks without exec: the program's process, and the host, which begins a
     * session. */
    const struct process *parent = find_process(parent_of(pid));
    if (this->is_tool && parent && parent->is_tool)
        snprintf(this->role, sizeof this->role, "%.17s-child", parent->role);
    return this;
}

static struct thread *thread_of(pid_t tid)
{
    for (struct thread *this = threads; this; this = this->next)
        if (this->tid == tid)
            return this;
    struct thread *this = calloc(1, sizeof *this);
    if (!this)
        fail("calloc");
    this->tid = tid;
    this->process = process_of(group_of(tid));
    this->next = threads;
    threads = this;
    return this;
}

static void forget_thread(pid_t tid)
{
    for (struct thread **link = &threads; *link; link = &(*link)->next)
        if ((*link)->tid == tid) {
            struct thread *this = *link;
            *link = this->next;
            free(this);
            break;
        }
    for (struct process **link = &processes; *link; link = &(*link)->next)
        if ((*link)->pid == tid) {
            struct process *this = *link;
            for (const struct thread *other = threads; other; other = other->next)
                if (other->process == this)
                    return;
            *link = this->next;
            free(this);
            return;
        }
}

/* --- whose call it is --- */

static enum owner owner_of_file(const struct process *process, const char *path)
{
    const char *name = base_name(path);
    char link[64], target[4096];

    if (strncmp(name, "libdftrace", 10) == 0)
        return OWNER_DFTRACE;
    if (strncmp(name, "ld-linux", 8) == 0)
        return OWNER_LINKER;
    snprintf(link, sizeof link, "/proc/%ld/exe", (long)process->pid);
    ssize_t length = readlink(link, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    return strcmp(target, path) == 0 ? OWNER_PROGRAM : OWNER_LIBC;
}

static void read_maps(struct process *process)
{
    char path[64], line[4096];

    snprintf(path, sizeof path, "/proc/%ld/maps", (long)process->pid);
    FILE *maps = fopen(path, "re");
    process->module_count = 0;
    process->maps_current = true;
    while (maps && process->module_count < MODULES_MAX && fgets(line, sizeof line, maps)) {
        struct module *module = &process->modules[process->module_count];
        char rights[8], file[2048] = "";
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %2047[^\n]", &module->begin, &module->end, rights,
                   &module->offset, file) < 5 ||
            rights[2] != 'x')
            continue;
        module->owner = owner_of_file(process, file);
        snprintf(module->name, sizeof module->name, "%.63s", base_name(file));
        process->module_count++;
    }
    if (maps)
        fclose(maps);
}

static const struct module *module_of(const struct process *process, uint64_t address)
{
    for (size_t i = 0; i < process->module_count; i++)
        if (address >= process->modules[i].begin && address < process->modules[i].end)
            return &process->modules[i];
    return NULL;
}

static size_t read_memory(pid_t tid, uint64_t address, void *to, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)(uintptr_t)address, size};
    ssize_t length = process_vm_readv(tid, &local, 1, &remote, 1, 0);

    if (length < 0) { /* the stack may be shorter: read up to the end of the page */
        size_t rest = 4096 - address % 4096;
        local.iov_len = remote.iov_len = rest < size ? rest : size;
        length = process_vm_readv(tid, &local, 1, &remote, 1, 0);
    }
    return length < 0 ? 0 : (size_t)length;
}

/* Whether the instruction before `address` is a call. */
static bool is_return_address(pid_t tid, uint64_t address)
{
    unsigned char code[7];

    if (read_memory(tid, address - sizeof code, code, sizeof code) != sizeof code)
        return false;
    return code[2] == 0xe8 || code[5] == 0xff || code[4] == 0xff || code[1] == 0xff ||
           code[0] == 0xff;
}

/* Fills `frames` with the addresses of dftrace's code on the stack, the innermost first. */
static bool is_ours(struct thread *thread, const struct user_regs_struct *registers,
                    uint64_t *frames, size_t *frame_count)
{
    struct process *process = thread->process;
    uint64_t stack[STACK_WORDS];

    *frame_count = 0;
    if (!process->maps_current)
        read_maps(process);
    const struct module *module = module_of(process, registers->rip);
    if (process->is_tool)
        return !module || module->owner != OWNER_LINKER;
    if (module && module->owner == OWNER_PROGRAM)
        return false;
    if (module && module->owner == OWNER_DFTRACE)
        frames[(*frame_count)++] = registers->rip;
    size_t words = read_memory(thread->tid, registers->rsp, stack, sizeof stack) / sizeof stack[0];
    for (size_t i = 0; i < words && *frame_count < OWN_FRAMES_MAX; i++) {
        module = module_of(process, stack[i]);
        if (!module || module->owner == OWNER_LIBC || module->owner == OWNER_LINKER ||
            !is_return_address(thread->tid, stack[i]))
            continue;
        if (module->owner == OWNER_PROGRAM)
            break;
        frames[(*frame_count)++] = stack[i];
    }
    return *frame_count > 0;
}

/*
 * Which part of dftrace makes the call. In traced programs: `runtime` in the program's threads, `writer`
 * and `control` in ours. In the tool: the command, and `host` for the process that writes traces
 * for `dftrace run`.
 */
static const char *role_of(struct thread *thread, long call)
{
    static char text[32];

    if (thread->process->is_tool) {
        if (call == SYS_setsid)
            snprintf(thread->process->role, sizeof thread->process->role, "host");
        return thread->process->role;
    }
    read_line_of(thread->tid, "comm", text, sizeof text);
    if (strncmp(text, "dftrace-control", 15) == 0)
        return "control";
    return strncmp(text, "dftrace-", 8) == 0 ? "writer" : "runtime";
}

/* --- counting and failing --- */

static unsigned long count(const char *role, long call)
{
    for (size_t i = 0; i < ROLES_MAX; i++) {
        if (!counts[i].role[0])
            snprintf(counts[i].role, sizeof counts[i].role, "%s", role);
        if (strcmp(counts[i].role, role) == 0 && call >= 0 && call < CALLS_MAX)
            return ++counts[i].calls[call];
    }
    return 0;
}

static void log_hit(const struct thread *thread, const char *role, long call, unsigned long nth,
                    const uint64_t *frames, size_t frame_count)
{
    fprintf(wanted.log, "hit %s %ld %lu %ld", role, call, nth, (long)thread->process->pid);
    for (size_t i = 0; i < frame_count; i++) {
        const struct module *module = module_of(thread->process, frames[i]);
        fprintf(wanted.log, " %s+0x%lx", module->name, frames[i] - module->begin + module->offset);
    }
    fputc('\n', wanted.log);
    fflush(wanted.log);
}

static bool takes_length(long call)
{
    return call == SYS_read || call == SYS_write || call == SYS_pread64 || call == SYS_pwrite64 ||
           call == SYS_recvfrom || call == SYS_sendto || call == SYS_getrandom;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A futex call that wakes others has no error. */
static bool waits(unsigned long long operation)
{
    operation &= FUTEX_CMD_MASK;
    return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
}

/* At the beginning of a system call. Returns whether its end is of interest. */
static bool decide(struct thread *thread)
{
    struct user_regs_struct registers;
    uint64_t frames[OWN_FRAMES_MAX];
    size_t frame_count;

    if (ptrace(PTRACE_GETREGS, thread->tid, NULL, &registers) != 0)
        return false;
    long call = (long)registers.orig_rax;
    bool ours = is_ours(thread, &registers, frames, &frame_count);
    if (call == SYS_mmap || call == SYS_mprotect)
        thread->process->maps_current = thread->process->maps_current && !(registers.rdx & 4);
    if (!ours || (call == SYS_futex && !waits(registers.rsi)))
        return false;
    const char *role = role_of(thread, call);
    unsigned long nth = count(role, call);
    if (!wanted.role || strcmp(wanted.role, role) != 0 || wanted.call != call ||
        (wanted.persists ? nth < wanted.nth : nth != wanted.nth))
        return false;
    if (wanted.delay_ms) {
        log_hit(thread, role, call, nth, frames, frame_count);
        thread->resumes_ns = now_ns() + wanted.delay_ms * 1000000ull;
        return false;
    }
    thread->before = registers;
    unsigned long long *length = call == SYS_getrandom ? &registers.rsi : &registers.rdx;
    if (wanted.is_short) {
        if (!takes_length(call) || *length < 2)
            return false;
        *length /= 2;
        thread->restores = true;
    } else if (call == SYS_close) {
        thread->late = -wanted.error;
    } else if (call == SYS_brk) {
        registers.rdi = 0; /* says where the heap ends; it has not grown */
        thread->restores = true;
    } else {
        registers.orig_rax = (unsigned long long)-1;
        registers.rax = (unsigned long long)-wanted.error;
    }
    log_hit(thread, role, call, nth, frames, frame_count);
    ptrace(PTRACE_SETREGS, thread->tid, NULL, &registers);
    return thread->late != 0 || thread->restores;
}

/* At the end of a call that was made: makes it look as if it had failed, or restores its arguments.
 */
static void finish_call(struct thread *thread)
{
    struct user_regs_struct registers;

    if (ptrace(PTRACE_GETREGS, thread->tid, NULL, &registers) == 0) {
        if (thread->late)
            registers.rax = (unsigned long long)thread->late;
        if (thread->restores) {
            registers.rdi = thread->before.rdi;
            registers.rsi = thread->before.rsi;
            registers.rdx = thread->before.rdx;
        }
        ptrace(PTRACE_SETREGS, thread->tid, NULL, &registers);
    }
    thread->late = 0;
    thread->restores = false;
}

/* --- tracing --- */

static void install_filter(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};

    if (geteuid() != 0)
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        fail("seccomp");
}

static pid_t start(char **command)
{
    int gate[2];
    char byte = 0;

    if (pipe2(gate, O_CLOEXEC) != 0)
        fail("pipe");
    pid_t pid = fork();
    if (pid < 0)
        fail("fork");
    if (pid == 0) {
        close(gate[1]);
        if (read(gate[0], &byte, 1) != 1)
            _exit(STATUS_FAILED);
        install_filter();
        execvp(command[0], command);
        fail(command[0]);
    }
    long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP |
                   PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                   PTRACE_O_TRACEEXEC;
    if (ptrace(PTRACE_SEIZE, pid, NULL, options) != 0)
        fail("ptrace");
    if (write(gate[1], &byte, 1) != 1)
        fail("write");
    close(gate[0]);
    close(gate[1]);
    return pid;
}

static void handle_stop(pid_t tid, int status)
{
    struct thread *thread = thread_of(tid);
    int signal_number = WSTOPSIG(status), event = status >> 16;
    enum __ptrace_request go_on = PTRACE_CONT;

    if (event == PTRACE_EVENT_SECCOMP) {
        if (decide(thread))
            go_on = PTRACE_SYSCALL;
        if (thread->resumes_ns)
            return; /* resume_delayed */
        signal_number = 0;
    } else if (event == PTRACE_EVENT_EXEC) {
        thread->process = process_of(group_of(tid));
        identify(thread->process);
        signal_number = 0;
    } else if (event == PTRACE_EVENT_STOP) {
        bool group = signal_number == SIGSTOP || signal_number == SIGTSTP ||
                     signal_number == SIGTTIN || signal_number == SIGTTOU;
        go_on = group ? PTRACE_LISTEN : PTRACE_CONT;
        signal_number = 0;
    } else if (event != 0) {
        signal_number = 0;
    } else if (signal_number == (SIGTRAP | 0x80)) {
        if (thread->late || thread->restores)
            finish_call(thread);
        signal_number = 0;
    }
    ptrace(go_on, tid, NULL, (long)signal_number);
}

/* Resumes calls whose delay is over. Returns whether others still wait. */
static bool resume_delayed(void)
{
    bool waiting = false;

    for (struct thread *this = threads; this; this = this->next) {
        if (!this->resumes_ns)
            continue;
        if (now_ns() >= this->resumes_ns) {
            this->resumes_ns = 0;
            ptrace(PTRACE_CONT, this->tid, NULL, 0L);
        } else {
            waiting = true;
        }
    }
    return waiting;
}

static void note_time(int signal_number)
{
    (void)signal_number;
    time_is_up = 1;
}

static void log_hangs(void)
{
    for (const struct process *this = processes; this; this = this->next) {
        char words[200];
        read_line_of(this->pid, "comm", words, sizeof words);
        fprintf(wanted.log, "hang %ld %s", (long)this->pid, words);
    }
}

/* Until the last descendant has ended. Returns the status of the first process. */
static int trace(pid_t first)
{
    struct sigaction action = {.sa_handler = note_time};
    int result = STATUS_FAILED << 8, status;

    sigaction(SIGALRM, &action, NULL);
    alarm(wanted.seconds);
    while (!time_is_up) {
        bool waiting = resume_delayed();
        pid_t tid = waitpid(-1, &status, __WALL | (waiting ? WNOHANG : 0));
        if (tid < 0 && errno == ECHILD)
            return result;
        if (tid == 0)
            nanosleep(&(struct timespec){0, POLL_NS}, NULL);
        if (tid <= 0)
            continue;
        if (WIFSTOPPED(status)) {
            handle_stop(tid, status);
            continue;
        }
        if (tid == first)
            result = status;
        if (WIFSIGNALED(status) && find_process(tid))
            fprintf(wanted.log, "died %ld %d\n", (long)tid, WTERMSIG(status));
        forget_thread(tid);
    }
    log_hangs();
    return STATUS_HANG << 8;
}

static void write_counts(void)
{
    for (size_t i = 0; i < ROLES_MAX && counts[i].role[0]; i++)
        for (long call = 0; call < CALLS_MAX; call++)
            if (counts[i].calls[call])
                fprintf(wanted.log, "count %s %ld %lu\n", counts[i].role, call,
                        counts[i].calls[call]);
}

/* Exits with the status or signal of the command. */
static void end_as(int status)
{
    fclose(wanted.log);
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        prctl(PR_SET_DUMPABLE, 0);
        raise(WTERMSIG(status));
    }
    exit(WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "+o:r:c:n:e:d:t:sp")) != -1) {
        switch (option) {
        case 'o':
            wanted.log = fopen(optarg, "we");
            break;
        case 'r':
            wanted.role = optarg;
            break;
        case 'c':
            wanted.call = strtol(optarg, NULL, 10);
            break;
        case 'n':
            wanted.nth = strtoul(optarg, NULL, 10);
            break;
        case 'e':
            wanted.error = strtol(optarg, NULL, 10);
            break;
        case 'd':
            wanted.delay_ms = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 't':
            wanted.seconds = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 's':
            wanted.is_short = true;
            break;
        case 'p':
            wanted.persists = true;
            break;
        default:
            return STATUS_FAILED;
        }
    }
    if (!wanted.log || optind >= argc ||
        (wanted.role && !(wanted.error || wanted.is_short || wanted.delay_ms))) {
        fputs("usage: inject -o LOG [-t SECONDS] [-r ROLE -c CALL -n N (-e ERRNO | -s | -d MS) "
              "[-p]] COMMAND...\n",
              stderr);
        return STATUS_FAILED;
    }
    int status = trace(start(argv + optind));
    write_counts();
    end_as(status);
}
