/*
 * Opens spools of versions 1 to 4: see older.h. The spool may be damaged or hostile. Everything that
 * is converted is checked here; examine.c checks the rest, as in any spool.
 */
#include "spool/open.h"
#include "dftrace/abi.h"
#include "os/time.h"
#include "spool/older/header.h"
#include "spool/older/older.h"
#include "spool/owner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Time over which the rate of this machine's tick counter is measured, see guess_rate. */
#define MEASUREMENT_NS 20000000

/* Clocks of one boot differ by this much at the most when somebody corrects the time. */
#define BOOT_TOLERANCE_NS 2000000000

struct conversion {
    struct dft_spool *spool;
    int fd;
    uint64_t file_size;
    union dft_older_header old;
    struct dft_older_regions regions;
    struct dft_spool_header header; /* converted */
};

/* --- version 1 does not say in which boot of the machine it was made --- */

/* A process of this machine is looked for as if it had been started since the last boot. */
static void identify_host(struct dft_spool_header *header)
{
    struct dft_spool_header self = {0};

    dft_owner_describe(&self);
    if (strncmp(self.host, header->host, sizeof self.host) == 0)
        memcpy(header->boot, self.boot, sizeof header->boot);
}

static bool is_of_this_boot(const struct dft_spool_header *header)
{
    struct dft_anchor now;

    dft_spool_take_anchor(DFT_CLOCK_MONOTONIC, &now);
    uint64_t booted = now.realtime_ns - now.monotonic_ns;
    uint64_t was_booted = header->started.realtime_ns - header->started.monotonic_ns;
    uint64_t apart = booted > was_booted ? booted - was_booted : was_booted - booted;
    return now.monotonic_ns >= header->started.monotonic_ns && apart <= BOOT_TOLERANCE_NS;
}

/*
 * Adds an anchor from which the rate of the spool's clock follows: that of the clock of this
 * machine, which is most likely the one that the spool was made on.
 */
static void guess_rate(struct dft_spool_header *header)
{
    struct dft_anchor begin, end;

    dft_spool_take_anchor(DFT_CLOCK_COUNTER, &begin);
    dft_time_sleep(MEASUREMENT_NS);
    dft_spool_take_anchor(DFT_CLOCK_COUNTER, &end);
    header->latest[1] = (struct dft_anchor){
        .ticks = header->started.ticks + (end.ticks - begin.ticks),
        .monotonic_ns = header->started.monotonic_ns + (end.monotonic_ns - begin.monotonic_ns),
        .realtime_ns = header->started.realtime_ns + (end.monotonic_ns - begin.monotonic_ns),
    };
    atomic_store(&header->anchor_count, 1);
}

static void settle_clock(struct dft_spool_header *header)
{
    if (is_of_this_boot(header))
        return;
    header->boot[0] = '\0';
    if (header->clock == DFT_CLOCK_COUNTER)
        guess_rate(header);
}

/* --- the header --- */

static int read_header(struct conversion *this)
{
    int error = dft_open_read(this->fd, &this->old, sizeof this->old);

    if (!error)
        error =
            dft_older_convert_header(&this->old, this->file_size, &this->header, &this->regions);
    if (error)
        return error;
    if (atomic_load(&this->header.thread_count) > DFT_THREAD_MAX ||
        dft_older_count_sites(&this->old) > DFT_SITE_MAX)
        return -EBADMSG;
    dft_open_close_texts(&this->header);
    if (this->old.head.version == 1)
        identify_host(&this->header);
    return 0;
}

/*
 * The header is read again once the process is known to have ended, since only then does it not
 * change any more.
 */
static int read_final_header(struct conversion *this)
{
    int error = read_header(this);

    if (error)
        return error;
    this->spool->header = &this->header;
    enum dft_owner_state state = dft_owner_look(this->spool);
    this->spool->header = NULL;
    if (state == DFT_OWNER_ALIVE)
        return -EINPROGRESS;
    error = read_header(this);
    if (!error && this->old.head.version == 1)
        settle_clock(&this->header);
    return error;
}

/* --- regions that have not changed --- */

/* Puts a region of the file where the current version has it. */
static int place(const struct conversion *this, const struct dft_region *from,
                 const struct dft_region *to)
{
    char *at = (char *)this->spool->header + to->offset;

    if (from->size == 0)
        return 0;
    return mmap(at, from->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                this->fd, (off_t)from->offset) == MAP_FAILED
               ? -errno
               : 0;
}

