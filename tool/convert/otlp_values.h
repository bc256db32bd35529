/*
 * Values of events as OTLP/JSON has them.
 */
#ifndef DFT_TOOL_CONVERT_OTLP_VALUES_H
#define DFT_TOOL_CONVERT_OTLP_VALUES_H

#include "tool/trace/reader.h"

/* The attributes of a call or an instant, separated by commas. */
void dft_otlp_put_attributes(FILE *out, const struct dft_event *event);

/* The members of a JSON object, without its braces, as attributes. */
void dft_otlp_put_members(FILE *out, struct dft_text members);

#endif
