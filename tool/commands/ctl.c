/*
 * dftrace ctl: switches recording in a running program, or asks for its state.
 */
#include "allowlist/allowlist.h"
#include "dftrace/control.h"
#include "tool/base/flags.h"
#include "tool/base/text.h"
#include "tool/base/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define PATIENCE_S 2 /* then check whether the process is stopped */
#define STDIN_PATH "/dev/stdin"
#define PATIENCES_MAX 6 /* then give up */

static const struct dft_flag flags[] = {{0}};

static const struct dft_help usage = {
    .command = "ctl",
    .synopsis = "PID on|off|status|flush|set ALLOWLIST",
    .text =
        "Controls a program that was started with DFTRACER_ENABLE=attach:\n\n"
        "  on       record calls from now on\n"
        "  off      record no further call; those that are open are recorded to their end\n"
        "  status   whether calls are recorded, of how many functions, and where\n"
        "  flush    complete the trace file with all calls so far; the program runs on\n"
        "  set      record only functions that this allowlist names; prints how many those are;\n"
        "           - reads the allowlist from standard input",
    .flags = flags,
    .notes = "Only the program's own user and root may do this.",
};

struct request {
    long pid;
    char text[DFTRACE_CONTROL_MAX];
    int list; /* for set: descriptor of a copy of the allowlist; otherwise -1 */
};

/* --- the allowlist --- */

/* Copies the whole file; false with errno on failure. */
static bool copy(int from, int to)
{
    char buffer[65536];
    size_t copied = 0;
    ssize_t count;

    while ((count = read(from, buffer, sizeof buffer)) > 0) {
        copied += (size_t)count;
        if (copied > DFT_FILE_MAX) {
            errno = EFBIG;
            return false;
        }
        for (ssize_t done = 0, written; done < count; done += written)
            if ((written = write(to, buffer + done, (size_t)(count - done))) < 0)
                return false;
    }
    return count == 0;
}

/* Opens a regular file. O_NONBLOCK: a pipe without a writer must not block. */
static int open_regular(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat status = {0};

    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    if (fd >= 0) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : ESPIPE;
        close(fd);
    }
    return -1;
}

