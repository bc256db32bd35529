/*
 * Converts ticks to CLOCK_MONOTONIC nanoseconds, along line segments through anchors.
 *
 * The conversion is one monotone function for the whole trace, and it always converts a tick to the
 * same value. So calls that nest in ticks nest in nanoseconds. Used by one writer; takes no lock.
 */
#ifndef DFT_WRITER_TICK_CLOCK_H
#define DFT_WRITER_TICK_CLOCK_H

#include "spool/format.h"
#include "writer/buffer.h"

struct dft_clock {
    enum dft_clock_kind kind;
    struct dft_buffer segments; /* of struct dft_clock_segment, by ticks */
    struct dft_anchor last;     /* newest anchor */
    struct dft_anchor bend;     /* anchor of the newest bend: the rate is measured from there */
    uint64_t frontier;          /* highest tick that was converted */
    struct dft_clock_segment current; /* segment of the latest conversion, */
    uint64_t span;                    /* and how many ticks it is good for */

    struct dft_clock_segment *kept; /* where the spool has a copy of the segments; or NULL */
    _Atomic uint32_t *kept_count;
    size_t kept_max;
};

/* The rate is measured from `first` on, and is exact enough after this time. */
#define DFT_CLOCK_BASELINE_NS 20000000u

void dft_clock_init(struct dft_clock *clock, enum dft_clock_kind kind,
                    const struct dft_anchor *first);

/*
 * First takes over the segments in `kept`, from an earlier writer. From then on, also stores each
 * new segment there for a later writer, as long as there is room.
 */
void dft_clock_keep(struct dft_clock *clock, struct dft_clock_segment *kept,
                    _Atomic uint32_t *kept_count, size_t kept_max);

/*
 * If the line deviates too far from the true time, adds segments that lead back to it. `anchor`
 * must be newer than all earlier anchors.
 */
void dft_clock_add(struct dft_clock *clock, const struct dft_anchor *anchor);

uint64_t dft_clock_convert_slowly(struct dft_clock *clock, uint64_t ticks);

static inline uint64_t dft_clock_convert(struct dft_clock *clock, uint64_t ticks)
{
    uint64_t distance = ticks - clock->current.ticks;

    if (distance >= clock->span)
        return dft_clock_convert_slowly(clock, ticks);
    if (ticks > clock->frontier)
        clock->frontier = ticks;
    return clock->current.ns +
           (uint64_t)((unsigned __int128)distance * clock->current.rate >> DFT_CLOCK_FRACTION);
}

void dft_clock_release(struct dft_clock *clock);

#endif
