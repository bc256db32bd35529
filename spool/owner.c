/* Processes as /proc shows them: see process.h. */
#include "spool/owner.h"
#include "os/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What /proc/PID/stat says, in the order of proc(5). */
enum { FIELD_STATE = 3, FIELD_THREADS = 20, FIELD_START = 22, FIELD_EXIT = 52 };

static bool read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);

    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return length > 0;
}

bool dft_process_read_status(int32_t pid, struct dft_process_status *status)
{
    char path[32], text[1024];

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (!read_text(path, text, sizeof text))
        return false;
    /* The name, second of the fields, may hold anything, blanks and brackets too. */
    const char *at = strrchr(text, ')');
    if (!at)
        return false;
    for (int field = FIELD_STATE; field <= FIELD_EXIT; field++) {
        at = strchr(at, ' ');
        if (!at)
            return field > FIELD_START; /* kernels before 3.5 end there */
        at++;
        if (field == FIELD_STATE)
            status->state = *at;
        else if (field == FIELD_THREADS)
            status->threads = strtoull(at, NULL, 10);
        else if (field == FIELD_START)
            status->born = strtoull(at, NULL, 10);
        else if (field == FIELD_EXIT)
            status->ended_by = (int)strtol(at, NULL, 10);
    }
    return true;
}

static uint64_t own_pid_space(void)
{
    struct stat status;

    return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

static void read_boot(char *boot, size_t size)
{
    read_text("/proc/sys/kernel/random/boot_id", boot, size);
}

void dft_process_describe(struct dft_spool_header *header)
{
    struct dft_process_status status = {0};

    header->pid = (int32_t)dft_kernel_pid();
    header->ppid = (int32_t)getppid();
    if (gethostname(header->host, sizeof header->host - 1) != 0)
        header->host[0] = '\0';
    header->pid_space = own_pid_space();
    read_boot(header->boot, sizeof header->boot);
    header->born = dft_process_read_status(header->pid, &status) ? status.born : 0;
}

bool dft_process_is_this_boot(const struct dft_spool_header *header)
{
    char boot[sizeof header->boot];

    read_boot(boot, sizeof boot);
    return strncmp(boot, header->boot, sizeof boot) == 0;
}

/*
 * exec takes a program's mappings away, all at once; nothing else unmaps a spool. The name is
 * compared, because on some file systems maps and stat disagree about device and inode.
 */
static bool has_mapped(int32_t pid, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char maps_path[32], *line = NULL;
    size_t size = 0;
    bool found = false, any = false;

    snprintf(maps_path, sizeof maps_path, "/proc/%ld/maps", (long)pid);
    FILE *maps = fopen(maps_path, "re");
    if (!maps)
        return true; /* not ours to see: the pid is all there is */
    while (!found && getline(&line, &size, maps) > 0) {
        any = true;
        found = strstr(line, name) != NULL;
    }
    free(line);
    fclose(maps);
    return found || !any; /* empty: on its way out */
}

static bool is_dead(const struct dft_process_status *status)
{
    /* A main thread that has ended while others go on looks like a zombie, too. */
    return (status->state == 'Z' || status->state == 'X') && status->threads <= 1;
}

bool dft_process_is_dead(int32_t pid)
{
    struct dft_process_status status;

    if (pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH))
        return true;
    return dft_process_read_status(pid, &status) && is_dead(&status);
}

enum dft_process_state dft_process_look(const struct dft_spool *spool)
{
    const struct dft_spool_header *header = spool->header;
    struct dft_process_status status;
    char host[sizeof header->host] = "";

    if (!dft_process_is_this_boot(header)) {
        gethostname(host, sizeof host - 1);
        return strncmp(host, header->host, sizeof host) == 0 ? DFT_PROCESS_GONE
                                                             : DFT_PROCESS_FOREIGN;
    }
    if (header->pid_space && own_pid_space() && header->pid_space != own_pid_space())
        return DFT_PROCESS_FOREIGN;
    if (dft_process_is_dead(header->pid))
        return DFT_PROCESS_GONE;
    if (!dft_process_read_status(header->pid, &status))
        return dft_process_is_dead(header->pid) ? DFT_PROCESS_GONE : DFT_PROCESS_ALIVE;
    if (header->born && status.born != header->born)
        return DFT_PROCESS_GONE;
    if (status.state == 'Z') /* its main thread has ended, others have not */
        return DFT_PROCESS_ALIVE;
    return has_mapped(header->pid, spool->path) ? DFT_PROCESS_ALIVE : DFT_PROCESS_REPLACED;
}
