/* Reads ELF files. Any thread, while holding the private heap's lock, with signals blocked. */
#include "runtime/symbols/elf_file.h"
#include "os/file_status.h"
#include "runtime/base/log.h"
#include "runtime/base/private_heap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_MAX (1ull << 30)

static bool read_at(int fd, void *bytes, uint64_t size, uint64_t offset)
{
    char *at = bytes;

    while (size > 0) {
        ssize_t length = pread(fd, at, size, (off_t)offset);
        if (length < 0 && errno == EINTR)
            continue;
        if (length <= 0)
            return false;
        at += length;
        size -= (uint64_t)length;
        offset += (uint64_t)length;
    }
    return true;
}

static char *read_part(const struct dft_elf_file *file, uint64_t offset, uint64_t size)
{
    if (size == 0 || size > PART_MAX || offset > file->size || size > file->size - offset)
        return NULL;
    char *bytes = dft_private_heap_alloc(size + 1);
    if (bytes && !read_at(file->fd, bytes, size, offset)) {
        dft_private_heap_free(bytes);
        return NULL;
    }
    if (bytes)
        bytes[size] = '\0';
    return bytes;
}

static bool read_headers(struct dft_elf_file *file)
{
    ElfW(Ehdr) *header = &file->header;

    if (!read_at(file->fd, header, sizeof *header, 0) ||
        memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        header->e_shentsize != sizeof *file->sections)
        return false;
    file->sections = (void *)read_part(file, header->e_shoff,
                                       (uint64_t)header->e_shnum * sizeof *file->sections);
    if (!file->sections || header->e_shstrndx >= header->e_shnum)
        return false;
    const ElfW(Shdr) *names = &file->sections[header->e_shstrndx];
    file->names = read_part(file, names->sh_offset, names->sh_size);
    file->names_size = names->sh_size;
    return file->names != NULL;
}

bool dft_elf_file_open(struct dft_elf_file *file, const char *path)
{
    struct stat status;

    memset(file, 0, sizeof *file);
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file->fd < 0)
        return false;
    if (dft_file_status(file->fd, &status) == 0 && S_ISREG(status.st_mode)) {
        file->size = (uint64_t)status.st_size;
        if (read_headers(file))
            return true;
    }
    dft_elf_file_close(file);
    return false;
}

void dft_elf_file_close(struct dft_elf_file *file)
{
    dft_private_heap_free(file->sections);
    dft_private_heap_free(file->names);
    close(file->fd);
}

const ElfW(Shdr) * dft_elf_file_section(const struct dft_elf_file *file, const char *name)
{
    for (unsigned i = 0; i < file->header.e_shnum; i++)
        if (file->sections[i].sh_name < file->names_size &&
            strcmp(file->names + file->sections[i].sh_name, name) == 0)
            return &file->sections[i];
    return NULL;
}

const ElfW(Shdr) * dft_elf_file_section_of_type(const struct dft_elf_file *file, unsigned type)
{
    for (unsigned i = 0; i < file->header.e_shnum; i++)
        if (file->sections[i].sh_type == type)
            return &file->sections[i];
    return NULL;
}

char *dft_elf_file_read(const struct dft_elf_file *file, const ElfW(Shdr) * section)
{
    if (!section || section->sh_type == SHT_NOBITS || (section->sh_flags & SHF_COMPRESSED))
        return NULL;
    return read_part(file, section->sh_offset, section->sh_size);
}

static void report_compressed(void)
{
    static bool reported;

    if (!reported)
        dft_log(DFT_LEVEL_ERROR,
                "compressed debug sections are not read: functions have no file and line, and src: "
                "rules do not match them. `objcopy --decompress-debug-sections FILE` helps, or "
                "compiling with -gz=none");
    reported = true;
}

char *dft_elf_file_read_debug(const struct dft_elf_file *file, const char *name, uint64_t *size)
{
    const ElfW(Shdr) *section = dft_elf_file_section(file, name);

    if (section && section->sh_flags & SHF_COMPRESSED)
        report_compressed();
    *size = section ? section->sh_size : 0;
    return dft_elf_file_read(file, section);
}

unsigned dft_elf_file_build_id(const struct dft_elf_file *file, unsigned char *id, unsigned room)
{
    const ElfW(Shdr) *section = dft_elf_file_section(file, ".note.gnu.build-id");
    char *bytes = dft_elf_file_read(file, section);
    unsigned size = 0;

    if (bytes && section->sh_size >= sizeof(ElfW(Nhdr)) + 4) {
        ElfW(Nhdr) note;
        memcpy(&note, bytes, sizeof note);
        if (note.n_namesz == 4 && note.n_descsz <= room &&
            sizeof note + 4 + note.n_descsz <= section->sh_size) {
            size = note.n_descsz;
            memcpy(id, bytes + sizeof note + 4, size);
        }
    }
    dft_private_heap_free(bytes);
    return size;
}
