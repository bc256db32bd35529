/*
 * Symbol tables: read once for each module, sorted by address, found by binary search.
 *
 * Any thread, at the first call of a function, while holding the private heap's lock, with signals
 * blocked.
 */
#include "runtime/symbols/symbols.h"
#include "runtime/base/private_heap.h"
#include "runtime/symbols/dwarf_lines.h"
#include "runtime/symbols/elf_file.h"
#include "writer/gzip/crc32.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_ROOT "/usr/lib/debug"

struct symbol {
    uint64_t address;
    uint32_t name;
    uint32_t rank; /* of several symbols at one address, the lowest rank is used */
    uint32_t line; /* 0: unknown */
    const char *file;
};

struct source {
    struct source *next;
    char path[];
};

struct dft_symbols {
    struct dft_symbols *next;
    uintptr_t bias;
    const ElfW(Phdr) * headers;
    bool complete;
    bool has_lines;
    struct symbol *symbols;
    size_t count;
    char *names;
    size_t names_size;
    struct source *sources; /* most recently used first */
};

static struct dft_symbols *known;
static unsigned long long known_unloaded;

static uint32_t rank_of(const ElfW(Sym) * symbol)
{
    switch (symbol->st_info >> 4) {
    case STB_GLOBAL:
        return 0;
    case STB_WEAK:
        return 1;
    default:
        return 2;
    }
}

static bool is_before(const struct symbol *a, const struct symbol *b)
{
    if (a->address != b->address)
        return a->address < b->address;
    return a->rank != b->rank ? a->rank < b->rank : a->name < b->name;
}

static void sift_down(struct symbol *symbols, size_t at, size_t count)
{
    struct symbol moved = symbols[at];

    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(&symbols[child], &symbols[child + 1]))
            child++;
        if (!is_before(&moved, &symbols[child]))
            break;
        symbols[at] = symbols[child];
    }
    symbols[at] = moved;
}

/* Heapsort: libc's qsort may use the program's heap. */
static void sort(struct symbol *symbols, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(symbols, i, count);
    for (size_t i = count; i-- > 1;) {
        struct symbol last = symbols[i];
        symbols[i] = symbols[0];
        symbols[0] = last;
        sift_down(symbols, 0, i);
    }
}

/*
 * Whether the symbol's address is in this module. This is the case even for some undefined symbols:
 * if a non-PIE executable takes the address of another module's function, every module uses the
 * address of the executable's PLT entry.
 */
static bool is_at_home(const ElfW(Sym) * symbol)
{
    return symbol->st_shndx != SHN_UNDEF || symbol->st_value != 0;
}

/* Cuts off the version, which linkers append to the names of other modules' symbols. */
static void cut_version(char *name)
{
    char *version = strchr(name, '@');

    if (version)
        *version = '\0';
}

static bool read_table(struct dft_symbols *into, const struct dft_elf_file *file,
                       const ElfW(Shdr) * section)
{
    if (!section || section->sh_link >= file->header.e_shnum)
        return false;
    const ElfW(Shdr) *strings = &file->sections[section->sh_link];
    char *table = dft_elf_file_read(file, section);
    char *names = dft_elf_file_read(file, strings);
    size_t count = section->sh_size / sizeof(ElfW(Sym));
    struct symbol *symbols =
        table && names ? dft_private_heap_alloc(count * sizeof *symbols + 1) : NULL;
    if (!symbols) {
        dft_private_heap_free(table);
        dft_private_heap_free(names);
        return false;
    }
    into->symbols = symbols;
    into->names = names;
    into->names_size = strings->sh_size;
    for (size_t i = 0; i < count; i++) {
        ElfW(Sym) symbol;
        memcpy(&symbol, table + i * sizeof symbol, sizeof symbol);
        if (symbol.st_shndx == SHN_UNDEF && symbol.st_name < into->names_size)
            cut_version(names + symbol.st_name);
        unsigned type = symbol.st_info & 0xf;
        if ((type == STT_FUNC || type == STT_GNU_IFUNC) && is_at_home(&symbol) &&
            symbol.st_name < into->names_size && names[symbol.st_name])
            symbols[into->count++] =
                (struct symbol){symbol.st_value, symbol.st_name, rank_of(&symbol), 0, NULL};
    }
    dft_private_heap_free(table);
    sort(symbols, into->count);
    return true;
}

