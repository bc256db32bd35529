/*
 * Makes a member of the file from a batch of events: encodes and compresses piece by piece, so that
 * the text stays in the processor's cache and its buffer stays small. Runs in any thread, each with
 * a worker of its own.
 */
#include "writer/internal.h"

#include <string.h>

#define PIECE_CALLS 256
#define BLOCK_TEXT (128u << 10) /* text in one deflate block */
#define KEPT_MEMORY (1u << 20)

static bool compress(const struct dft_writer *writer, struct dft_worker *worker,
                     struct dft_job *job)
{
    struct dft_output *output = &worker->output;

    job->text += output->text.used - output->kept;
    if (writer->spool->header->settings.compression)
        return dft_gzip_add(&worker->gzip, output, &job->member);
    if (!dft_buffer_reserve(&job->member, output->text.used))
        return false;
    dft_put_bytes(&job->member, output->text.data, output->text.used);
    output->text.used = output->repeats.used = 0;
    return true;
}

static bool compress_if_due(const struct dft_writer *writer, struct dft_worker *worker,
                            struct dft_job *job)
{
    return worker->output.text.used - worker->output.kept < BLOCK_TEXT ||
           compress(writer, worker, job);
}

static bool begin_member(const struct dft_writer *writer, struct dft_worker *worker,
                         struct dft_job *job)
{
    struct dft_member member = {.first_event = job->first_event,
                                .calls = (struct dft_call *)job->calls.data,
                                .call_count = dft_job_events(job),
                                .attached = job->attached.data,
                                .is_ordered = job->is_ordered};

    if (!worker->state.used) {
        if (!dft_buffer_reserve(&worker->state, writer->encoder->state_size))
            return false;
        worker->state.used = writer->encoder->state_size; /* fresh pages are zero */
        worker->gzip.container = writer->encoder->container;
    }
    bool fine =
        writer->encoder->begin_member(&writer->start, worker->state.data, &member, &worker->output);
    job->is_ordered = member.is_ordered;
    return fine;
}

static bool add_event(const struct dft_writer *writer, struct dft_worker *worker,
                      struct dft_job *job, const struct dft_event *event)
{
    return writer->encoder->event(&writer->start, worker->state.data, event, &worker->output) &&
           compress_if_due(writer, worker, job);
}

/* Adds the start of the trace, and the functions that are new since the last batch. */
static bool add_heads(const struct dft_writer *writer, struct dft_worker *worker,
                      struct dft_job *job)
{
    struct dft_event event = {.kind = DFT_EVENT_START};

    if (job->begins && !add_event(writer, worker, job, &event))
        return false;
    for (uint32_t site = job->described_before + 1; site <= job->described; site++)
        if (dft_job_describes(writer, site, &event) && !add_event(writer, worker, job, &event))
            return false;
    return true;
}

static bool add_calls(const struct dft_writer *writer, struct dft_worker *worker,
                      struct dft_job *job)
{
    const struct dft_call *calls = (const struct dft_call *)job->calls.data;
    size_t count = dft_job_events(job);

    for (size_t i = 0; i < count; i += PIECE_CALLS) {
        struct dft_calls piece = {.calls = calls + i,
                                  .count = count - i < PIECE_CALLS ? count - i : PIECE_CALLS,
                                  .attached = job->attached.data};
        if (!writer->encoder->calls(&writer->start, worker->state.data, &piece, &worker->output) ||
            !compress_if_due(writer, worker, job))
            return false;
    }
    return true;
}

/*
 * Adds the aggregates. Their text is left out of job->text, from which the text per call is
 * computed.
 */
static bool add_aggregates(const struct dft_writer *writer, struct dft_worker *worker,
                           struct dft_job *job)
{
    const struct dft_aggregate *entries = dft_aggregates_entries(&job->aggregates);
    struct dft_output *output = &worker->output;
    struct dft_event event = {.kind = DFT_EVENT_AGGREGATE};

    for (size_t i = 0; i < dft_aggregates_count(&job->aggregates); i++) {
        size_t before = output->text.used;
        event.aggregate = entries[i];
        if (!writer->encoder->event(&writer->start, worker->state.data, &event, output))
            return false;
        job->text -= output->text.used - before;
        if (!compress_if_due(writer, worker, job))
            return false;
    }
    return true;
}

static bool add_tail(const struct dft_writer *writer, struct dft_worker *worker,
                     struct dft_job *job)
{
    const struct dft_event *events = (const struct dft_event *)job->after.data;

    for (size_t i = 0; i < job->after.used / sizeof *events; i++)
        if (!add_event(writer, worker, job, &events[i]))
            return false;
    return true;
}

bool dft_job_describes(const struct dft_writer *writer, uint32_t id, struct dft_event *event)
{
    struct dft_site_view site;

    if (!dft_spool_site(writer->spool, id, &site) || site.flags & (DFT_SITE_MODULE | DFT_SITE_OWN))
        return false;
    bool is_function = !(site.flags & DFT_SITE_EVENT);
    *event =
        (struct dft_event){.kind = is_function ? DFT_EVENT_FUNCTION : DFT_EVENT_FILE, .site = id};
    return is_function
               ? writer->start.metadata
               : writer->encoder->wants_files && strcmp(site.category, DFT_FILE_CATEGORY) == 0;
}

void dft_job_run(const struct dft_writer *writer, struct dft_worker *worker, struct dft_job *job)
{
    job->member.used = 0;
    job->text = 0;
    bool fine = begin_member(writer, worker, job) && add_heads(writer, worker, job) &&
                add_calls(writer, worker, job) && add_aggregates(writer, worker, job) &&
                add_tail(writer, worker, job) && compress(writer, worker, job);
    if (writer->spool->header->settings.compression &&
        !dft_gzip_close_member(&worker->gzip, &worker->output, &job->member))
        fine = false;
    if (!fine) /* no text of a failed member may get into the next one */
        worker->output.text.used = worker->output.kept = worker->output.repeats.used = 0;
    job->failed = !fine;
}

void dft_job_release(struct dft_job *job)
{
    struct dft_buffer *buffers[] = {&job->calls,  &job->attached, &job->after,
                                    &job->chunks, &job->ended,    &job->member};

    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        dft_buffer_release(buffers[i]);
    dft_aggregates_release(&job->aggregates);
}

void dft_job_clear(struct dft_job *job)
{
    job->calls.used = job->attached.used = job->after.used = 0;
    job->chunks.used = job->ended.used = job->member.used = 0;
    dft_aggregates_clear(&job->aggregates);
    job->counted = job->own = job->dropped = job->omitted = 0;
    job->begins = job->is_ordered = false;
    job->functions = 0;
    if (job->calls.size > KEPT_MEMORY)
        dft_buffer_release(&job->calls);
    if (job->attached.size > KEPT_MEMORY)
        dft_buffer_release(&job->attached);
    if (job->member.size > KEPT_MEMORY)
        dft_buffer_release(&job->member);
}

void dft_worker_release(const struct dft_writer *writer, struct dft_worker *worker)
{
    if (worker->state.used)
        writer->encoder->release(worker->state.data);
    dft_buffer_release(&worker->state);
    dft_buffer_release(&worker->output.text);
    dft_buffer_release(&worker->output.repeats);
    dft_gzip_release(&worker->gzip);
}
