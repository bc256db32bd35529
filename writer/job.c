/*
 * From a batch of calls to a member of the file: encode and compress, piece by piece, so that the
 * text stays in the processor's cache and its buffer small. Any thread, each with a worker of its
 * own.
 */
#include "writer/internal.h"

#define PIECE_CALLS 256
#define BLOCK_TEXT (128u << 10) /* text that one set of codes is made for */
#define KEPT_MEMORY (1u << 20)

static bool is_tie(const struct dft_call *a, const struct dft_call *b, const char *attached)
{
    return a->start_ns == b->start_ns && a->end_ns == b->end_ns &&
           dft_call_tid(a, attached) == dft_call_tid(b, attached);
}

/*
 * Calls come in the order in which they ended. Of two with the same start and end the later one is
 * the caller, and readers take the first in the file for the parent: a run of ties is turned round.
 */
static void put_parents_first(struct dft_call *calls, size_t count, const char *attached)
{
    for (size_t first = 0, last; first + 1 < count; first = last + 1) {
        for (last = first; last + 1 < count && is_tie(&calls[first], &calls[last + 1], attached);)
            last++;
        for (size_t a = first, b = last; a < b; a++, b--) {
            struct dft_call call = calls[a];
            calls[a] = calls[b];
            calls[b] = call;
        }
    }
}

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

static bool add_text(struct dft_worker *worker, const struct dft_buffer *text)
{
    if (!dft_buffer_reserve(&worker->output.text, text->used))
        return false;
    if (text->used)
        dft_put_bytes(&worker->output.text, text->data, text->used);
    return true;
}

static bool add_calls(const struct dft_writer *writer, struct dft_worker *worker,
                      struct dft_job *job)
{
    struct dft_call *calls = (struct dft_call *)job->calls.data;
    size_t count = dft_job_events(job);

    if (!job->parents_first) /* a job that has failed is run again */
        put_parents_first(calls, count, job->attached.data);
    job->parents_first = true;
    for (size_t i = 0; i < count; i += PIECE_CALLS) {
        struct dft_calls piece = {.calls = calls + i,
                                  .count = count - i < PIECE_CALLS ? count - i : PIECE_CALLS,
                                  .attached = job->attached.data};
        if (!writer->encoder->calls(&writer->info, &worker->state, &piece, &worker->output))
            return false;
        if (worker->output.text.used - worker->output.kept >= BLOCK_TEXT &&
            !compress(writer, worker, job))
            return false;
    }
    return true;
}

/* Batches are cut by the text that their calls make: this is not to be taken for theirs. */
static bool add_aggregates(const struct dft_writer *writer, struct dft_worker *worker,
                           struct dft_job *job)
{
    const struct dft_aggregate *entries = dft_aggregates_entries(&job->aggregates);
    struct dft_output *output = &worker->output;

    for (size_t i = 0; i < dft_aggregates_count(&job->aggregates); i++) {
        size_t before = output->text.used;
        if (!writer->encoder->aggregate(&writer->info, &entries[i], &output->text))
            return false;
        job->text -= output->text.used - before;
        if (output->text.used - output->kept >= BLOCK_TEXT && !compress(writer, worker, job))
            return false;
    }
    return true;
}

void dft_job_run(const struct dft_writer *writer, struct dft_worker *worker, struct dft_job *job)
{
    job->member.used = 0;
    job->text = 0;
    bool fine = add_text(worker, &job->before) && add_calls(writer, worker, job) &&
                add_aggregates(writer, worker, job) && add_text(worker, &job->after) &&
                compress(writer, worker, job);
    if (writer->spool->header->settings.compression &&
        !dft_gzip_close_member(&worker->gzip, &worker->output, &job->member))
        fine = false;
    if (!fine) /* nothing of it is to be in the next member */
        worker->output.text.used = worker->output.kept = worker->output.repeats.used = 0;
    job->failed = !fine;
}

void dft_job_release(struct dft_job *job)
{
    struct dft_buffer *buffers[] = {&job->before, &job->calls, &job->attached, &job->after,
                                    &job->chunks, &job->ended, &job->member};

    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        dft_buffer_release(buffers[i]);
    dft_aggregates_release(&job->aggregates);
}

void dft_job_clear(struct dft_job *job)
{
    job->before.used = job->calls.used = job->attached.used = job->after.used = 0;
    job->chunks.used = job->ended.used = job->member.used = 0;
    dft_aggregates_clear(&job->aggregates);
    job->counted = job->own = job->dropped = job->omitted = 0;
    job->parents_first = false;
    if (job->calls.size > KEPT_MEMORY)
        dft_buffer_release(&job->calls);
    if (job->attached.size > KEPT_MEMORY)
        dft_buffer_release(&job->attached);
    if (job->member.size > KEPT_MEMORY)
        dft_buffer_release(&job->member);
}

void dft_worker_release(struct dft_worker *worker)
{
    dft_buffer_release(&worker->state.index);
    dft_buffer_release(&worker->state.text);
    dft_buffer_release(&worker->state.recent);
    dft_buffer_release(&worker->output.text);
    dft_buffer_release(&worker->output.repeats);
    dft_gzip_release(&worker->gzip);
}
