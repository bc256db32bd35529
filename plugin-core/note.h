/*
 * The ELF note of a translation unit. It states that the unit was compiled with the plugin, and
 * with which allowlist.
 */
#ifndef DFT_PLUGIN_CORE_NOTE_H
#define DFT_PLUGIN_CORE_NOTE_H

#include "allowlist/allowlist.h"
#include "plugin-core/string.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dft_note {
    const struct dft_allowlist *allowlist;
    const char *allowlist_path; /* as it was given */
    unsigned functions;         /* how many have hooks */
    bool big_endian;            /* byte order of the target, which may not be the host's */
};

/* The bytes of the section: header, name and description (struct dftrace_note_unit). */
void dft_note_make(const struct dft_note *note, struct dft_string *bytes);

#ifdef __cplusplus
}
#endif
#endif