/* A sealed copy of the file, as dftrace/control.h requires; -1 after a message. */
static int seal_list(const char *path)
{
    int from = strcmp(path, STDIN_PATH) == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                             : open_regular(path);
    int to = -1;
    bool done = false;

    if (from < 0) {
        dft_tool_error("%s: cannot open the allowlist: %s; expected a regular text file", path,
                       errno == ESPIPE ? "it is a pipe, a socket or a device" : strerror(errno));
        return -1;
    }
    to = memfd_create("allowlist", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (to >= 0)
        done = copy(from, to) && fcntl(to, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK) == 0;
    if (!done)
        dft_tool_error("%s: cannot read the allowlist: %s", path, strerror(errno));
    close(from);
    if (!done && to >= 0)
        close(to);
    return done ? to : -1;
}

/* --- the command line --- */

/* False if the list cannot be read. */
static bool add_list(struct request *request, const char *path)
{
    if (strcmp(path, "-") == 0)
        path = STDIN_PATH;
    char *absolute = dft_tool_absolute(path);
    int length = snprintf(request->text, sizeof request->text, "set %s", absolute);

    free(absolute);
    if (length < 0 || (size_t)length >= sizeof request->text) {
        dft_tool_error("%s: cannot open the allowlist: %s", path, strerror(ENAMETOOLONG));
        return false;
    }
    request->list = seal_list(path);
    return request->list >= 0;
}

/* DFT_EXIT_OK, or the exit status after a message. */
static int make_request(struct request *request, char **words, size_t count)
{
    static const char *const plain[] = {"on", "off", "status", "flush"};
    char *end;

    if (count < 2) {
        return dft_flags_refuse(&usage, count ? "what to do is missing" : "no PID is given");
    }
    errno = 0;
    request->pid = strtol(words[0], &end, 10);
    if (errno || end == words[0] || *end || request->pid <= 0) {
        return dft_flags_refuse(&usage, "'%s' is no process id", words[0]);
    }
    for (size_t i = 0; count == 2 && i < sizeof plain / sizeof *plain; i++)
        if (strcmp(words[1], plain[i]) == 0) {
            snprintf(request->text, sizeof request->text, "%s", words[1]);
            return DFT_EXIT_OK;
        }
    if (count == 3 && strcmp(words[1], "set") == 0)
        return add_list(request, words[2]) ? DFT_EXIT_OK : DFT_EXIT_FAILED;
    return dft_flags_refuse(&usage, "'%s': expected on, off, status, flush or set ALLOWLIST",
                            words[1]);
}

/* --- the process --- */

/* The line of /proc/PID/status with this prefix, or "". */
static void read_status(long pid, const char *beginning, char *line, int size)
{
    char *path = dft_tool_format("/proc/%ld/status", pid);
    FILE *file = fopen(path, "re");
    bool found = false;

    free(path);
    while (file && !found && fgets(line, size, file))
        found = strncmp(line, beginning, strlen(beginning)) == 0;
    if (file)
        fclose(file);
    if (!found)
        *line = '\0';
}

/* The pid in the process's own namespace: the last one of its NSpid line. */
static long inner_pid(long pid)
{
    char line[256];

    read_status(pid, "NSpid:", line, sizeof line);
    const char *last = strrchr(line, '\t');
    long inner = last ? strtol(last, NULL, 10) : pid;
    return inner > 0 ? inner : pid;
}

/* By a signal or by a debugger. */
static bool is_stopped(long pid)
{
    char line[256];

    read_status(pid, "State:", line, sizeof line);
    return strncmp(line, "State:\tT", 8) == 0 || strncmp(line, "State:\tt", 8) == 0;
}

static int connect_to(long pid)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval patience = {PATIENCE_S, 0};
    struct stat space = {0};
    char *path = dft_tool_format("/proc/%ld/ns/pid", pid);

    /* Other users may not read this; their request is then refused with a message. */
    if (stat(path, &space) != 0)
        stat("/proc/self/ns/pid", &space);
    free(path);
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, DFTRACE_CONTROL_NAME,
                          inner_pid(pid), (unsigned long long)space.st_ino);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (connect(fd, (struct sockaddr *)&address, size) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* Any process can bind an abstract name: checks that it is the right one. */
static bool is_process(int fd, long pid)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == (pid_t)pid;
}

static void explain_silence(long pid)
{
    if (is_stopped(pid))
        dft_tool_error("process %ld does not answer: it is stopped; kill -CONT %ld lets it go on",
                       pid, pid);
    else
        dft_tool_error("process %ld does not answer: it is busy, or others are asking it; try "
                       "again later",
                       pid);
}

static int explain_refusal(const struct request *request, int error)
{
    char *path = dft_tool_format("/proc/%ld", request->pid);
    bool exists = access(path, F_OK) == 0;

    free(path);
    if (!exists)
        dft_tool_error("there is no process %ld", request->pid);
    else if (error == EAGAIN)
        explain_silence(request->pid);
    else if (error == ECONNREFUSED)
        dft_tool_error(
            "process %ld does not listen: it must be compiled with the dftrace plugin or "
            "-finstrument-functions and started with DFTRACER_ENABLE=attach",
            request->pid);
    else
        dft_tool_error("cannot reach process %ld: %s", request->pid, strerror(error));
    return DFT_EXIT_FAILED;
}

