/*
 * Reading records. They may be damaged, or another thread may be writing them. Any thread; no
 * state.
 */
#include "spool/spool.h"

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
    if ((kind == DFT_RECORD_LONG && view->units == 2) ||
        (kind == DFT_RECORD_ATTACHED && view->units >= 2) ||
        (kind == DFT_RECORD_INSTANT && view->units >= 2)) {
        const struct dft_record_long *more = (const struct dft_record_long *)(record + 1);
        view->site = more->site & ~DFT_RECORD_EXTENDED;
        view->duration = more->duration;
        view->attached = view->units - 2;
        if (kind == DFT_RECORD_INSTANT)
            view->kind = DFT_RECORDED_INSTANT;
        else if (view->site)
            view->kind = DFT_RECORDED_CALL;
    } else if (kind == DFT_RECORD_OPEN) {
        view->open = view->units - 1;
    }
    return true;
}
