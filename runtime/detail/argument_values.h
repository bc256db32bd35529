/*
 * Arguments and results of calls: taken when the call begins and before it returns, kept with its
 * frame until it ends.
 */
#ifndef DFT_RUNTIME_DETAIL_ARGUMENT_VALUES_H
#define DFT_RUNTIME_DETAIL_ARGUMENT_VALUES_H

#include "runtime/session/thread.h"
#include "spool/attachments.h"

/* Adds what was taken of the call whose frame this is. */
void dft_argument_values_end(const struct dft_thread *self, const struct dft_frame *frame,
                             struct dft_attachments *all);

/* The thread ends. */
void dft_argument_values_release(void);

#endif
