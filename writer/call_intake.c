/*
 * Takes ended calls into a batch. A call is either aggregated or gets an event of its own. That
 * event also says how long the aggregated calls inside the call took. Runs in the writer's own
 * thread.
 */
#include "dftrace/abi.h"
#include "writer/internal.h"

/* NULL if memory is exhausted. */
static struct dft_nest *find_nest(struct dft_writer *writer, uint32_t slot)
{
    struct dft_buffer *all = &writer->nests;
    size_t needed = ((size_t)slot + 1) * sizeof(struct dft_nest);

    if (all->used < needed) {
        if (!dft_buffer_reserve(all, needed - all->used))
            return NULL;
        all->used = needed; /* fresh pages are zero */
    }
    return &((struct dft_nest *)all->data)[slot];
}

struct dft_intake dft_intake_begin(struct dft_writer *writer, uint32_t slot, size_t calls)
{
    struct dft_intake intake = {.writer = writer, .aggregation = dft_aggregation_of(writer->spool)};

    if (intake.aggregation.is_wanted)
        intake.nest = find_nest(writer, slot);
    if (intake.nest && !dft_nest_reserve(intake.nest, calls))
        intake.nest = NULL;
    return intake;
}

/*
 * Stores the call's own attachments, and the time of the calls inside it that have no event.
 * Attachments are copied: the spool may change, and the chunk is given back.
 */
static void attach(struct dft_writer *writer, struct dft_call *call, const struct dft_added *added,
                   const struct dft_record *record, const struct dft_record_view *view)
{
    struct dft_buffer *all = &dft_batch_job(writer)->attached;
    struct dft_attachment kind = {DFT_ATTACHMENT_ADDED, sizeof *added};
    uint32_t extra = added->ns ? sizeof kind + sizeof *added : 0;
    uint32_t length = view ? view->attached * DFT_MORE_SIZE : 0;
    struct dft_attached head = {
        .kind = view ? view->kind : DFT_RECORDED_CALL, .tid = call->tid, .length = extra + length};

    if (view && view->kind != DFT_RECORDED_CALL) {
        head.detail = view->detail;
        head.value = view->duration;
    }

    size_t padding = -all->used % _Alignof(struct dft_attached);
    if (!dft_buffer_reserve(all, padding + sizeof head + head.length)) {
        dft_batch_fail(writer, -ENOMEM);
        return;
    }
    all->used += padding;
    call->attached = 1;
    call->place = (uint32_t)all->used;
    dft_put_bytes(all, (const char *)&head, sizeof head);
    if (extra) {
        dft_put_bytes(all, (const char *)&kind, sizeof kind);
        dft_put_bytes(all, (const char *)added, sizeof *added);
    }
    if (length)
        dft_attachments_copy(record, view, all->data + all->used);
    all->used += length;
}

/*
 * For a timed call of a throttled function: how many of 65536 calls are timed. 0 for calls that
 * represent only themselves.
 */
static uint32_t timed_share(struct dft_writer *writer, uint32_t site)
{
    enum { NOT_KNOWN, ALL_TIMED }; /* any other value is the share */
    uint32_t style = dft_spool_site_style(writer->spool, site);
    uint32_t index = DFT_STYLE_INDEX(style);
    struct dft_site_view view;

    if (!(style & DFT_STYLE_THROTTLED) || index >= DFT_THROTTLED_MAX)
        return 0;
    /* If a function is known only by address, all of its calls are timed. */
    if (writer->timing[index] == NOT_KNOWN)
        writer->timing[index] =
            dft_spool_site(writer->spool, site, &view) && !(view.flags & DFTRACE_SITE_ADDRESS)
                ? (uint16_t)dft_spool_count_step(writer->spool, index)
                : ALL_TIMED;
    return writer->timing[index] == ALL_TIMED ? 0 : writer->timing[index];
}

/*
 * Estimates the time of the untimed calls that one timed call represents. Only the timed call's own
 * time includes the time of measuring. If that is all of it, the result is 1: 0 would say that
 * nothing was estimated.
 */
static int64_t estimate_untimed(const struct dft_writer *writer, int64_t timed_ns, uint32_t share)
{
    int64_t measuring = writer->spool->header->empty_call_ns;

    if (timed_ns > 0 && timed_ns <= measuring)
        return 1;
    if (timed_ns > 0)
        timed_ns -= measuring;
    return timed_ns * (0x10000 - (int64_t)share) / share;
}

