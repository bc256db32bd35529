/* From a list of instructions to the bytes of a code object. */
#include "python/rewrite/code.h"

enum {
    LOCATION_ONE_LINE = 10,
    LOCATION_NO_COLUMNS = 13,
    LOCATION_LONG = 14,
    LOCATION_NONE = 15,
    MOST_UNITS_OF_ENTRY = 8,
};

void dft_py_buffer_add(struct dft_py_buffer *buffer, unsigned byte)
{
    if (buffer->size == buffer->capacity) {
        Py_ssize_t capacity = buffer->capacity ? buffer->capacity * 2 : 256;
        uint8_t *grown = buffer->failed ? NULL : PyMem_Realloc(buffer->bytes, (size_t)capacity);
        if (!grown) {
            buffer->failed = true;
            return;
        }
        buffer->bytes = grown;
        buffer->capacity = capacity;
    }
    buffer->bytes[buffer->size++] = (uint8_t)byte;
}

void dft_py_encoded_free(struct dft_py_encoded *encoded)
{
    PyMem_Free(encoded->code.bytes);
    PyMem_Free(encoded->lines.bytes);
    PyMem_Free(encoded->exceptions.bytes);
    *encoded = (struct dft_py_encoded){0};
}

static int count_prefixes(uint32_t arg)
{
    return (arg > 0xFF) + (arg > 0xFFFF) + (arg > 0xFFFFFF);
}

/* Gives every instruction a place. Returns whether one became longer, which moves the others. */
static bool place(struct dft_py_code *code, const struct dft_py_bytecode *table)
{
    bool grown = false;
    int at = 0;
    for (int i = 0; i < code->count; i++) {
        struct dft_py_instruction *instruction = &code->instructions[i];
        int units = table->units[instruction->op] + count_prefixes(instruction->arg);
        if (units > instruction->units) { /* never shorter again, so that this ends */
            instruction->units = units;
            grown = true;
        }
        instruction->at = at;
        at += instruction->units;
    }
    code->units = at;
    return grown;
}

static bool measure_jumps(struct dft_py_code *code, const struct dft_py_bytecode *table)
{
    for (int i = 0; i < code->count; i++) {
        struct dft_py_instruction *instruction = &code->instructions[i];
        if (instruction->target < 0) {
            continue;
        }
        int distance =
            code->instructions[instruction->target].at - (instruction->at + instruction->units);
        if (table->jumps[instruction->op] == DFT_PY_BACKWARD) {
            distance = -distance;
        }
        if (distance < 0) {
            return false;
        }
        instruction->arg = (uint32_t)distance;
    }
    return true;
}

static bool place_all(struct dft_py_code *code, const struct dft_py_bytecode *table)
{
    for (int i = 0; i < code->count; i++) {
        code->instructions[i].units = 0;
        if (code->instructions[i].target >= 0) {
            code->instructions[i].arg = 0;
        }
    }
    while (place(code, table)) {
        if (!measure_jumps(code, table)) {
            return false;
        }
    }
    return measure_jumps(code, table);
}

static void write_instruction(struct dft_py_buffer *buffer,
                              const struct dft_py_instruction *instruction,
                              const struct dft_py_bytecode *table)
{
    int caches = table->units[instruction->op] - 1;
    for (int prefix = instruction->units - caches - 1; prefix > 0; prefix--) {
        dft_py_buffer_add(buffer, table->extended_arg);
        dft_py_buffer_add(buffer, instruction->arg >> (8 * prefix) & 0xFF);
    }
    dft_py_buffer_add(buffer, instruction->op);
    dft_py_buffer_add(buffer, instruction->arg & 0xFF);
    for (int i = 0; i < 2 * caches; i++) {
        dft_py_buffer_add(buffer, 0);
    }
}

static void write_number(struct dft_py_buffer *buffer, unsigned value)
{
    for (; value >= 64; value >>= 6) {
        dft_py_buffer_add(buffer, 64 | (value & 63));
    }
    dft_py_buffer_add(buffer, value);
}

static void write_difference(struct dft_py_buffer *buffer, int value)
{
    write_number(buffer, value < 0 ? (unsigned)-value << 1 | 1 : (unsigned)value << 1);
}

