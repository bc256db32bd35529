/*
 * Reads the line tables of a file: which line each address belongs to. Each compilation unit has a
 * header with names of directories and files, and a program that generates rows.
 *
 * Any thread, while holding the private heap's lock. The file is not trusted: nothing outside its
 * sections is read.
 */
#include "runtime/symbols/dwarf_lines.h"
#include "runtime/base/private_heap.h"

#include <stdio.h>
#include <string.h>

#define FILES_MAX 65536u
#define SOURCE_PATH_MAX 4096u

enum { FORM_BLOCK = 0x09, FORM_DATA1 = 0x0b, FORM_DATA2 = 0x05, FORM_DATA4 = 0x06 };
enum { FORM_DATA8 = 0x07, FORM_DATA16 = 0x1e, FORM_STRING = 0x08, FORM_UDATA = 0x0f };
enum { FORM_STRP = 0x0e, FORM_LINE_STRP = 0x1f };
enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };
enum { STANDARD_COPY = 1, STANDARD_ADVANCE_PC, STANDARD_ADVANCE_LINE, STANDARD_SET_FILE };
enum { STANDARD_CONST_ADD_PC = 8, STANDARD_FIXED_ADVANCE_PC = 9 };
enum { EXTENDED_END = 1, EXTENDED_SET_ADDRESS = 2 };

struct cursor {
    const unsigned char *at, *end;
    bool wide; /* offsets have eight bytes instead of four */
    bool broken;
};

/* A section of strings, read when the first string is needed. */
struct text {
    const char *name;
    bool is_read;
    char *bytes;
    uint64_t size;
};

/* The sections, and the receiver of rows. */
struct reading {
    const struct dft_elf_file *file;
    struct text text, line_text;
    dft_dwarf_lines_wanted *wanted;
    dft_dwarf_lines_row *row;
    void *argument;
};

struct source {
    const char *name;
    uint64_t directory;
    char *path; /* filled when the first row needs it */
};

struct unit {
    struct cursor program;
    unsigned version;
    uint8_t shortest, range, opcode_base;
    int8_t line_base;
    const unsigned char *lengths; /* numbers of operands of the standard opcodes */
    const char **directories;
    struct source *sources;
    uint64_t directory_count, source_count;
};

static const void *take(struct cursor *cursor, uint64_t size)
{
    const unsigned char *at = cursor->at;

    if (cursor->broken || size > (uint64_t)(cursor->end - at)) {
        cursor->broken = true;
        return NULL;
    }
    cursor->at += size;
    return at;
}

static uint64_t take_number(struct cursor *cursor, unsigned size)
{
    const unsigned char *bytes = take(cursor, size);
    uint64_t number = 0;

    for (unsigned i = size; bytes && i-- > 0;)
        number = number << 8 | bytes[i];
    return number;
}

static uint64_t take_offset(struct cursor *cursor)
{
    return take_number(cursor, cursor->wide ? 8 : 4);
}

static uint64_t take_leb(struct cursor *cursor, bool is_signed)
{
    uint64_t number = 0;
    unsigned shift = 0;

    for (;;) {
        const unsigned char *byte = take(cursor, 1);
        if (!byte)
            return 0;
        if (shift < 64)
            number |= (uint64_t)(*byte & 0x7f) << shift;
        shift += 7;
        if (!(*byte & 0x80)) {
            if (is_signed && shift < 64 && (*byte & 0x40))
                number |= ~(uint64_t)0 << shift;
            return number;
        }
    }
}

static const char *take_text(struct cursor *cursor)
{
    const unsigned char *end =
        cursor->broken ? NULL : memchr(cursor->at, 0, (size_t)(cursor->end - cursor->at));

    if (!end)
        cursor->broken = true;
    return end ? take(cursor, (uint64_t)(end - cursor->at) + 1) : NULL;
}

/* The string at this offset. It always ends, because elf_file.c adds a NUL after each section. */
static const char *text_at(const struct dft_elf_file *file, struct text *text, uint64_t offset)
{
    if (!text->is_read)
        text->bytes = dft_elf_file_read_debug(file, text->name, &text->size);
    text->is_read = true;
    return text->bytes && offset < text->size ? text->bytes + offset : NULL;
}

struct value {
    const char *text;
    uint64_t number;
};

static struct value take_form(struct reading *reading, struct cursor *cursor, uint64_t form)
{
    switch (form) {
    case FORM_STRING:
        return (struct value){.text = take_text(cursor)};
    case FORM_LINE_STRP:
        return (struct value){.text =
                                  text_at(reading->file, &reading->line_text, take_offset(cursor))};
    case FORM_STRP:
        return (struct value){.text = text_at(reading->file, &reading->text, take_offset(cursor))};
    case FORM_UDATA:
        return (struct value){.number = take_leb(cursor, false)};
    case FORM_DATA1:
        return (struct value){.number = take_number(cursor, 1)};
    case FORM_DATA2:
        return (struct value){.number = take_number(cursor, 2)};
    case FORM_DATA4:
        return (struct value){.number = take_number(cursor, 4)};
    case FORM_DATA8:
        return (struct value){.number = take_number(cursor, 8)};
    case FORM_DATA16:
        take(cursor, 16);
        return (struct value){0};
    case FORM_BLOCK:
        take(cursor, take_leb(cursor, false));
        return (struct value){0};
    default:
        cursor->broken = true;
        return (struct value){0};
    }
}

