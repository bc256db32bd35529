/*
 * Args of an event, which are JSON, as the attachments that an encoder knows.
 */
#ifndef DFT_TOOL_CONVERT_ARG_FIELDS_H
#define DFT_TOOL_CONVERT_ARG_FIELDS_H

#include "spool/fields.h"
#include "spool/format.h"
#include "tool/base/scratch.h"
#include "tool/base/text.h"

/* Attachments, one after the other. All zero initially. */
struct dft_attachment_list {
    unsigned char *bytes;
    size_t used;
    size_t room;
};

void dft_attachment_list_add(struct dft_attachment_list *list, enum dft_attachment_kind kind,
                             const void *bytes, size_t length);

/* Adds a field. `raw` is a value in JSON. False if the value was cut or left out. */
bool dft_attachment_list_add_arg(struct dft_attachment_list *list, struct dft_text key,
                                 struct dft_text raw, struct dft_scratch *scratch);

#endif