/* One entry for up to 8 units. `line` is that of the entry before. */
static void write_location(struct dft_py_buffer *buffer, struct dft_py_location location, int units,
                           int *line)
{
    unsigned first = 128 | (unsigned)(units - 1);
    if (location.line < 0) {
        dft_py_buffer_add(buffer, first | LOCATION_NONE << 3);
        return;
    }
    int difference = location.line - *line, width = location.end_column - location.column;
    bool columns = location.column >= 0 && location.end_column >= 0;
    bool one_line = location.end_line == location.line;
    *line = location.line;
    if (one_line && !columns && location.column == -1 && location.end_column == -1) {
        dft_py_buffer_add(buffer, first | LOCATION_NO_COLUMNS << 3);
        write_difference(buffer, difference);
    } else if (one_line && columns && difference == 0 && location.column < 80 && width >= 0 &&
               width < 16) {
        dft_py_buffer_add(buffer, first | (unsigned)(location.column >> 3) << 3);
        dft_py_buffer_add(buffer, (unsigned)(location.column & 7) << 4 | (unsigned)width);
    } else if (one_line && columns && difference >= 0 && difference < 3 && location.column < 128 &&
               location.end_column < 128) {
        dft_py_buffer_add(buffer, first | (unsigned)(LOCATION_ONE_LINE + difference) << 3);
        dft_py_buffer_add(buffer, (unsigned)location.column);
        dft_py_buffer_add(buffer, (unsigned)location.end_column);
    } else {
        dft_py_buffer_add(buffer, first | LOCATION_LONG << 3);
        write_difference(buffer, difference);
        write_number(buffer, (unsigned)(location.end_line - location.line));
        write_number(buffer, (unsigned)(location.column + 1));
        write_number(buffer, (unsigned)(location.end_column + 1));
    }
}

static bool same_location(struct dft_py_location a, struct dft_py_location b)
{
    return a.line == b.line && a.end_line == b.end_line && a.column == b.column &&
           a.end_column == b.end_column;
}

void dft_py_encode_lines(const struct dft_py_code *code, struct dft_py_buffer *lines)
{
    int line = code->first_line;
    for (int i = 0; i < code->count;) {
        struct dft_py_location location = code->instructions[i].location;
        int units = 0;
        for (; i < code->count && same_location(location, code->instructions[i].location); i++) {
            units += code->instructions[i].units;
        }
        for (; units > MOST_UNITS_OF_ENTRY; units -= MOST_UNITS_OF_ENTRY) {
            write_location(lines, location, MOST_UNITS_OF_ENTRY, &line);
        }
        write_location(lines, location, units, &line);
    }
}

/* The first byte of an entry is marked. */
static void write_entry_number(struct dft_py_buffer *buffer, unsigned value, unsigned mark)
{
    for (int shift = 24; shift > 0; shift -= 6) {
        if (value >> shift) {
            dft_py_buffer_add(buffer, (value >> shift & 63) | 64 | mark);
            mark = 0;
        }
    }
    dft_py_buffer_add(buffer, (value & 63) | mark);
}

static void encode_exceptions(const struct dft_py_code *code, struct dft_py_buffer *exceptions)
{
    for (int i = 0; i < code->count;) {
        int number = code->instructions[i].handler, start = code->instructions[i].at, end = start;
        for (; i < code->count && code->instructions[i].handler == number; i++) {
            end = code->instructions[i].at + code->instructions[i].units;
        }
        if (number >= 0) {
            const struct dft_py_handler *handler = &code->handlers[number];
            write_entry_number(exceptions, (unsigned)start, 128);
            write_entry_number(exceptions, (unsigned)(end - start), 0);
            write_entry_number(exceptions, (unsigned)code->instructions[handler->target].at, 0);
            write_entry_number(exceptions, (unsigned)handler->depth << 1 | handler->with_position,
                               0);
        }
    }
}

bool dft_py_encode(struct dft_py_code *code, const struct dft_py_bytecode *table,
                   struct dft_py_encoded *encoded)
{
    *encoded = (struct dft_py_encoded){0};
    if (!place_all(code, table)) {
        return false;
    }
    for (int i = 0; i < code->count; i++) {
        write_instruction(&encoded->code, &code->instructions[i], table);
    }
    dft_py_encode_lines(code, &encoded->lines);
    encode_exceptions(code, &encoded->exceptions);
    return !encoded->code.failed && !encoded->lines.failed && !encoded->exceptions.failed;
}
