/* From the bytes of a code object to a list of instructions, each with its location and its exception handler. Whatever
   does not look as the compiler writes it is refused. */
#include "python/rewrite/code.h"

#include <limits.h>

enum {
    MOST_UNITS = 1 << 24, /* longer functions are left alone */
    LOCATION_SHORT_END = 10,
    LOCATION_ONE_LINE_END = 13,
    LOCATION_NO_COLUMNS = 13,
    LOCATION_LONG = 14,
    LOCATION_NONE = 15,
};

static void *grow(void *items, int *capacity, size_t size)
{
    int wanted = *capacity ? *capacity * 2 : 64;
    void *grown = PyMem_Realloc(items, (size_t)wanted * size);
    if (grown) {
        *capacity = wanted;
    }
    return grown;
}

int dft_py_code_add(struct dft_py_code *code, struct dft_py_instruction instruction)
{
    if (code->count == code->capacity) {
        struct dft_py_instruction *grown =
            grow(code->instructions, &code->capacity, sizeof *code->instructions);
        if (!grown) {
            code->failed = true;
            return -1;
        }
        code->instructions = grown;
    }
    code->instructions[code->count] = instruction;
    return code->count++;
}

int dft_py_code_add_handler(struct dft_py_code *code, struct dft_py_handler handler)
{
    if (code->handler_count == code->handler_capacity) {
        struct dft_py_handler *grown =
            grow(code->handlers, &code->handler_capacity, sizeof *code->handlers);
        if (!grown) {
            code->failed = true;
            return -1;
        }
        code->handlers = grown;
    }
    code->handlers[code->handler_count] = handler;
    return code->handler_count++;
}

void dft_py_code_free(struct dft_py_code *code)
{
    PyMem_Free(code->instructions);
    PyMem_Free(code->handlers);
    *code = (struct dft_py_code){0};
}

/* Reads the instruction at *at, with its EXTENDED_ARGs and caches. */
static bool read_instruction(const uint8_t *bytes, int units, int *at,
                             const struct dft_py_bytecode *table,
                             struct dft_py_instruction *instruction)
{
    int from = *at, next = *at;
    uint32_t arg = 0;
    while (next < units && bytes[2 * next] == table->extended_arg) {
        if (next - from == 3) {
            return false;
        }
        arg = arg << 8 | bytes[2 * next++ + 1];
    }
    if (next == units) {
        return false;
    }
    uint8_t op = bytes[2 * next];
    int end = next + table->units[op];
    if (end == next || end > units) {
        return false;
    }
    *instruction = (struct dft_py_instruction){.op = op,
                                               .arg = arg << 8 | bytes[2 * next + 1],
                                               .target = -1,
                                               .handler = -1,
                                               .at = from,
                                               .units = end - from};
    *at = end;
    return true;
}

static bool find_target(struct dft_py_instruction *instruction, int units,
                        const struct dft_py_bytecode *table, const int *index_at)
{
    if (!table->jumps[instruction->op]) {
        return true;
    }
    int64_t distance = instruction->arg;
    if (table->jumps[instruction->op] == DFT_PY_BACKWARD) {
        distance = -distance;
    }
    int64_t target = instruction->at + instruction->units + distance;
    if (target < 0 || target >= units || index_at[target] < 0) {
        return false;
    }
    instruction->target = index_at[target];
    return true;
}

/* `index_at` has an element for each unit, and one for the end. */
static bool decode(struct dft_py_code *code, const struct dft_py_bytecode *table,
                   struct dft_py_texts texts, int *index_at)
{
    for (int i = 0; i < code->units; i++) {
        index_at[i] = -1;
    }
    for (int at = 0; at < code->units;) {
        struct dft_py_instruction instruction;
        if (!read_instruction(texts.code.bytes, code->units, &at, table, &instruction)) {
            return false;
        }
        index_at[instruction.at] = dft_py_code_add(code, instruction);
        if (code->failed) {
            return false;
        }
    }
    index_at[code->units] = code->count;
    for (int i = 0; i < code->count; i++) {
        if (!find_target(&code->instructions[i], code->units, table, index_at)) {
            return false;
        }
    }
    return dft_py_decode_lines(code, texts.lines) &&
           dft_py_decode_exceptions(code, texts.exceptions, index_at);
}

bool dft_py_decode(struct dft_py_code *code, const struct dft_py_bytecode *table,
                   struct dft_py_texts texts, int first_line)
{
    *code = (struct dft_py_code){.first_line = first_line};
    if (texts.code.size == 0 || texts.code.size % 2 != 0 || texts.code.size / 2 > MOST_UNITS) {
        return false;
    }
    code->units = (int)(texts.code.size / 2);
    int *index_at = PyMem_Malloc(((size_t)code->units + 1) * sizeof *index_at);
    if (!index_at) {
        code->failed = true;
        return false;
    }
    bool understood = decode(code, table, texts, index_at);
    PyMem_Free(index_at);
    return understood;
}

