/*
 * Normalizes source paths and src: patterns.
 *
 * Purely lexical, without access to files: the sources need not exist when a list is applied, and
 * with symbolic links a rule would mean different things on different machines.
 */
#include "internal.h"

#include <string.h>

static bool is_parent(const char *text, size_t length)
{
    return length == 2 && text[0] == '.' && text[1] == '.';
}

/*
 * Appends the components of `text` to `path`, which is "" or "/a/b". A ".." that has no parent to
 * remove is kept in a relative path and ignored in an absolute one.
 */
static void append_components(struct dft_path *path, const char *text)
{
    while (*text) {
        size_t size = strcspn(text, "/");
        bool is_idle = size == 0 || (size == 1 && text[0] == '.');
        if (is_parent(text, size)) {
            size_t last = path->length;
            while (last > 0 && path->text[last - 1] != '/')
                last--;
            bool has_parent = last > 0 && !is_parent(path->text + last, path->length - last);
            if (has_parent)
                path->length = last - 1;
            is_idle = has_parent || path->absolute;
        }
        if (!is_idle) {
            path->text[path->length++] = '/';
            memcpy(path->text + path->length, text, size);
            path->length += size;
        }
        text += size;
        text += *text == '/';
    }
}

void dft_path_make(const char *directory, const char *source, char *buffer, struct dft_path *path)
{
    bool is_joined = directory && source[0] != '/';
    path->text = buffer;
    path->length = 0;
    path->absolute = (is_joined ? directory : source)[0] == '/';
    if (is_joined)
        append_components(path, directory);
    append_components(path, source);
    if (path->length == 0)
        path->text[path->length++] = '/';
    path->text[path->length] = '\0';
}

static bool has_opcode(const char *code, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (code[i] >= DFT_CODE_STAR && code[i] <= DFT_CODE_CLASS)
            return true;
    return false;
}

/*
 * Appends one component to `code`, whose first `used` bytes are normalized; `root` of them are the
 * leading slash. Returns the new length. "a/.." is removed only if "a" is plain text, because "a*"
 * may match several components.
 */
static size_t settle_component(char *code, size_t used, size_t root, const char *component,
                               size_t size)
{
    if (size == 0 || (size == 1 && component[0] == '.'))
        return used;
    if (is_parent(component, size)) {
        size_t last = used;
        while (last > root && code[last - 1] != '/')
            last--;
        if (used == root)
            return used;
        if (!has_opcode(code + last, used - last) && !is_parent(code + last, used - last))
            return last > root ? last - 1 : root;
    }
    if (used > root)
        code[used++] = '/';
    memmove(code + used, component, size);
    return used + size;
}

bool dft_path_settle_pattern(struct dft_pattern *pattern, bool *is_absolute)
{
    char *code = pattern->code;
    size_t length = pattern->length;
    *is_absolute = length > 0 && code[0] == '/';
    bool is_folder = length > 0 && code[length - 1] == '/';
    size_t root = *is_absolute;
    size_t used = root;
    for (size_t i = 0; i < length;) {
        const char *slash = memchr(code + i, '/', length - i);
        size_t size = (slash ? (size_t)(slash - code) : length) - i;
        used = settle_component(code, used, root, code + i, size);
        i += size + 1;
    }
    if (is_folder && used > 0) {
        if (used > root)
            code[used++] = '/';
        code[used++] = DFT_CODE_STAR;
    }
    pattern->length = used;
    return used > 0;
}
