/*
 * Replacements for what the code under test uses and the model does not contain: the rest of the
 * runtime, the kernel, and the writer's output. The trace is an array of struct dft_call. Memory comes from a
 * heap that is part of the explored state.
 */
#include "dftrace/abi.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/detail/detail.h"
#include "runtime/events/event_names.h"
#include "runtime/events/mishaps.h"
#include "runtime/events/named_events.h"
#include "runtime/events/open_regions.h"
#include "runtime/interpose/altstack.h"
#include "runtime/interpose/exec.h"
#include "runtime/session/own_work.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/sites/module_table.h"
#include "runtime/sites/throttle.h"
#include "spool/owner.h"
#include "tests/model/model.h"
#include "tests/model/steps.h"
#include "writer/internal.h"
#undef __asm__
#undef memset

/* --- kernel --------------------------------------------------------------------------------- */

static void *allocate(size_t size)
{
    size_t begin = (*model_heap_used + 63) / 64 * 64;

    if (begin + size > MODEL_HEAP_SIZE)
        abort(); /* the model is too small for the scenario */
    *model_heap_used = begin + size;
    return memset(model_heap + begin, 0, size);
}

void *model_mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset)
{
    (void)at, (void)rights, (void)flags, (void)fd, (void)offset;
    return allocate(size);
}

int model_munmap(void *address, size_t size)
{
    (void)address, (void)size;
    return 0;
}

int model_madvise(void *address, size_t size, int advice)
{
    if (advice == MADV_REMOVE) {
        model_access(address, size, true);
        memset(address, 0, size);
    }
    return 0;
}

/* The only system call of the code under test. explore.c decides when a waiting thread continues. */
void model_futex_wait(const void *word, uint32_t seen)
{
    model_wait_freed(word, seen);
}

/* The writer's clock stands still: time must not make two states out of one. */
uint64_t dft_time_now(clockid_t clock)
{
    (void)clock;
    return 1;
}

/* --- runtime -------------------------------------------------------------------------------- */

struct dft_session dft_session;
enum dft_clock_kind dft_clock_kind = DFT_CLOCK_MONOTONIC;
DFT_TLS struct dft_thread *dft_self;
DFT_TLS bool dft_busy;
DFT_TLS struct dft_call_detail *dft_call_details;

void model_touch_next(void)
{
    if (dft_self)
        model_access(&dft_self->next, sizeof dft_self->next, true);
}

uint64_t dft_clock_monotonic(void)
{
    return model_tick();
}

void dft_guard_enter(struct dft_guard *guard)
{
    (void)guard;
    model_block_signals(1);
}

void dft_guard_leave(const struct dft_guard *guard)
{
    (void)guard;
    model_block_signals(-1);
}

bool dft_session_host_is_gone(void)
{
    return model_writer_is_dead();
}

void dft_session_say_full(const char *what)
{
    (void)what;
}

void dft_session_miss_call(const char *what)
{
    (void)what;
}

/* Records of own work are like those of calls, and belong to no call. */
void dft_own_work_waited(uint64_t start, uint64_t end)
{
    (void)start, (void)end;
}

void dft_own_work_end(struct dft_thread *self, uint64_t since)
{
    (void)self, (void)since;
}

bool dft_exec_is_next(void)
{
    return false;
}

void dft_throttle_charge(struct dft_thread *self)
{
    (void)self;
}

void dft_throttle_empty_chunk(void) {}

bool dft_altstack_is_used(void)
{
    return false;
}

struct dft_thread *dft_thread_attach(void)
{
    abort(); /* threads have their slots before the first step */
}

uint32_t dft_module_table_number(const struct dftrace_site *site)
{
    (void)site;
    return 0;
}

void dft_detail_prepare(void) {}

void dft_detail_begin(const struct dftrace_site *site, const struct dft_thread *self,
                      struct dft_call_detail *note)
{
    (void)site, (void)self, (void)note;
}

void dft_detail_end(const struct dftrace_site *site, const struct dft_thread *self,
                    const struct dft_call_detail *note, struct dft_attachments *all)
{
    (void)site, (void)self, (void)note, (void)all;
}

/* --- spool ---------------------------------------------------------------------------------- */

void dft_owner_describe(struct dft_spool_header *header)
{
    (void)header;
}

bool dft_owner_is_this_boot(const struct dft_spool_header *header)
{
    (void)header;
    return true;
}

void dft_spool_take_anchor(enum dft_clock_kind kind, struct dft_anchor *anchor)
{
    (void)kind;
    *anchor = (struct dft_anchor){1, 1, 1};
}

/* --- writer --------------------------------------------------------------------------------- */

bool dft_buffer_grow(struct dft_buffer *buffer, size_t more)
{
    size_t size = buffer->used + more + 512;
    char *data = allocate(size);

    if (buffer->used)
        memcpy(data, buffer->data, buffer->used);
    buffer->data = data;
    buffer->size = size;
    return true;
}

void dft_buffer_release(struct dft_buffer *buffer)
{
    *buffer = (struct dft_buffer){0};
}

void dft_counters_begin(struct dft_writer *writer)
{
    (void)writer;
}

void dft_counters_step(struct dft_writer *writer)
{
    (void)writer;
}

void dft_counters_end(struct dft_writer *writer)
{
    (void)writer;
}

void dft_counters_end_thread(struct dft_writer *writer, uint32_t slot, uint64_t ns)
{
    (void)writer, (void)slot, (void)ns;
}

