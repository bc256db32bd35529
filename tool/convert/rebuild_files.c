/*
 * Names of files in I/O calls: texts in JSON, hashes in DFTracer's lines. Encoders get them as
 * references to an entry of the site table, and write what their format has.
 */
#include "tool/convert/rebuild.h"

#include <string.h>

#define HASH_KEY "fhash"
#define HASH_SUFFIX "_hash"

/* Whether the arg of an I/O call names a file, by what key, and whether by a hash. */
static bool is_file(struct dft_text key, struct dft_text *plain, bool *is_hash)
{
    size_t suffix = strlen(HASH_SUFFIX);

    *is_hash = true;
    if (dft_text_is(key, HASH_KEY)) {
        *plain = dft_text("file");
        return true;
    }
    if (key.length > suffix && memcmp(key.at + key.length - suffix, HASH_SUFFIX, suffix) == 0) {
        *plain = (struct dft_text){key.at, key.length - suffix};
        return true;
    }
    *is_hash = false;
    *plain = key;
    return dft_text_is(key, "file") || dft_text_is(key, "newpath");
}

bool dft_rebuild_is_file(const struct dft_event *event, struct dft_text key)
{
    struct dft_text plain;
    bool is_hash;

    return dft_io_is_call(event) && is_file(key, &plain, &is_hash);
}

/* False: the value is no name, or a hash of none that is known. */
static bool add_name(struct dft_rebuild *rebuild, struct dft_reader *reader,
                     const struct dft_event *event, const struct dft_arg *arg)
{
    unsigned char bytes[64];
    struct dft_fields fields = {bytes, sizeof bytes};
    struct dft_text key, name;
    bool is_hash;

    is_file(arg->key, &key, &is_hash);
    if (arg->value.length == 0 || *arg->value.at != '"')
        return false;
    name = dft_reader_decode(reader, arg->value);
    struct dft_text found = is_hash ? dft_file_hashes_resolve(&rebuild->files, name) : name;
    if (is_hash && found.at == name.at)
        return false;
    uint32_t number =
        dft_encoding_file(dft_rebuild_process(rebuild, event), dft_rebuild_text(rebuild, found));
    if (!dft_fields_put_name(
            &fields, (struct dft_field_key){DFT_FIELD_INLINE_KEY, (uint32_t)key.length, key.at},
            number))
        return false;
    dft_attachment_list_add(&rebuild->attachments, DFT_ATTACHMENT_FIELDS, bytes,
                            (size_t)(fields.at - bytes));
    return true;
}

void dft_rebuild_files(struct dft_rebuild *rebuild, struct dft_reader *reader,
                       const struct dft_event *event)
{
    for (size_t i = 0; i < event->arg_count; i++) {
        const struct dft_arg *arg = &event->args[i];

        if (dft_rebuild_is_file(event, arg->key) && !add_name(rebuild, reader, event, arg))
            dft_attachment_list_add_arg(&rebuild->attachments, arg->key, arg->value,
                                        &rebuild->scratch);
    }
}