static int map_regions(struct conversion *this)
{
    struct dft_spool *spool = this->spool;
    const struct dft_spool_header *header = &this->header;
    void *map = mmap(NULL, header->file_size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (map == MAP_FAILED)
        return -errno;
    spool->header = map;
    spool->size = header->file_size;
    spool->directory = (struct dft_chunk *)((char *)map + header->directory.offset);
    memcpy(map, header, sizeof *header);
    int error = place(this, &this->regions.directory, &header->directory);
    if (!error)
        error = place(this, &this->regions.segments, &header->segments);
    if (!error)
        error = place(this, &this->regions.threads, &header->threads);
    if (!error)
        error = place(this, &this->regions.chunks, &header->chunks);
    return error;
}

/* --- threads --- */

/*
 * Only addresses of frames change, because the distance between threads and chunks does. What old
 * versions did not have is cleared.
 */
static void convert_threads(const struct conversion *this)
{
    const struct dft_spool_header *header = this->spool->header;
    uint64_t moved = header->base + header->threads.offset -
                     (this->old.head.base + this->regions.threads.offset);
    uint32_t count = atomic_load(&header->thread_count);

    for (uint32_t slot = 0; slot < count; slot++) {
        struct dft_thread *thread = dft_spool_thread(this->spool, slot);
        if (atomic_load(&thread->state) == DFT_THREAD_FREE)
            continue;
        thread->top = (struct dft_frame *)((uintptr_t)thread->top + moved);
        thread->limit = (struct dft_frame *)((uintptr_t)thread->limit + moved);
        thread->cut = thread->lent = 0;
        thread->naming = DFT_NAMED_BY_KERNEL;
        thread->omitted = 0;
        thread->counts = NULL;
        if (this->old.head.version == 1)
            thread->pending_commit = 0;
    }
}

/* --- sites --- */

struct old_site {
    const char *text;
    uint32_t length, line, flags, module;
};

/* Finds the entry at this offset of the text region. False if it is not an entry. */
static bool find_site(uint32_t version, const char *texts, uint64_t offset, struct old_site *site)
{
    size_t size = version == 4 ? sizeof(struct dft_older_site_4) : sizeof(struct dft_older_site_1);

    if (offset % 4 != 0 || offset + size > DFT_SITE_TEXT_MAX)
        return false;
    const char *entry = texts + offset;
    if (version == 4) {
        const struct dft_older_site_4 *old = (const struct dft_older_site_4 *)entry;
        *site = (struct old_site){entry + size, old->length, old->line, old->flags, old->module};
    } else {
        const struct dft_older_site_1 *old = (const struct dft_older_site_1 *)entry;
        *site = (struct old_site){entry + size, old->length, old->line, old->flags, 0};
    }
    return site->length > 0 && site->length <= DFT_SITE_TEXT_MAX - offset - size;
}

/* Whether the text consists of so many strings. */
static bool has_strings(const struct old_site *site, int count)
{
    uint32_t at = 0;

    for (int i = 0; i < count; i++) {
        const char *end =
            at < site->length ? memchr(site->text + at, '\0', site->length - at) : NULL;
        if (!end)
            return false;
        at = (uint32_t)(end - site->text) + 1;
    }
    return at == site->length;
}

/* Adds the site with those strings as empty that its version did not have. */
static bool add_site(struct dft_spool *spool, const struct old_site *site, uint32_t id)
{
    char *text = calloc(1, (size_t)site->length + DFTRACE_TEXT_COUNT);

    if (!text)
        return false;
    memcpy(text, site->text, site->length);
    uint32_t added = dft_spool_intern_site_of(spool, site->module, text, site->line, site->flags);
    free(text);
    return added == id; /* another one if the table has the same site twice */
}

static int convert_sites(const struct conversion *this)
{
    uint32_t version = this->old.head.version, count = dft_older_count_sites(&this->old);
    int strings = version == 4 ? DFT_OLDER_STRINGS_4 : DFT_OLDER_STRINGS_1;
    const char *map =
        mmap(NULL, this->file_size, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, this->fd, 0);
    int error = 0;

    if (map == MAP_FAILED)
        return -errno;
    const uint32_t *index = (const uint32_t *)(map + this->regions.site_index.offset);
    const char *texts = map + this->regions.site_text.offset;
    for (uint32_t id = 1; id <= count && !error; id++) {
        struct old_site site;
        if (!find_site(version, texts, index[id - 1], &site) || !has_strings(&site, strings) ||
            !add_site(this->spool, &site, id))
            error = -EBADMSG;
    }
    munmap((void *)map, this->file_size);
    return error;
}

/* --- all of it --- */

int dft_spool_open_older(struct dft_spool *spool, int fd, const char *path)
{
    struct conversion this = {.spool = spool, .fd = fd};
    int error = dft_open_begin(spool, fd, path, &this.file_size);

    if (!error)
        error = read_final_header(&this);
    if (!error)
        error = map_regions(&this);
    if (!error)
        error = convert_sites(&this);
    if (!error)
        convert_threads(&this);
    else
        dft_spool_unmap(spool);
    return error;
}