/* Version 5: a table of entries, preceded by a description of an entry's fields. */
static struct source *take_entries(struct reading *reading, struct cursor *cursor, uint64_t *count)
{
    uint64_t formats[2 * 255] = {0};
    unsigned format_count = (unsigned)take_number(cursor, 1);

    for (unsigned i = 0; i < 2 * format_count; i++)
        formats[i] = take_leb(cursor, false);
    *count = take_leb(cursor, false);
    if (cursor->broken || *count > FILES_MAX)
        return NULL;
    struct source *entries = dft_private_heap_calloc(*count + 1, sizeof *entries);
    for (uint64_t i = 0; entries && i < *count; i++)
        for (unsigned j = 0; j < format_count; j++) {
            struct value value = take_form(reading, cursor, formats[2 * j + 1]);
            if (formats[2 * j] == CONTENT_PATH)
                entries[i].name = value.text;
            else if (formats[2 * j] == CONTENT_DIRECTORY)
                entries[i].directory = value.number;
        }
    return entries;
}

static bool read_tables(struct reading *reading, struct unit *unit, struct cursor *cursor)
{
    struct source *directories = take_entries(reading, cursor, &unit->directory_count);

    if (!directories)
        return false;
    /* Replaces the entries by an array of their names, in the same memory. */
    unit->directories = (const char **)directories;
    for (uint64_t i = 0; i < unit->directory_count; i++)
        unit->directories[i] = directories[i].name;
    unit->sources = take_entries(reading, cursor, &unit->source_count);
    return unit->sources && !cursor->broken;
}

/* Versions 2 to 4: a list of names; directory 0 is that of the compilation. */
static bool read_old_tables(struct unit *unit, struct cursor *cursor)
{
    const char *name;

    unit->directories = dft_private_heap_calloc(1, sizeof *unit->directories);
    unit->directory_count = 1;
    while (unit->directories && (name = take_text(cursor)) && *name &&
           unit->directory_count < FILES_MAX) {
        const char **grown = dft_private_heap_realloc(
            unit->directories, (unit->directory_count + 1) * sizeof *unit->directories);
        if (!grown)
            return false;
        unit->directories = grown;
        unit->directories[unit->directory_count++] = name;
    }
    unit->sources = dft_private_heap_calloc(1, sizeof *unit->sources);
    unit->source_count = 1;
    while (unit->sources && (name = take_text(cursor)) && *name && unit->source_count < FILES_MAX) {
        struct source *grown = dft_private_heap_realloc(unit->sources, (unit->source_count + 1) *
                                                                           sizeof *unit->sources);
        if (!grown)
            return false;
        unit->sources = grown;
        unit->sources[unit->source_count++] = (struct source){name, take_leb(cursor, false), NULL};
        take_leb(cursor, false); /* modification time and size */
        take_leb(cursor, false);
    }
    return unit->directories && unit->sources && !cursor->broken;
}

/* The path as it was given to the compiler. */
static const char *path_of(struct unit *unit, uint64_t number)
{
    char path[SOURCE_PATH_MAX];
    struct source *source = number < unit->source_count ? &unit->sources[number] : NULL;

    if (!source || !source->name)
        return NULL;
    if (source->path)
        return source->path;
    const char *directory = source->directory > 0 && source->directory < unit->directory_count
                                ? unit->directories[source->directory]
                                : NULL;
    bool joined = directory && source->name[0] != '/';
    snprintf(path, sizeof path, "%s%s%s", joined ? directory : "", joined ? "/" : "", source->name);
    return source->path = dft_private_heap_strdup(path);
}

struct row {
    uint64_t address, file;
    uint32_t line;
};

static bool emit(const struct reading *reading, struct unit *unit, const struct row *row)
{
    if (row->line == 0 || !reading->wanted(reading->argument, row->address))
        return true;
    const char *path = path_of(unit, row->file);
    return !path || reading->row(reading->argument, row->address, path, row->line);
}

static bool run_extended(struct cursor *cursor, struct row *row)
{
    uint64_t length = take_leb(cursor, false);
    const unsigned char *bytes = take(cursor, length);
    struct cursor inner = {bytes, bytes ? bytes + length : NULL, false, !bytes};

    if (!bytes || length == 0)
        return false;
    switch (take_number(&inner, 1)) {
    case EXTENDED_END:
        *row = (struct row){0, 1, 1};
        break;
    case EXTENDED_SET_ADDRESS:
        row->address = take_number(&inner, length - 1 <= 8 ? (unsigned)length - 1 : 8);
        break;
    default:
        break;
    }
    return true;
}

