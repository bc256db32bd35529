/* The ELF note of a translation unit. Stateless. */
#include "plugin-core/note.h"

#include "dftrace/abi.h"

#include <stdint.h>
#include <string.h>

static void append_word(struct dft_string *bytes, uint32_t word, bool big_endian)
{
    for (int i = 0; i < 4; i++) {
        char byte = (char)(word >> (big_endian ? 24 - 8 * i : 8 * i));
        dft_string_append(bytes, &byte, 1);
    }
}

void dft_note_make(const struct dft_note *note, struct dft_string *bytes)
{
    struct dft_allowlist_hash hash = dft_allowlist_hash(note->allowlist);
    size_t path_size = strlen(note->allowlist_path) + 1;
    size_t description = sizeof(struct dftrace_note_unit) + path_size + sizeof hash.text;

    append_word(bytes, sizeof DFTRACE_NOTE_NAME, note->big_endian);
    append_word(bytes, (uint32_t)description, note->big_endian);
    append_word(bytes, DFTRACE_NOTE_UNIT, note->big_endian);
    dft_string_append(bytes, DFTRACE_NOTE_NAME, sizeof DFTRACE_NOTE_NAME);
    append_word(bytes, DFTRACE_ABI, note->big_endian);
    append_word(bytes, note->functions, note->big_endian);
    dft_string_append(bytes, note->allowlist_path, path_size);
    dft_string_append(bytes, hash.text, sizeof hash.text);
    while (bytes->length % 4 != 0)
        dft_string_append(bytes, "", 1);
}
