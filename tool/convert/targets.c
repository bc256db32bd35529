/*
 * The table of output formats.
 */
#include "tool/convert/convert.h"

#include <string.h>

const struct dft_target *dft_target_at(size_t index)
{
#define TARGET(name) &dft_target_##name,
    static const struct dft_target *const targets[] = {DFT_TARGETS(TARGET)};
#undef TARGET

    return index < sizeof targets / sizeof *targets ? targets[index] : NULL;
}

const struct dft_target *dft_target_find(const char *name)
{
    const struct dft_target *target;

    for (size_t i = 0; (target = dft_target_at(i)); i++) {
        if (strcmp(target->name, name) == 0)
            return target;
    }
    return NULL;
}

/* The length of the target's longest extension that the path has; 0: it has none. */
static size_t match_extension(const struct dft_target *target, struct dft_text path)
{
    const char *at = target->extensions;
    size_t longest = 0;

    while (*at) {
        size_t length = strcspn(at, " ");

        if (length > longest && path.length > length &&
            memcmp(path.at + path.length - length, at, length) == 0)
            longest = length;
        at += length + strspn(at + length, " ");
    }
    return longest;
}

const struct dft_target *dft_target_of_path(const char *path)
{
    struct dft_text text = dft_text(path);
    const struct dft_target *target, *best = NULL;
    size_t longest = 0;

    if (dft_text_ends_with(text, ".gz"))
        text.length -= strlen(".gz");
    for (size_t i = 0; (target = dft_target_at(i)); i++) {
        size_t length = match_extension(target, text);

        if (length > longest) {
            longest = length;
            best = target;
        }
    }
    return best;
}
