/*
 * Opens a spool that another process has created. The spool may be damaged or hostile.
 *
 * The limit of chunks determines the whole layout. So the layout is computed again and compared
 * with the header. After that, every region is where format.h says, and only the contents may be
 * wrong. examine.c checks them for a spool whose process is gone; writer/drain.c checks what it
 * reads from the spool of a running process. older/ opens spools of versions that had another layout.
 */
#include "spool/open.h"
#include "os/file_status.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same(const struct dft_region *a, const struct dft_region *b)
{
    return a->offset == b->offset && a->size == b->size;
}

/*
 * Later versions with this layout have added members behind those of earlier ones, in the same
 * pages: the regions have not moved.
 */
_Static_assert((offsetof(struct dft_spool_header, moved) - 1) / 4096 ==
                   (sizeof(struct dft_spool_header) - 1) / 4096,
               "the header takes as many pages as before");
static uint32_t header_size(uint32_t version)
{
    return version < DFT_SPOOL_MOVED ? offsetof(struct dft_spool_header, moved)
                                     : sizeof(struct dft_spool_header);
}

static int check_layout(const struct dft_spool_header *header, uint64_t size)
{
    struct dft_spool_header plan = {0};

    if (memcmp(header->magic, DFT_SPOOL_MAGIC, sizeof header->magic) != 0)
        return -ENOMSG;
    if (header->version < DFT_SPOOL_OLDEST || header->version > DFT_SPOOL_VERSION ||
        header->header_size != header_size(header->version))
        return -EPROTONOSUPPORT;
    if (header->chunk_limit < 1 || header->chunk_limit > DFT_SPOOL_CHUNKS_MAX)
        return -EBADMSG;
    dft_spool_lay_out(&plan, header->chunk_limit);
    if (plan.file_size != header->file_size || size != header->file_size ||
        plan.chunk_max != header->chunk_max || !is_same(&plan.directory, &header->directory) ||
        !is_same(&plan.site_index, &header->site_index) ||
        !is_same(&plan.site_hash, &header->site_hash) ||
        !is_same(&plan.site_text, &header->site_text) ||
        !is_same(&plan.segments, &header->segments) ||
        !is_same(&plan.throttled, &header->throttled) ||
        !is_same(&plan.threads, &header->threads) || !is_same(&plan.counts, &header->counts) ||
        !is_same(&plan.chunks, &header->chunks))
        return -EBADMSG;
    return 0;
}

void dft_open_close_texts(struct dft_spool_header *header)
{
#define CLOSE(text) (text)[sizeof(text) - 1] = '\0'
    CLOSE(header->boot);
    CLOSE(header->app);
    CLOSE(header->host);
    CLOSE(header->cores);
    CLOSE(header->exe);
    CLOSE(header->directory_name);
    CLOSE(header->command);
    CLOSE(header->settings.prefix);
    CLOSE(header->trace.path);
#undef CLOSE
}

int dft_open_read(int fd, void *header, size_t size)
{
    static const char nothing[sizeof DFT_SPOOL_MAGIC - 1];
    size_t done = 0;

    while (done < size) {
        ssize_t n = pread(fd, (char *)header + done, size - done, (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0) /* the file has its full size before it has a header */
            return done == 0 ? -ENODATA : -ENOMSG;
        done += (size_t)n;
    }
    return memcmp(header, nothing, sizeof nothing) == 0 ? -ENODATA : 0;
}

int dft_open_begin(struct dft_spool *spool, int fd, const char *path, uint64_t *size)
{
    struct stat status;

    memset(spool, 0, sizeof *spool);
    int length = snprintf(spool->path, sizeof spool->path, "%s", path);
    if (length < 0 || (size_t)length >= sizeof spool->path)
        return -ENAMETOOLONG;
    int error = dft_file_status(fd, &status);
    if (error)
        return error;
    if (!S_ISREG(status.st_mode))
        return -EINVAL;
    if (status.st_uid != geteuid())
        return -EPERM;
    *size = (uint64_t)status.st_size;
    return 0;
}

static int map_spool(struct dft_spool *spool, int fd, const char *path, int sharing)
{
    struct dft_spool_header header;
    uint64_t size;
    int error = dft_open_begin(spool, fd, path, &size);

    if (!error)
        error = dft_open_read(fd, &header, sizeof header);
    if (!error)
        error = check_layout(&header, size);
    if (error)
        return error;
    void *map =
        mmap(NULL, header.file_size, PROT_READ | PROT_WRITE, sharing | MAP_NORESERVE, fd, 0);
    if (map == MAP_FAILED)
        return -errno;
    spool->header = map;
    spool->size = header.file_size;
    spool->directory = (struct dft_chunk *)((char *)map + header.directory.offset);
    dft_open_close_texts(spool->header);
    return 0;
}

int dft_spool_open(struct dft_spool *spool, int fd, const char *path)
{
    return map_spool(spool, fd, path, MAP_SHARED);
}

int dft_spool_peek(struct dft_spool *spool, int fd, const char *path)
{
    return map_spool(spool, fd, path, MAP_PRIVATE);
}