unsigned dft_counters_wait_ms(const struct dft_writer *writer, unsigned most)
{
    (void)writer;
    return most;
}

void dft_counters_release(struct dft_counters *counters)
{
    (void)counters;
}

void dft_usage_close(struct dft_usage_files *files)
{
    (void)files;
}

bool dft_job_describes(const struct dft_writer *writer, uint32_t id, struct dft_event *event)
{
    (void)writer, (void)id, (void)event;
    return false;
}

/* The bytes of a member are its calls, and one more call for each thread that is named. */
void dft_job_run(const struct dft_writer *writer, struct dft_worker *worker, struct dft_job *job)
{
    (void)writer, (void)worker;
    job->member.used = 0;
    job->text = 0;
    job->failed = !dft_buffer_reserve(&job->member, job->calls.used + job->after.used);
    dft_put_bytes(&job->member, job->calls.data, job->calls.used);
    const struct dft_event *events = (const struct dft_event *)job->after.data;
    for (size_t i = 0; i < job->after.used / sizeof *events; i++) {
        struct dft_call call = {.tid = events[i].thread.tid};
        if (events[i].kind == DFT_EVENT_THREAD)
            dft_put_bytes(&job->member, (const char *)&call, sizeof call);
    }
}

void dft_job_clear(struct dft_job *job)
{
    job->begins = false;
    job->calls.used = job->attached.used = job->after.used = 0;
    job->chunks.used = job->ended.used = job->member.used = 0;
    job->dropped = job->omitted = 0;
}

void dft_job_release(struct dft_job *job)
{
    (void)job;
}

void dft_worker_release(const struct dft_writer *writer, struct dft_worker *worker)
{
    (void)writer, (void)worker;
}

void dft_pool_announce(struct dft_writer *writer)
{
    (void)writer;
}

void dft_pool_invite(struct dft_writer *writer)
{
    (void)writer;
}

void dft_pool_complete_oldest(struct dft_writer *writer)
{
    struct dft_job *job = &writer->pool.jobs[writer->pool.oldest];

    dft_job_run(writer, &writer->worker, job);
    job->state = DFT_JOB_DONE;
}

void dft_pool_stop(struct dft_writer *writer)
{
    (void)writer;
}

void dft_pool_join(struct dft_writer *writer)
{
    (void)writer;
}

const struct dft_encoder *dft_encoder_of(unsigned format)
{
    static const struct dft_encoder model = {.name = "model", .extension = ".model"};

    (void)format;
    return &model;
}

/* --- file ----------------------------------------------------------------------------------- */

int dft_file_name(struct dft_file *file, const char *prefix, const char *app, int32_t pid,
                  const char *extension, int number)
{
    (void)prefix, (void)app, (void)pid, (void)extension, (void)number;
    file->path[0] = 't';
    file->path[1] = '\0';
    return 0;
}

int dft_file_create(struct dft_file *file)
{
    model_may_be_killed();
    model_disk->file.exists = 1;
    model_disk->file.size = 0;
    file->device = file->inode = 1;
    file->size = 0;
    return 0;
}

int dft_file_resume(struct dft_file *file, uint64_t device, uint64_t inode, uint64_t size)
{
    (void)device;
    if (!model_disk->file.exists)
        return -ENOENT;
    if (inode != 1 || size > model_disk->file.size)
        return -ESTALE;
    model_may_be_killed();
    model_disk->file.size = size;
    file->device = file->inode = 1;
    file->size = size;
    return 0;
}

/* Half of the bytes may have arrived when the process is killed. */
int dft_file_append(struct dft_file *file, const char *data, size_t length)
{
    if (file->size != model_disk->file.size || file->size + length > MODEL_FILE_SIZE)
        abort();
    model_may_be_killed();
    memcpy(model_disk->file.bytes + file->size, data, length);
    if (length > 1) {
        model_disk->file.size = file->size + length / 2;
        model_may_be_killed();
    }
    file->size = model_disk->file.size = file->size + length;
    model_may_be_killed();
    return 0;
}

int dft_file_append_last(struct dft_file *file, const char *data, size_t length)
{
    return dft_file_append(file, data, length);
}

int dft_file_truncate(struct dft_file *file, uint64_t size)
{
    model_may_be_killed();
    file->size = model_disk->file.size = size;
    return 0;
}

void dft_file_set_aside(struct dft_file *file, uint64_t size)
{
    (void)file, (void)size;
}

void dft_file_close(struct dft_file *file)
{
    (void)file;
}

void dft_file_forget(const struct dft_file *file)
{
    (void)file;
}

void dft_file_remove(struct dft_file *file)
{
    (void)file;
    model_may_be_killed();
    model_disk->file.exists = 0;
    model_disk->file.size = 0;
}

/* Events of the program itself are not part of the model. */
uint32_t dft_event_names_intern(const char *text, uint32_t line)
{
    (void)text, (void)line;
    abort();
}

uint32_t dft_event_names_other(void)
{
    abort();
}

void dft_mishaps_count(enum dft_mishap mishap)
{
    (void)mishap;
    abort();
}

void dft_open_regions_add_values(const struct dft_thread *self, const struct dft_frame *frame,
                                 struct dft_attachments *all)
{
    (void)self, (void)frame, (void)all;
    abort();
}

struct dftrace_event dft_event_others;

DFT_TLS struct dft_open_region *dft_open_regions;

struct dft_frame *dft_open_regions_outliving(const struct dft_thread *self,
                                             const struct dft_frame *call)
{
    (void)self, (void)call;
    return NULL;
}