/* A number of 6 bits a byte, the lowest first; `*at` moves on. False at the end of the text. */
static bool read_number(struct dft_py_text text, Py_ssize_t *at, int *value)
{
    uint32_t number = 0;
    for (int shift = 0; shift < 30 && *at < text.size; shift += 6) {
        uint8_t byte = text.bytes[(*at)++];
        number |= (uint32_t)(byte & 63) << shift;
        if (!(byte & 64)) {
            *value = (int)number;
            return true;
        }
    }
    return false;
}

static bool read_difference(struct dft_py_text text, Py_ssize_t *at, int *value)
{
    int number;
    if (!read_number(text, at, &number)) {
        return false;
    }
    *value = number & 1 ? -(number >> 1) : number >> 1;
    return true;
}

static bool read_long(struct dft_py_text text, Py_ssize_t *at, int *line,
                      struct dft_py_location *location)
{
    int difference, lines;
    if (!read_difference(text, at, &difference) || !read_number(text, at, &lines) ||
        !read_number(text, at, &location->column) ||
        !read_number(text, at, &location->end_column)) {
        return false;
    }
    *line += difference;
    location->line = *line;
    location->end_line = *line + lines;
    location->column--;
    location->end_column--;
    return true;
}

/* Reads what follows the first byte of an entry, whose code is `form`. */
static bool read_location(struct dft_py_text text, Py_ssize_t *at, int form, int *line,
                          struct dft_py_location *location)
{
    *location = (struct dft_py_location){-1, -1, -1, -1};
    if (form == LOCATION_NONE) {
        return true;
    }
    if (form == LOCATION_LONG) {
        return read_long(text, at, line, location);
    }
    if (form == LOCATION_NO_COLUMNS) {
        int difference;
        if (!read_difference(text, at, &difference)) {
            return false;
        }
        *line += difference;
    } else if (form >= LOCATION_SHORT_END) {
        if (text.size - *at < 2) {
            return false;
        }
        *line += form - LOCATION_SHORT_END;
        location->column = text.bytes[(*at)++];
        location->end_column = text.bytes[(*at)++];
    } else {
        if (text.size == *at) {
            return false;
        }
        uint8_t byte = text.bytes[(*at)++];
        location->column = form << 3 | byte >> 4;
        location->end_column = location->column + (byte & 15);
    }
    location->line = location->end_line = *line;
    return true;
}

bool dft_py_decode_lines(struct dft_py_code *code, struct dft_py_text lines)
{
    int line = code->first_line, unit = 0, next = 0;
    for (Py_ssize_t at = 0; at < lines.size;) {
        uint8_t first = lines.bytes[at++];
        struct dft_py_location location;
        if (!(first & 128) || !read_location(lines, &at, first >> 3 & 15, &line, &location)) {
            return false;
        }
        unit += (first & 7) + 1;
        for (; next < code->count && code->instructions[next].at < unit; next++) {
            code->instructions[next].location = location;
        }
    }
    return next == code->count && unit == code->units;
}

/* A number of the exception table: 6 bits a byte, the highest first. */
static bool read_entry_number(struct dft_py_text text, Py_ssize_t *at, int *value)
{
    int number = 0;
    for (int count = 0; count < 5 && *at < text.size; count++) {
        uint8_t byte = text.bytes[(*at)++];
        number = number << 6 | (byte & 63);
        if (!(byte & 64)) {
            *value = number;
            return true;
        }
    }
    return false;
}

static int find_handler(struct dft_py_code *code, struct dft_py_handler handler)
{
    for (int i = code->handler_count; i-- > 0;) {
        const struct dft_py_handler *known = &code->handlers[i];
        if (known->target == handler.target && known->depth == handler.depth &&
            known->with_position == handler.with_position) {
            return i;
        }
    }
    return dft_py_code_add_handler(code, handler);
}

bool dft_py_decode_exceptions(struct dft_py_code *code, struct dft_py_text exceptions,
                              const int *index_at)
{
    int last_end = 0;
    for (Py_ssize_t at = 0; at < exceptions.size;) {
        int start, length, target, depth;
        if (!(exceptions.bytes[at] & 128) || !read_entry_number(exceptions, &at, &start) ||
            !read_entry_number(exceptions, &at, &length) ||
            !read_entry_number(exceptions, &at, &target) ||
            !read_entry_number(exceptions, &at, &depth)) {
            return false;
        }
        int end = start + length;
        if (start < last_end || end < start || end > code->units || target >= code->units ||
            index_at[start] < 0 || index_at[end] < 0 || index_at[target] < 0) {
            return false;
        }
        struct dft_py_handler handler = {index_at[target], depth >> 1, depth & 1};
        int number = find_handler(code, handler);
        if (number < 0) {
            return false;
        }
        for (int i = index_at[start]; i < index_at[end]; i++) {
            code->instructions[i].handler = number;
        }
        last_end = end;
    }
    return true;
}
