/*
 * Reading records. They may be damaged, or another thread may be writing them. Any thread; no
 * state.
 */
#include "spool/spool.h"

/* What a record with the layout of DFT_RECORD_ATTACHED is; NOTHING for other layouts. */
static enum dft_recorded_kind kind_of(uint32_t kind, uint32_t units)
{
    switch (kind) {
    case DFT_RECORD_LONG:
        return units == 2 ? DFT_RECORDED_CALL : DFT_RECORDED_NOTHING;
    case DFT_RECORD_ATTACHED:
        return units >= 2 ? DFT_RECORDED_CALL : DFT_RECORDED_NOTHING;
    case DFT_RECORD_INSTANT:
    case DFT_RECORD_COUNTER:
    case DFT_RECORD_FLOW:
    case DFT_RECORD_METADATA:
    case DFT_RECORD_THREAD_NAME:
        return units >= 2 ? DFT_RECORDED_INSTANT + (kind - DFT_RECORD_INSTANT)
                          : DFT_RECORDED_NOTHING;
    default:
        return DFT_RECORDED_NOTHING;
    }
}

bool dft_spool_read_record(const struct dft_record *record, uint32_t room,
                           struct dft_record_view *view)
{
    uint32_t site = __atomic_load_n(&record->site, __ATOMIC_ACQUIRE);

    *view = (struct dft_record_view){
        .start = record->start, .duration = record->duration, .site = site, .units = 1};
    if (!(site & DFT_RECORD_EXTENDED)) {
        view->kind = site ? DFT_RECORDED_CALL : DFT_RECORDED_NOTHING;
        return true;
    }
    view->site = 0;
    view->units = DFT_RECORD_UNITS(site) + 1;
    if (view->units > room)
        return false;
    uint32_t kind = DFT_RECORD_KIND(site);
    enum dft_recorded_kind recorded = kind_of(kind, view->units);
    if (recorded != DFT_RECORDED_NOTHING) {
        const struct dft_record_long *more = (const struct dft_record_long *)(record + 1);
        view->site = more->site & ~DFT_RECORD_EXTENDED;
        view->duration = more->duration;
        view->detail = record->duration;
        view->attached = view->units - 2;
        if (recorded != DFT_RECORDED_CALL || view->site)
            view->kind = recorded;
    } else if (kind == DFT_RECORD_OPEN) {
        view->open = view->units - 1;
    }
    return true;
}