/*
 * Whether the function has a timing step of its own. In older spools, all throttled functions have
 * the same step.
 */
static bool has_own_step(struct dft_writer *writer, uint32_t site)
{
    uint32_t index = DFT_STYLE_INDEX(dft_spool_site_style(writer->spool, site));

    return dft_spool_throttled(writer->spool, index)->step != 0;
}

/*
 * Returns false if the call needs an event of its own.
 *
 * The self time is the duration without the timed calls inside, and without the estimated time of
 * the calls inside that were only counted. The estimate is made from the calls inside that were
 * timed. Whether a call inside is timed does not depend on whether this call is timed. So the self
 * times of the timed calls of a throttled function are right on average, though not each of them.
 */
static bool aggregate(const struct dft_intake *intake, const struct dft_call *call, uint64_t start,
                      const struct dft_nest_entry *inside, struct dft_nest_entry *entry)
{
    struct dft_writer *writer = intake->writer;
    uint32_t share = intake->aggregation.by_site ? timed_share(writer, call->site) : 0;
    int64_t untimed = share && !has_own_step(writer, call->site) ? 0 : inside->untimed;
    uint64_t timed = entry->length > inside->length ? entry->length - inside->length : 0;
    struct dft_added_call added = {.site = call->site,
                                   .start_ns = call->start_ns,
                                   .duration_ns = entry->length - entry->pause,
                                   .self_ns = (int64_t)timed - untimed,
                                   .self_estimated = inside->untimed != 0};

    if (!dft_aggregation_takes(&intake->aggregation, call->site, start, added.duration_ns) ||
        !dft_aggregates_add(&dft_batch_job(writer)->aggregates, &intake->aggregation, &added))
        return false;
    entry->added = timed + inside->added;
    entry->untimed = share ? estimate_untimed(writer, added.self_ns, share) : 0;
    return true;
}

void dft_intake_call(const struct dft_intake *intake, struct dft_call call, uint64_t start,
                     const struct dft_record *record, const struct dft_record_view *view)
{
    struct dft_writer *writer = intake->writer;
    struct dft_job *job = dft_batch_job(writer);
    bool own = dft_spool_is_own(writer->spool, call.site);
    struct dft_nest_entry inside = {0}, alone = {.length = call.end_ns - call.start_ns};
    struct dft_nest_entry *entry =
        intake->nest ? dft_nest_end(intake->nest, call.start_ns, call.end_ns, &inside) : &alone;

    entry->pause = own || inside.pause > entry->length ? entry->length : inside.pause;
    if (intake->aggregation.is_wanted && !own && !call.unfinished && !view &&
        aggregate(intake, &call, start, &inside, entry))
        return;
    struct dft_added added = {(int64_t)inside.added + inside.untimed, inside.untimed != 0};
    if (view || (added.ns && !own))
        attach(writer, &call, &added, record, view);
    dft_put_bytes(&job->calls, (const char *)&call, sizeof call);
    job->own += own;
}

void dft_intake_event(const struct dft_intake *intake, uint64_t ns, int32_t tid,
                      const struct dft_record *record, const struct dft_record_view *view)
{
    struct dft_job *job = dft_batch_job(intake->writer);
    struct dft_call event = {.start_ns = ns, .end_ns = ns, .tid = tid};
    const struct dft_added nothing = {0};

    event.site = view->site <= DFT_SITE_MAX ? view->site : 0;
    attach(intake->writer, &event, &nothing, record, view);
    dft_put_bytes(&job->calls, (const char *)&event, sizeof event);
}

void dft_intake_open_calls(const struct dft_intake *intake, const struct dft_record *record,
                           const struct dft_record_view *view)
{
    struct dft_writer *writer = intake->writer;
    size_t size = view->open * sizeof(uint64_t);

    writer->starts.used = 0;
    if (!intake->nest || !dft_buffer_reserve(&writer->starts, size))
        return;
    uint64_t *starts = (uint64_t *)writer->starts.data;
    for (uint32_t i = 0; i < view->open; i++)
        starts[i] = dft_clock_convert(&writer->clock, record[i + 1].start);
    dft_nest_merge(intake->nest, starts, view->open);
}

void dft_intake_end_thread(struct dft_writer *writer, uint32_t slot)
{
    if (writer->nests.used > slot * sizeof(struct dft_nest))
        dft_buffer_release(&((struct dft_nest *)writer->nests.data)[slot].list);
}