static bool run_standard(const struct reading *reading, struct unit *unit, unsigned opcode,
                         struct row *row)
{
    struct cursor *cursor = &unit->program;

    switch (opcode) {
    case STANDARD_COPY:
        return emit(reading, unit, row);
    case STANDARD_ADVANCE_PC:
        row->address += take_leb(cursor, false) * unit->shortest;
        break;
    case STANDARD_ADVANCE_LINE:
        row->line += (uint32_t)take_leb(cursor, true);
        break;
    case STANDARD_SET_FILE:
        row->file = take_leb(cursor, false);
        break;
    case STANDARD_CONST_ADD_PC:
        row->address += (uint64_t)((255u - unit->opcode_base) / unit->range) * unit->shortest;
        break;
    case STANDARD_FIXED_ADVANCE_PC:
        row->address += take_number(cursor, 2);
        break;
    default:
        for (unsigned i = 0; i < unit->lengths[opcode - 1]; i++)
            take_leb(cursor, false);
        break;
    }
    return true;
}

static bool run_program(const struct reading *reading, struct unit *unit)
{
    struct cursor *cursor = &unit->program;
    struct row row = {0, 1, 1};

    while (!cursor->broken && cursor->at < cursor->end) {
        unsigned opcode = (unsigned)take_number(cursor, 1);
        if (opcode >= unit->opcode_base) {
            unsigned step = opcode - unit->opcode_base;
            row.address += (uint64_t)(step / unit->range) * unit->shortest;
            row.line += (uint32_t)(unit->line_base + (int)(step % unit->range));
            if (!emit(reading, unit, &row))
                return false;
        } else if (opcode == 0 ? !run_extended(cursor, &row)
                               : !run_standard(reading, unit, opcode, &row)) {
            return opcode == 0;
        }
    }
    return true;
}

/* False if the rest of the section cannot be read. */
static bool read_unit(struct reading *reading, struct cursor *section)
{
    struct unit unit = {0};
    struct cursor cursor = {0};
    uint64_t length = take_number(section, 4);

    if (length == UINT32_MAX) {
        cursor.wide = true;
        length = take_number(section, 8);
    }
    cursor.at = take(section, length);
    cursor.end = cursor.at ? cursor.at + length : NULL;
    if (!cursor.at)
        return false;
    unit.version = (unsigned)take_number(&cursor, 2);
    if (unit.version < 2 || unit.version > 5)
        return true;
    if (unit.version == 5)
        take(&cursor, 2); /* sizes of addresses and of segment selectors */
    uint64_t header = take_offset(&cursor);
    unit.program = cursor;
    if (!take(&unit.program, header))
        return true;
    unit.shortest = (uint8_t)take_number(&cursor, 1);
    take(&cursor, unit.version >= 4 ? 2 : 1); /* operations per instruction, is_stmt */
    unit.line_base = (int8_t)take_number(&cursor, 1);
    unit.range = (uint8_t)take_number(&cursor, 1);
    unit.opcode_base = (uint8_t)take_number(&cursor, 1);
    unit.lengths = take(&cursor, unit.opcode_base ? unit.opcode_base - 1u : 0u);
    if (cursor.broken || unit.range == 0 || unit.opcode_base == 0)
        return true;
    bool go_on = true;
    if (unit.version == 5 ? read_tables(reading, &unit, &cursor) : read_old_tables(&unit, &cursor))
        go_on = run_program(reading, &unit);
    for (uint64_t i = 0; unit.sources && i < unit.source_count; i++)
        dft_private_heap_free(unit.sources[i].path);
    dft_private_heap_free(unit.directories);
    dft_private_heap_free(unit.sources);
    return go_on;
}

void dft_dwarf_lines_read(const struct dft_elf_file *file, dft_dwarf_lines_wanted *wanted,
                          dft_dwarf_lines_row *row, void *argument)
{
    struct reading reading = {.file = file,
                              .text = {.name = ".debug_str"},
                              .line_text = {.name = ".debug_line_str"},
                              .wanted = wanted,
                              .row = row,
                              .argument = argument};
    uint64_t size;
    char *bytes = dft_elf_file_read_debug(file, ".debug_line", &size);
    struct cursor section = {(const unsigned char *)bytes,
                             bytes ? (const unsigned char *)bytes + size : NULL, false, !bytes};

    while (!section.broken && section.at < section.end && read_unit(&reading, &section))
        continue;
    dft_private_heap_free(bytes);
    dft_private_heap_free(reading.text.bytes);
    dft_private_heap_free(reading.line_text.bytes);
}
