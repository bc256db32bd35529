/*
 * Reads an allowlist file into memory and hands it to the parser.
 */
#include "file.h"
#include "internal.h"

#include <stdlib.h>

static const struct dft_file_kind any_file = {"allowlist", DFT_FILE_MAX, false};
static const struct dft_file_kind regular_file = {"allowlist", DFT_FILE_MAX, true};

static struct dft_allowlist *load(const char *path, const struct dft_file_kind *kind,
                                  struct dft_allowlist_error *error)
{
    struct dft_allowlist *list = NULL;
    char *text;
    size_t length;

    if (dft_file_read(kind, path, &text, &length, error))
        list = dft_allowlist_parse(text, length, error);
    free(text);
    return list;
}

struct dft_allowlist *dft_allowlist_load(const char *path, struct dft_allowlist_error *error)
{
    return load(path, &any_file, error);
}

struct dft_allowlist *dft_allowlist_load_regular(const char *path,
                                                 struct dft_allowlist_error *error)
{
    return load(path, &regular_file, error);
}

/* Regular files only: reading a pipe would consume what the compiler is to read. */
bool dft_allowlist_hash_file(const char *path, struct dft_allowlist_hash *hash)
{
    char *text;
    size_t length;
    bool done = dft_file_read(&regular_file, path, &text, &length, NULL);

    if (done)
        *hash = dft_list_hash_text(dft_list_hash(text, length));
    free(text);
    return done;
}