/*
 * Whether the file is of the same build as the module. Otherwise it does not describe the module.
 */
static bool is_same_build(const struct dft_elf_file *file, const struct dft_module *module)
{
    unsigned char id[DFT_BUILD_ID_MAX];
    unsigned size = dft_elf_file_build_id(file, id, sizeof id);

    return size == 0 || module->build_id_size == 0 ||
           (size == module->build_id_size && memcmp(id, module->build_id, size) == 0);
}

static bool has_checksum(const struct dft_elf_file *file, uint32_t wanted)
{
    static char bytes[1 << 16]; /* protected by the private heap's lock */
    uint32_t sum = 0;
    ssize_t length;

    if (lseek(file->fd, 0, SEEK_SET) != 0)
        return false;
    while ((length = read(file->fd, bytes, sizeof bytes)) > 0)
        sum = dft_crc32(sum, bytes, (size_t)length);
    return length == 0 && sum == wanted;
}

/* The first symbol at this address, or NULL. */
static struct symbol *find(const struct dft_symbols *symbols, uint64_t address)
{
    size_t low = 0, high = symbols->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->symbols[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < symbols->count && symbols->symbols[low].address == address ? &symbols->symbols[low]
                                                                            : NULL;
}

static bool wants_row(void *argument, uint64_t address)
{
    const struct symbol *symbol = find(argument, address);

    return symbol && symbol->line == 0;
}

static const char *keep_path(struct dft_symbols *into, const char *path)
{
    for (struct source **at = &into->sources; *at; at = &(*at)->next)
        if (strcmp((*at)->path, path) == 0) {
            struct source *found = *at;
            *at = found->next;
            found->next = into->sources;
            into->sources = found;
            return found->path;
        }
    struct source *source = dft_private_heap_alloc(sizeof *source + strlen(path) + 1);
    if (!source)
        return NULL;
    memcpy(source->path, path, strlen(path) + 1);
    source->next = into->sources;
    into->sources = source;
    return source->path;
}

static bool take_row(void *argument, uint64_t address, const char *file, uint32_t line)
{
    struct dft_symbols *into = argument;
    struct symbol *symbol = find(into, address);

    symbol->file = keep_path(into, file);
    symbol->line = symbol->file ? line : 0;
    into->has_lines = true;
    return symbol->file != NULL;
}

/*
 * Reads a file that is known to belong to the module. False if another file may have more symbols
 * or lines.
 */
static bool read_symbols(struct dft_symbols *into, const struct dft_elf_file *file)
{
    if (!into->complete)
        into->complete = read_table(into, file, dft_elf_file_section_of_type(file, SHT_SYMTAB));
    if (into->complete)
        dft_dwarf_lines_read(file, wants_row, take_row, into);
    return into->complete && into->has_lines;
}

static bool try_debug_file(struct dft_symbols *into, const char *path,
                           const struct dft_module *module, const uint32_t *checksum)
{
    struct dft_elf_file file;

    if (!dft_elf_file_open(&file, path))
        return false;
    bool right = checksum ? has_checksum(&file, *checksum)
                          : module->build_id_size && is_same_build(&file, module);
    bool read = right && read_symbols(into, &file);
    dft_elf_file_close(&file);
    return read;
}

static bool try_build_id(struct dft_symbols *into, const struct dft_module *module)
{
    static char path[sizeof DEBUG_ROOT + 2 * DFT_BUILD_ID_MAX + 32];
    char *at = path + snprintf(path, sizeof path, DEBUG_ROOT "/.build-id/");

    if (module->build_id_size < 2)
        return false;
    for (size_t i = 0; i < module->build_id_size; i++)
        at += snprintf(at, 4, i == 0 ? "%02x/" : "%02x", module->build_id[i]);
    snprintf(at, sizeof ".debug", ".debug");
    return try_debug_file(into, path, module, NULL);
}

/* Section .gnu_debuglink: a file name, padded to four bytes, and the checksum of the file. */
static bool try_debug_link(struct dft_symbols *into, const struct dft_elf_file *file,
                           const char *module_path)
{
    static const char *const places[] = {"%s/%s", "%s/.debug/%s", DEBUG_ROOT "%s/%s"};
    static char real[PATH_MAX], path[2 * PATH_MAX + 32];
    const ElfW(Shdr) *section = dft_elf_file_section(file, ".gnu_debuglink");
    char *link = dft_elf_file_read(file, section);
    size_t sum_at = link ? (strlen(link) + 4) / 4 * 4 : 0;
    bool found = false;
    uint32_t sum;

    if (link && sum_at + sizeof sum <= section->sh_size && !strchr(link, '/')) {
        /* Debug files are searched next to the real file, with symbolic links resolved. */
        snprintf(path, sizeof path, "/proc/thread-self/fd/%d", file->fd);
        ssize_t length = readlink(path, real, sizeof real - 1);
        if (length > 0)
            real[length] = '\0';
        else
            snprintf(real, sizeof real, "%s", module_path);
        char *slash = strrchr(real, '/');
        if (slash)
            *slash = '\0';
        memcpy(&sum, link + sum_at, sizeof sum);
        for (size_t i = 0; slash && !found && i < sizeof places / sizeof *places; i++) {
            snprintf(path, sizeof path, places[i], real, link);
            found = try_debug_file(into, path, NULL, &sum);
        }
    }
    dft_private_heap_free(link);
    return found;
}

static void read_module(struct dft_symbols *into, const struct dft_module *module)
{
    const char *path = dft_loaded_modules_path(module);
    struct dft_elf_file file;

    if (!dft_elf_file_open(&file, path))
        return;
    if (is_same_build(&file, module)) {
        if (!read_symbols(into, &file) && !try_build_id(into, module))
            try_debug_link(into, &file, path);
        if (!into->complete)
            read_table(into, &file, dft_elf_file_section_of_type(&file, SHT_DYNSYM));
    }
    dft_elf_file_close(&file);
}

static void forget(struct dft_symbols *symbols)
{
    dft_private_heap_free(symbols->symbols);
    dft_private_heap_free(symbols->names);
    while (symbols->sources) {
        struct source *next = symbols->sources->next;
        dft_private_heap_free(symbols->sources);
        symbols->sources = next;
    }
    dft_private_heap_free(symbols);
}

struct dft_symbols *dft_symbols_of(const struct dft_module *module)
{
    static struct dft_symbols none;

