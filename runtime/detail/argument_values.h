/*
 * Arguments and results of calls: read when a call begins and before it returns, kept with its
 * frame until it ends.
 */
#ifndef DFT_RUNTIME_DETAIL_ARGUMENT_VALUES_H
#define DFT_RUNTIME_DETAIL_ARGUMENT_VALUES_H

#include "runtime/session/thread.h"
#include "spool/attachments.h"

/* Adds the values of the call in this frame. */
void dft_argument_values_end(const struct dft_thread *self, const struct dft_frame *frame,
                             struct dft_attachments *all);

/* Called when the thread ends. */
void dft_argument_values_release(void);

/* Exchanges what is kept for the frames of this thread's slot. */
void dft_argument_values_exchange(void **other);

#endif
