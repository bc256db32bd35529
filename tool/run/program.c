/*
 * Examines program files. They are untrusted: every offset is checked against the size of the file.
 */
#include "tool/run/program.h"

#include "allowlist/allowlist.h"
#include "dftrace/abi.h"
#include "tool/base/tool.h"
#include "tool/run/environment.h"
#include "tool/run/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE
#endif

#define SCRIPTS_MAX 4 /* as the kernel has it */

/* Copies one program header: it may be unaligned. */
static bool read_segment(const struct dft_image *image, const Elf64_Ehdr *header, unsigned i,
                         Elf64_Phdr *segment)
{
    if (header->e_phentsize != sizeof *segment)
        return false;
    const void *at =
        dft_image_part(image, header->e_phoff + (uint64_t)i * sizeof *segment, sizeof *segment);
    if (at && header->e_phoff <= image->size)
        memcpy(segment, at, sizeof *segment);
    return at != NULL && header->e_phoff <= image->size;
}

static uint64_t align(uint64_t size, uint64_t unit)
{
    return (size + unit - 1) / unit * unit;
}

struct findings {
    bool has_interpreter;
    uint64_t units;     /* compiled with the plugin */
    uint64_t functions; /* with hooks */
    char *allowlist;    /* of the last unit, and its hash */
    struct dft_allowlist_hash hash;
    char *changed; /* an allowlist that has changed since a unit was compiled with it */
};

/* A unit's allowlist and its hash, if the note has one. Most units have the same. */
static void check_allowlist(struct findings *findings, const char *text, size_t size)
{
    struct dft_allowlist_hash hash, now;
    size_t length = strnlen(text, size);

    if (findings->changed || length == 0 || size - length != 1 + sizeof hash.text ||
        text[size - 1] != '\0')
        return;
    memcpy(hash.text, text + length + 1, sizeof hash.text);
    if (findings->allowlist && strcmp(findings->allowlist, text) == 0 &&
        strcmp(findings->hash.text, hash.text) == 0)
        return;
    free(findings->allowlist);
    findings->allowlist = dft_tool_copy(text, length);
    findings->hash = hash;
    if (dft_allowlist_hash_file(findings->allowlist, &now) && strcmp(now.text, hash.text) != 0)
        findings->changed = dft_tool_copy(text, length);
}

static void read_notes(const struct dft_image *image, const Elf64_Phdr *segment,
                       struct findings *findings)
{
    uint64_t unit = segment->p_align == 8 ? 8 : 4;
    uint64_t at = segment->p_offset, left = segment->p_filesz;

    if (!dft_image_part(image, at, left))
        return;
    while (left >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        struct dftrace_note_unit described;
        memcpy(&note, dft_image_part(image, at, sizeof note), sizeof note);
        uint64_t description = align(sizeof note + note.n_namesz, unit);
        uint64_t whole = align(description + note.n_descsz, unit);
        if (whole > left)
            return;
        if (note.n_type == DFTRACE_NOTE_UNIT && note.n_namesz == sizeof DFTRACE_NOTE_NAME &&
            note.n_descsz > sizeof described &&
            memcmp(dft_image_part(image, at + sizeof note, note.n_namesz), DFTRACE_NOTE_NAME,
                   note.n_namesz) == 0) {
            memcpy(&described, dft_image_part(image, at + description, sizeof described),
                   sizeof described);
            findings->units++;
            findings->functions += described.functions;
            check_allowlist(findings,
                            dft_image_part(image, at + description + sizeof described,
                                           note.n_descsz - sizeof described),
                            note.n_descsz - sizeof described);
        }
        at += whole;
        left -= whole;
    }
}

/*
 * Whether the file contains this word anywhere, as it does if it is the name of a dynamic symbol.
 */
static bool mentions(const struct dft_image *image, const char *word)
{
    return image->data && memmem(image->data, image->size, word, strlen(word) + 1) != NULL;
}

static bool has_dynamic_symbol(const struct dft_image *image, const Elf64_Ehdr *header,
                               const char *name)
{
    for (unsigned i = 0; i < header->e_shnum; i++) {
        Elf64_Shdr table, strings;
        if (!dft_image_section(image, header, i, &table))
            return mentions(image, name);
        if (table.sh_type != SHT_DYNSYM || table.sh_link >= header->e_shnum)
            continue;
        if (!dft_image_section(image, header, table.sh_link, &strings))
            return false;
        const struct dft_image names = {dft_image_part(image, strings.sh_offset, strings.sh_size),
                                        strings.sh_size};
        return mentions(&names, name);
    }
    return header->e_shnum == 0 && mentions(image, name); /* it has no section table */
}

static enum dft_program_kind inspect_elf(const struct dft_image *image, struct findings *findings)
{
    Elf64_Ehdr header;

    if (image->size < sizeof header)
        return DFT_PROGRAM_UNKNOWN;
    memcpy(&header, image->data, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != OWN_MACHINE)
        return DFT_PROGRAM_OTHER_MACHINE;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        if (!read_segment(image, &header, i, &segment))
            return DFT_PROGRAM_UNKNOWN;
        if (segment.p_type == PT_INTERP)
            findings->has_interpreter = true;
        else if (segment.p_type == PT_NOTE)
            read_notes(image, &segment, findings);
    }
    if (findings->units == 0)
        return has_dynamic_symbol(image, &header, "__cyg_profile_func_enter") ? DFT_PROGRAM_HOOKED
                                                                              : DFT_PROGRAM_PLAIN;
    if (findings->functions == 0)
        return DFT_PROGRAM_UNMATCHED;
    if (!findings->has_interpreter)
        return DFT_PROGRAM_STATIC;
    if (header.e_type == ET_EXEC && !has_dynamic_symbol(image, &header, "__dftrace_register"))
        return DFT_PROGRAM_SETTLED;
    return DFT_PROGRAM_FINE;
}