/* The number behind this key; 0 if the answer does not have the key. */
static unsigned long number_after(const char *answer, const char *key)
{
    const char *at = strstr(answer, key);

    return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

/*
 * After "set": "functions=N chosen=N", and " unmatched=N rule=LINE:RULE" if rules match no function.
 * Failed if the list has rules and chooses no function at all.
 */
static int check_rules(const char *answer, const char *path)
{
    const char *first = strstr(answer, " rule=");

    if (!first)
        return DFT_EXIT_OK;
    unsigned long functions = number_after(answer, "functions="),
                  chosen = number_after(answer, " chosen="),
                  unmatched = number_after(answer, " unmatched=");
    first += strlen(" rule=");
    const char *rule = strchr(first, ':');
    char *others = unmatched > 1
                       ? dft_tool_format("; %lu more rules matched no function", unmatched - 1)
                       : dft_tool_copy("", 0);
    if (rule)
        dft_tool_warn("%s:%.*s: '%s' matched no function%s", path, (int)(rule - first), first,
                      rule + 1, others);
    free(others);
    if (chosen)
        return DFT_EXIT_OK;
    dft_tool_error("%s: no rule matches any of the %lu functions: no call is recorded", path,
                   functions);
    return DFT_EXIT_FAILED;
}

static int print_answer(const struct request *request, char *answer, size_t length)
{
    answer[length] = '\0';
    if (strncmp(answer, "error ", 6) == 0) {
        dft_tool_error("%s", answer + 6);
        return DFT_EXIT_FAILED;
    }
    if (strncmp(answer, "ok", 2) != 0) {
        dft_tool_error("the answer makes no sense");
        return DFT_EXIT_FAILED;
    }
    if (answer[2] == ' ') {
        dft_text_print_visible(stdout, dft_text(answer + 3));
        putchar('\n');
    }
    if (request->list >= 0 && answer[2] == ' ')
        return check_rules(answer + 3, request->text + strlen("set "));
    return DFT_EXIT_OK;
}

/* Like recv. */
static ssize_t wait_for_answer(int fd, long pid, char *answer, size_t size)
{
    ssize_t length = -1;

    for (int i = 0; i < PATIENCES_MAX; i++) {
        length = recv(fd, answer, size, 0);
        if (length >= 0 || errno != EAGAIN)
            return length;
        if (is_stopped(pid))
            break;
    }
    errno = EAGAIN;
    return length;
}

/* Like send, with the allowlist if there is one. */
static ssize_t send_request(int fd, const struct request *request)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec text = {(char *)request->text, strlen(request->text)};
    struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};

    if (request->list >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &request->list, sizeof request->list);
    }
    return sendmsg(fd, &message, MSG_NOSIGNAL);
}

static int ask(const struct request *request)
{
    char answer[DFTRACE_CONTROL_MAX + 1];
    int fd = connect_to(request->pid);

    if (fd < 0)
        return explain_refusal(request, errno);
    if (!is_process(fd, request->pid)) {
        close(fd);
        dft_tool_error("what answers for process %ld is another process", request->pid);
        return DFT_EXIT_FAILED;
    }
    /* A process that refuses does so before it reads the request. */
    ssize_t length = send_request(fd, request);
    if (length >= 0 || errno == EPIPE)
        length = wait_for_answer(fd, request->pid, answer, sizeof answer - 1);
    int error = errno;
    close(fd);
    if (length < 0 && error == EAGAIN)
        explain_silence(request->pid);
    else if (length <= 0)
        dft_tool_error("process %ld does not answer: %s", request->pid,
                       length < 0 ? strerror(error) : "it has ended");
    if (length <= 0)
        return DFT_EXIT_FAILED;
    return print_answer(request, answer, (size_t)length);
}

int dft_cmd_ctl(int argc, char **argv)
{
    struct dft_flags line = {.usage = &usage, .argc = argc, .argv = argv};
    struct request request = {.list = -1};
    char *words[3];
    size_t count = 0;
    int status;

    for (;;) {
        switch (dft_flags_next(&line)) {
        case DFT_FLAG_WORD:
            if (count == sizeof words / sizeof *words)
                return dft_flags_refuse(&usage, "unexpected argument '%s'", line.value);
            words[count++] = (char *)line.value;
            break;
        case DFT_FLAG_HELP:
            return DFT_EXIT_OK;
        case DFT_FLAG_FOUND:
        case DFT_FLAG_WRONG:
            return DFT_EXIT_USAGE;
        case DFT_FLAG_END:
            status = make_request(&request, words, count);
            return status == DFT_EXIT_OK ? ask(&request) : status;
        }
    }
}