    /* A module may have been loaded at the address of an unloaded one. */
    if (module->unloaded != known_unloaded)
        while (known) {
            struct dft_symbols *next = known->next;
            forget(known);
            known = next;
        }
    known_unloaded = module->unloaded;
    for (struct dft_symbols *symbols = known; symbols; symbols = symbols->next)
        if (symbols->bias == module->bias && symbols->headers == module->headers)
            return symbols;
    struct dft_symbols *symbols = dft_private_heap_calloc(1, sizeof *symbols);
    if (!symbols)
        return &none;
    symbols->bias = module->bias;
    symbols->headers = module->headers;
    symbols->next = known;
    known = symbols;
    read_module(symbols, module);
    return symbols;
}

bool dft_symbols_are_complete(const struct dft_symbols *symbols)
{
    return symbols->complete;
}

const char *dft_symbols_name(const struct dft_symbols *symbols, uint64_t address)
{
    const struct symbol *symbol = find(symbols, address);

    return symbol ? symbols->names + symbol->name : NULL;
}

bool dft_symbols_line(const struct dft_symbols *symbols, uint64_t address, const char **file,
                      uint32_t *line)
{
    const struct symbol *symbol = find(symbols, address);

    if (!symbol || symbol->line == 0)
        return false;
    *file = symbol->file;
    *line = symbol->line;
    return true;
}