static bool is_privileged(int fd, const struct stat *status)
{
    return (status->st_mode & S_ISUID && status->st_uid != getuid()) ||
           ((status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
            status->st_gid != getgid()) ||
           (getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

/*
 * The interpreter of a script ("#!INTERPRETER ARGUMENT"), to be freed; NULL if it is not a script.
 */
static char *read_interpreter(const struct dft_image *image)
{
    char line[256] = "";

    if (image->size < 2 || memcmp(image->data, "#!", 2) != 0)
        return NULL;
    memcpy(line, image->data + 2,
           image->size - 2 < sizeof line ? image->size - 2 : sizeof line - 1);
    char *begin = line + strspn(line, " \t");
    begin[strcspn(begin, " \t\n")] = '\0';
    return *begin ? dft_tool_copy(begin, strlen(begin)) : NULL;
}

static enum dft_program_kind inspect(const char *path, unsigned depth, struct findings *findings)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    enum dft_program_kind kind = DFT_PROGRAM_UNKNOWN;
    struct stat status;
    struct dft_image image = {0};
    char *interpreter = NULL;

    if (fd < 0)
        return kind;
    if (fstat(fd, &status) == 0)
        dft_image_map(&image, fd);
    if (image.data && image.size >= SELFMAG && memcmp(image.data, ELFMAG, SELFMAG) == 0)
        kind = is_privileged(fd, &status) ? DFT_PROGRAM_PRIVILEGED : inspect_elf(&image, findings);
    else if (image.data && depth < SCRIPTS_MAX)
        interpreter = read_interpreter(&image);
    dft_image_unmap(&image);
    close(fd);
    if (interpreter)
        kind = inspect(interpreter, depth + 1, findings);
    free(interpreter);
    return kind;
}

enum dft_program_kind dft_program_inspect(const char *path, char **changed_allowlist)
{
    struct findings findings = {0};
    enum dft_program_kind kind = inspect(path, 0, &findings);

    free(findings.allowlist);
    if (changed_allowlist)
        *changed_allowlist = findings.changed;
    else
        free(findings.changed);
    return kind;
}

static bool can_run(const char *path, int *error)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return false;
    if (S_ISDIR(status.st_mode) || access(path, X_OK) != 0) {
        *error = S_ISDIR(status.st_mode) ? EISDIR : errno;
        return false;
    }
    return true;
}

char *dft_program_find(const char *name)
{
    const char *path = dft_environment_get("PATH");
    int error = ENOENT;

    if (strchr(name, '/')) {
        struct stat status;
        if (can_run(name, &error))
            return dft_tool_copy(name, strlen(name));
        errno = stat(name, &status) == 0 ? error : errno;
        return NULL;
    }
    for (const char *at = path ? path : "/bin:/usr/bin"; *name && at;) {
        size_t length = strcspn(at, ":");
        char *candidate = dft_tool_format("%.*s%s%s", (int)length, at, length ? "/" : "./", name);
        if (can_run(candidate, &error))
            return candidate;
        free(candidate);
        at = at[length] ? at + length + 1 : NULL;
    }
    errno = error == EISDIR ? ENOENT : error;
    return NULL;
}

/* By its name: an interpreter looks like any other program. */
static bool is_python(const char *path)
{
    static const char name[] = "python";
    const char *slash = strrchr(path, '/');

    return strncmp(slash ? slash + 1 : path, name, sizeof name - 1) == 0;
}

void dft_program_explain(enum dft_program_kind kind, const char *path)
{
    switch (kind) {
    case DFT_PROGRAM_FINE:
        break;
    case DFT_PROGRAM_UNKNOWN:
        dft_tool_error("nothing was traced: %s is no program that dftrace knows how to trace",
                       path);
        break;
    case DFT_PROGRAM_PLAIN:
        if (is_python(path))
            dft_tool_error("nothing was traced: -t NAME says which functions of Python are traced "
                           "(CPython 3.11 or later), and none of them was called");
        else
            dft_tool_error(
                "nothing was traced: %s was not compiled with the dftrace plugin, nor was "
                "any program that it started with the variables of dftrace run; "
                "dftrace config --cflags --allowlist FILE prints the flags for that",
                path);
        break;
    case DFT_PROGRAM_HOOKED:
        dft_tool_error("nothing was traced: %s was compiled with -finstrument-functions; -e "
                       "ALLOWLIST=FILE says which functions are traced, and none of those that "
                       "were called is",
                       path);
        break;
    case DFT_PROGRAM_UNMATCHED:
        dft_tool_error("nothing was traced: no rule of its allowlist matches a function of %s; "
                       "-fplugin-arg-dftrace-report=FILE lists every function with the reason",
                       path);
        break;
    case DFT_PROGRAM_STATIC:
        dft_tool_error("nothing was traced: %s is a static executable without the runtime, and "
                       "nothing can be loaded into it; link it with what dftrace config --libs "
                       "--static prints",
                       path);
        break;
    case DFT_PROGRAM_SETTLED:
        dft_tool_error("nothing was traced: %s is not position-independent and was linked without "
                       "the runtime, which settled its hooks as absent; link it with -pie, or with "
                       "what dftrace config --libs prints",
                       path);
        break;
    case DFT_PROGRAM_OTHER_MACHINE:
        dft_tool_error("nothing was traced: %s is for another kind of processor than this dftrace",
                       path);
        break;
    case DFT_PROGRAM_PRIVILEGED:
        dft_tool_error("nothing was traced: %s is set-uid, set-gid or has capabilities, and such "
                       "programs ignore the environment; run a copy without these rights",
                       path);
        break;
    }
}
