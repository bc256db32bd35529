/* Identifies the process that made a spool: see owner.h. */
#include "spool/owner.h"
#include "os/kernel.h"
#include "os/process.h"
#include "os/small_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_boot(char *boot, size_t size)
{
    dft_small_file_read("/proc/sys/kernel/random/boot_id", boot, size);
    boot[strcspn(boot, "\n")] = '\0';
}

void dft_owner_describe(struct dft_spool_header *header)
{
    struct dft_process_status status = {0};

    header->pid = (int32_t)dft_kernel_pid();
    header->ppid = (int32_t)getppid();
    if (gethostname(header->host, sizeof header->host - 1) != 0)
        header->host[0] = '\0';
    header->pid_space = dft_process_own_pid_namespace();
    read_boot(header->boot, sizeof header->boot);
    header->born = dft_process_read_status(header->pid, &status) ? status.born : 0;
}

bool dft_owner_is_this_boot(const struct dft_spool_header *header)
{
    char boot[sizeof header->boot];

    read_boot(boot, sizeof boot);
    return strncmp(boot, header->boot, sizeof boot) == 0;
}

/*
 * Whether a process has the spool mapped. Only exec unmaps a spool, together with all other
 * mappings. Names are compared, because on some file systems /proc/PID/maps and stat disagree about
 * device and inode.
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
        return true; /* not permitted: assume that the process has the spool mapped */
    while (!found && getline(&line, &size, maps) > 0) {
        any = true;
        found = strstr(line, name) != NULL;
    }
    free(line);
    fclose(maps);
    return found || !any; /* no mappings at all: the process is ending */
}

enum dft_owner_state dft_owner_look(const struct dft_spool *spool)
{
    const struct dft_spool_header *header = spool->header;
    struct dft_process_status status;
    char host[sizeof header->host] = "";

    if (!dft_owner_is_this_boot(header)) {
        gethostname(host, sizeof host - 1);
        return strncmp(host, header->host, sizeof host) == 0 ? DFT_OWNER_GONE : DFT_OWNER_FOREIGN;
    }
    if (header->pid_space && dft_process_own_pid_namespace() &&
        header->pid_space != dft_process_own_pid_namespace())
        return DFT_OWNER_FOREIGN;
    if (dft_process_is_dead(header->pid))
        return DFT_OWNER_GONE;
    if (!dft_process_read_status(header->pid, &status))
        return dft_process_is_dead(header->pid) ? DFT_OWNER_GONE : DFT_OWNER_ALIVE;
    if (header->born && status.born != header->born)
        return DFT_OWNER_GONE;
    if (status.state == 'Z') /* the main thread has ended, other threads have not */
        return DFT_OWNER_ALIVE;
    return has_mapped(header->pid, spool->path) ? DFT_OWNER_ALIVE : DFT_OWNER_REPLACED;
}
