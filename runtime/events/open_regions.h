/* Open regions of the calling thread: their values, and those that dftrace_begin has begun. */
#ifndef DFT_RUNTIME_EVENTS_OPEN_REGIONS_H
#define DFT_RUNTIME_EVENTS_OPEN_REGIONS_H

#include "dftrace/events.h"
#include "runtime/base/tls.h"
#include "runtime/events/event_values.h"
#include "spool/attachments.h"

/* What is kept of an open region until it ends. */
struct dft_open_region {
    uint64_t start;   /* of its frame; if that differs, the rest is outdated */
    uint32_t skipped; /* regions that were begun inside it and are not recorded */
    uint16_t flags;   /* of its event */
    bool is_begun;    /* by dftrace_begin: dftrace_end may end it */
    struct dft_event_bytes values;
};

/* One for each frame of this thread; NULL before its first region of this kind. */
extern DFT_TLS struct dft_open_region *dft_open_regions;

/* The region in this frame; NULL if nothing is kept of it. */
static inline struct dft_open_region *dft_open_regions_find(const struct dft_thread *self,
                                                            const struct dft_frame *frame)
{
    struct dft_open_region *region =
        dft_open_regions ? &dft_open_regions[frame - self->frames] : NULL;

    return region && region->start == frame->start && region->start ? region : NULL;
}

/*
 * In a frame that is left below a region although its call has ended: see end_wrapper in
 * hooks/slow_path.c. No record has such an address. Cleared when the frame is popped, so that a frame
 * that is being filled never has it.
 */
#define DFT_FRAME_HOLE UINT32_MAX

/* Whether the region in this frame was begun by dftrace_begin. */
static inline bool dft_open_regions_is_begun(const struct dft_thread *self,
                                             const struct dft_frame *frame)
{
    const struct dft_open_region *region = dft_open_regions_find(self, frame);

    return region && region->is_begun;
}

/* The first region that was begun in this call by dftrace_begin and is still open; NULL: none. */
struct dft_frame *dft_open_regions_outliving(const struct dft_thread *self,
                                             const struct dft_frame *call);

/* See dftrace/events.h. Any thread, signal handlers included. The options ask for a trace. */
void dft_open_regions_values(uint64_t token, const struct dftrace_value *values, uint32_t count);
/* The same for the call of a guest in this frame. Its values are all in one map. */
void dft_open_regions_call_values(const struct dft_frame *frame, const struct dftrace_value *values,
                                  uint32_t count);
/* The same for the name of a region for which there is no room: it becomes a value. */
void dft_open_regions_value_of_name(uint64_t token, const struct dftrace_event *event);
void dft_open_regions_begin(struct dftrace_event *event, const struct dftrace_value *values,
                            uint32_t count);
void dft_open_regions_end(void);

/* Adds the values of the region in this frame. */
void dft_open_regions_add_values(const struct dft_thread *self, const struct dft_frame *frame,
                                 struct dft_attachments *all);

/* Called when the thread ends. */
void dft_open_regions_release(void);

/* Exchanges what is kept for this thread's slot. */
void dft_open_regions_exchange(struct dft_open_region **regions, uint32_t *skipped);

#endif
