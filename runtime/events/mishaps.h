/*
 * What a program did wrong with dftrace.h, and what could not be recorded of it: counted, and
 * reported in one line when the session ends.
 */
#ifndef DFT_RUNTIME_EVENTS_MISHAPS_H
#define DFT_RUNTIME_EVENTS_MISHAPS_H

enum dft_mishap {
    DFT_MISHAP_END,    /* an end without a beginning */
    DFT_MISHAP_NAME,   /* no name, key or text where one is needed */
    DFT_MISHAP_NAMES,  /* more different names than the table has room for */
    DFT_MISHAP_VALUES, /* values that do not fit, or were cut */
    DFT_MISHAP_TRACK,  /* no such track, or no room for it */
    DFT_MISHAP_EVENT,  /* events that could not be recorded for other reasons */
    DFT_MISHAPS,
};

/* Any thread, signal handlers included. */
void dft_mishaps_count(enum dft_mishap mishap);

/* Reports what was counted, if anything was. Called once, when the session ends. */
void dft_mishaps_report(void);

/* In a forked child, for fork.c. */
void dft_mishaps_in_child(void);

#endif
