/*
 * Globs: parses text into code, splits code into segments, and matches.
 *
 * A glob is compiled once, when the list is loaded; any thread may match it. Each segment between
 * two stars is searched for once, from left to right, without backtracking: the leftmost match is
 * as good as any later one. So the time is bounded by text times segment, and is linear for plain
 * text.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct class_range {
    uint32_t first;
    uint32_t last;
};

struct dft_class {
    bool is_negated;
    uint32_t count;
    struct class_range ranges[];
};

static bool refuse(struct dft_pattern_error *error, size_t offset, const char *message)
{
    error->offset = offset;
    error->message = message;
    return false;
}

/*
 * Whether the text before `end`, without trailing blanks, ends with `word`; `begin` is set to where
 * it begins.
 */
static bool ends_with_word(const char *text, size_t end, const char *word, size_t *begin)
{
    size_t size = strlen(word);
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t'))
        end--;
    if (end < size || memcmp(text + end - size, word, size) != 0)
        return false;
    *begin = end - size;
    return *begin == 0 || !dft_is_word((unsigned char)text[*begin - 1]);
}

/* "operator[]", "operator new[]" and "operator delete[]" are written as they are. */
static bool is_array_operator(const char *text, size_t length, size_t at)
{
    size_t begin;
    if (at + 1 >= length || text[at + 1] != ']')
        return false;
    if (ends_with_word(text, at, "new", &begin) || ends_with_word(text, at, "delete", &begin))
        at = begin;
    return ends_with_word(text, at, "operator", &begin);
}

/* "[abi:cxx11]", which may contain glob characters, is an ABI tag and not a class. */
static size_t tag_length(const char *text, size_t length)
{
    static const char opening[] = "[abi:";
    size_t i = sizeof opening - 1;
    if (length <= i || memcmp(text, opening, i) != 0)
        return 0;
    while (i < length && (dft_is_word((unsigned char)text[i]) || text[i] == '*' || text[i] == '?'))
        i++;
    return i > sizeof opening - 1 && i < length && text[i] == ']' ? i + 1 : 0;
}

size_t dft_pattern_class_length(const char *text, size_t length, size_t at,
                                enum dft_subject subject)
{
    if (subject == DFT_SUBJECT_FUNCTION) {
        if (is_array_operator(text, length, at))
            return 0;
        size_t tag = tag_length(text + at, length - at);
        if (tag)
            return tag;
    }
    for (size_t i = at + 1; i < length; i++) {
        if (text[i] == '\\')
            i++;
        else if (text[i] == ']')
            return i + 1 - at;
    }
    return 0;
}

/* One character of a class, escaped or not. The text is well-formed: its line was checked. */
static uint32_t read_member(const char *text, size_t length, size_t *at)
{
    uint32_t point = 0;
    if (text[*at] == '\\' && *at + 1 < length)
        ++*at;
    size_t size = dft_utf8_decode(text + *at, length - *at, &point);
    *at += size ? size : 1;
    return point;
}

/* Reads the class of `length` bytes at `text`; counts its ranges where `ranges` is NULL. */
static bool read_class(const char *text, size_t length, struct class_range *ranges, uint32_t *count,
                       bool *is_negated, struct dft_pattern_error *error)
{
    size_t at = 1;
    *is_negated = text[at] == '!' || text[at] == '^';
    at += *is_negated;
    *count = 0;
    if (text[at] == ']')
        return refuse(error, 0, "empty class; expected a character between '[' and ']', or \\[");
    while (at < length - 1) {
        size_t start = at;
        if (text[at] == '[' && text[at + 1] == ':')
            return refuse(error, at,
                          "'[:' in a class: named classes are unknown; expected characters and "
                          "ranges such as a-z, or \\[");
        struct class_range range;
        range.first = range.last = read_member(text, length, &at);
        if (text[at] == '-' && at + 1 < length - 1) {
            at++;
            range.last = read_member(text, length, &at);
        }
        if (range.first > range.last)
            return refuse(error, start, "range that runs backwards; expected the lower end first");
        if (ranges)
            ranges[*count] = range;
        ++*count;
    }
    return true;
}

static bool add_class(struct dft_pattern *pattern, struct dft_arena *arena, const char *text,
                      size_t length, struct dft_pattern_error *error)
{
    uint32_t count;
    bool is_negated;
    if (!read_class(text, length, NULL, &count, &is_negated, error))
        return false;
    struct dft_class *class =
        dft_arena_take(arena, sizeof *class + count * sizeof class->ranges[0]);
    if (!class)
        return refuse(error, 0, NULL);
    read_class(text, length, class->ranges, &class->count, &class->is_negated, error);
    if (pattern->class_count == pattern->class_capacity) {
        size_t capacity = pattern->class_capacity ? 2 * pattern->class_capacity : 16;
        void *classes = realloc(pattern->classes, capacity * sizeof pattern->classes[0]);
        if (!classes)
            return refuse(error, 0, NULL);
        pattern->classes = classes;
        pattern->class_capacity = capacity;
    }
    size_t number = pattern->class_count++;
    pattern->classes[number] = class;
    pattern->code[pattern->length++] = DFT_CODE_CLASS;
    for (int shift = 18; shift >= 0; shift -= 6)
        pattern->code[pattern->length++] = (char)(0x80 | (number >> shift & 0x3f));
    return true;
}

/* The size of the only character of a class such as "[*]"; 0 if it has more. */
static size_t single_member(const char *text, size_t length, size_t *begin)
{
    *begin = text[1] == '\\' ? 2 : 1;
    uint32_t point;
    size_t size = dft_utf8_decode(text + *begin, length - *begin, &point);
    bool is_plain = *begin == 2 || (point != '!' && point != '^' && point != ']');
    return is_plain && size && *begin + size + 1 == length ? size : 0;
}

static bool read_bracket(struct dft_pattern *pattern, struct dft_arena *arena,
                         enum dft_subject subject, const char *text, size_t length, size_t *at,
                         struct dft_pattern_error *error)
{
    if (subject == DFT_SUBJECT_FUNCTION && is_array_operator(text, length, *at)) {
        pattern->code[pattern->length++] = '[';
        pattern->code[pattern->length++] = ']';
        *at += 2;
        return true;
    }
    size_t size = dft_pattern_class_length(text, length, *at, subject);
    if (!size)
        return refuse(error, *at, "class that is not closed; expected ']' after '[', or \\[");
    size_t begin;
    size_t single = single_member(text + *at, size, &begin);
    if (subject == DFT_SUBJECT_FUNCTION && tag_length(text + *at, size) == size) {
        /* ABI tags do not count, see dft_fold */
    } else if (single) {
        memcpy(pattern->code + pattern->length, text + *at + begin, single);
        pattern->length += single;
    } else if (!add_class(pattern, arena, text + *at, size, error)) {
        error->offset += *at;
        return false;
    }
    *at += size;
    return true;
}

/* On failure `error->message` is NULL if memory is out. */
bool dft_pattern_read(struct dft_pattern *pattern, struct dft_arena *arena,
                      enum dft_subject subject, const char *text, size_t length,
                      struct dft_pattern_error *error)
{
    pattern->length = 0;
    pattern->class_count = 0;
    for (size_t i = 0; i < length;) {
        char byte = text[i];
        if (byte == '[') {
            if (!read_bracket(pattern, arena, subject, text, length, &i, error))
                return false;
            continue;
        }
        if (byte == '\\') {
            if (++i == length)
                return refuse(error, i - 1,
                              "backslash at the end; expected the character it escapes, or \\\\");
            byte = text[i];
        } else if (byte == '*') {
            byte = DFT_CODE_STAR;
        } else if (byte == '?') {
            byte = DFT_CODE_ANY;
        }
        i++;
        if (byte == DFT_CODE_STAR && pattern->length > 0 &&
            pattern->code[pattern->length - 1] == DFT_CODE_STAR)
            continue;
        pattern->code[pattern->length++] = byte;
    }
    return true;
}

bool dft_pattern_is_glob(const struct dft_pattern *pattern)
{
    for (size_t i = 0; i < pattern->length; i++)
        if (pattern->code[i] >= DFT_CODE_STAR && pattern->code[i] <= DFT_CODE_CLASS)
            return true;
    return false;
}

/* Two pairs may share a bit: then a glob is tried although it cannot match, which is harmless. */
static unsigned pair_bit(unsigned char first, unsigned char second)
{
    return (((uint32_t)first << 8 | second) * 0x9e3779b1u) >> 23;
}

/*
 * Sets bytes first and converts them to bits afterwards: setting bits directly would make each
 * depend on the one before.
 */
void dft_mask_add(struct dft_mask *mask, const char *text, size_t length)
{
    unsigned char seen[sizeof mask->bits * 8] = {0};
    for (size_t i = 1; i < length; i++)
        seen[pair_bit((unsigned char)text[i - 1], (unsigned char)text[i])] = 1;
    for (unsigned i = 0; length > 1 && i < sizeof seen; i += 8) {
        uint64_t eight;
        memcpy(&eight, seen + i, sizeof eight);
        /* gathers the lowest bits of the eight bytes in the highest byte */
        mask->bits[i / 64] |= (eight * 0x0102040810204080u >> 56) << i % 64;
    }
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Fills the segment that begins at `begin` of the code; returns where it ends. */
static size_t measure_segment(const struct dft_pattern *pattern, size_t begin,
                              struct dft_segment *segment, struct dft_mask *mask,
                              uint32_t *shortest_match)
{
    size_t i = begin, literal = begin; /* start of the plain text around `i` */
    uint32_t characters = 0;
    bool is_literal = true;
    while (i < pattern->length && pattern->code[i] != DFT_CODE_STAR) {
        char byte = pattern->code[i];
        bool is_opcode = byte == DFT_CODE_ANY || byte == DFT_CODE_CLASS;
        characters += is_opcode || !is_continuation(byte);
        ++*shortest_match;
        if (is_opcode) {
            is_literal = false;
            dft_mask_add(mask, pattern->code + literal, i - literal);
            i += byte == DFT_CODE_CLASS ? DFT_CODE_CLASS_SIZE : 1;
            literal = i;
        } else {
            i++;
        }
    }
    dft_mask_add(mask, pattern->code + literal, i - literal);
    segment->offset = (uint32_t)begin;
    segment->length = (uint32_t)(i - begin);
    segment->characters = is_literal ? 0 : characters;
    return i;
}

bool dft_glob_build(struct dft_glob *glob, struct dft_arena *arena,
                    const struct dft_pattern *pattern, struct dft_mask *mask)
{
    uint32_t count = 1;
    for (size_t i = 0; i < pattern->length; i++)
        count += pattern->code[i] == DFT_CODE_STAR;
    struct dft_segment *segments = dft_arena_take(arena, count * sizeof *segments);
    const struct dft_class **classes =
        dft_arena_take(arena, pattern->class_count * sizeof *classes);
    glob->code = dft_arena_copy(arena, pattern->code, pattern->length);
    if (!segments || !classes || !glob->code)
        return false;
    if (pattern->class_count)
        memcpy(classes, pattern->classes, pattern->class_count * sizeof *classes);
    memset(mask, 0, sizeof *mask);
    glob->shortest_match = 0;
    size_t begin = 0;
    for (uint32_t i = 0; i < count; i++)
        begin = 1 + measure_segment(pattern, begin, &segments[i], mask, &glob->shortest_match);
    glob->classes = classes;
    glob->segments = segments;
    glob->segment_count = count;
    return true;
}

/*
 * A character of a name is a byte that can begin a UTF-8 sequence, with up to three continuation
 * bytes, or any other single byte. For names in UTF-8 these are its characters; for all other names
 * stepping forward and back gives the same result.
 */
static size_t step_forward(const char *text, size_t length)
{
    size_t size = 1;
    if ((unsigned char)text[0] >= 0xc0)
        while (size < length && size < 4 && is_continuation(text[size]))
            size++;
    return size;
}

static size_t step_back(const char *text, size_t at)
{
    size_t begin = at - 1;
    while (begin > 0 && at - begin < 4 && is_continuation(text[begin]))
        begin--;
    return (unsigned char)text[begin] >= 0xc0 ? begin : at - 1;
}

static bool class_matches(const struct dft_class *class, const char *text, size_t size)
{
    uint32_t point;
    bool is_member = false;
    if (dft_utf8_decode(text, size, &point) == size)
        for (uint32_t i = 0; i < class->count && !is_member; i++)
            is_member = point >= class->ranges[i].first && point <= class->ranges[i].last;
    return is_member != class->is_negated;
}

static const struct dft_class *find_class(const struct dft_glob *glob, const char *code)
{
    size_t number = 0;
    for (int i = 1; i < DFT_CODE_CLASS_SIZE; i++)
        number = number << 6 | ((unsigned char)code[i] & 0x3f);
    return glob->classes[number];
}

/* Bytes of `text` that the segment matches at its beginning, or SIZE_MAX. */
static size_t match_segment(const struct dft_glob *glob, const struct dft_segment *segment,
                            const char *text, size_t length)
{
    const char *code = glob->code + segment->offset;
    const char *end = code + segment->length;
    size_t at = 0;
    if (!segment->characters) {
        if (segment->length > length || memcmp(code, text, segment->length) != 0)
            return SIZE_MAX;
        return segment->length;
    }
    while (code < end) {
        if (at == length)
            return SIZE_MAX;
        if (*code == DFT_CODE_ANY) {
            at += step_forward(text + at, length - at);
            code++;
        } else if (*code == DFT_CODE_CLASS) {
            size_t size = step_forward(text + at, length - at);
            if (!class_matches(find_class(glob, code), text + at, size))
                return SIZE_MAX;
            at += size;
            code += DFT_CODE_CLASS_SIZE;
        } else if (*code++ != text[at++]) {
            return SIZE_MAX;
        }
    }
    return at;
}

/* Where the segment begins if the text ends with it, or SIZE_MAX. */
static size_t match_end(const struct dft_glob *glob, const struct dft_segment *segment,
                        const char *text, size_t length)
{
    size_t at = length;
    if (!segment->characters) {
        if (segment->length > length)
            return SIZE_MAX;
        at -= segment->length;
    }
    for (uint32_t i = 0; i < segment->characters; i++) {
        if (at == 0)
            return SIZE_MAX;
        at = step_back(text, at);
    }
    return match_segment(glob, segment, text + at, length - at) == length - at ? at : SIZE_MAX;
}

/* Where the first match of the segment ends, or SIZE_MAX. */
static size_t find_segment(const struct dft_glob *glob, const struct dft_segment *segment,
                           const char *text, size_t length)
{
    if (!segment->characters) {
        const char *found = memmem(text, length, glob->code + segment->offset, segment->length);
        return found ? (size_t)(found - text) + segment->length : SIZE_MAX;
    }
    for (size_t at = 0; at < length; at += step_forward(text + at, length - at)) {
        size_t size = match_segment(glob, segment, text + at, length - at);
        if (size != SIZE_MAX)
            return at + size;
    }
    return SIZE_MAX;
}

bool dft_glob_matches(const struct dft_glob *glob, const char *text, size_t length)
{
    const struct dft_segment *segments = glob->segments;
    uint32_t last = glob->segment_count - 1;
    if (length < glob->shortest_match)
        return false;
    size_t begin = match_segment(glob, &segments[0], text, length);
    if (begin == SIZE_MAX || last == 0)
        return begin == length;
    size_t end = match_end(glob, &segments[last], text, length);
    if (end == SIZE_MAX || end < begin)
        return false;
    for (uint32_t i = 1; i < last; i++) {
        size_t found = find_segment(glob, &segments[i], text + begin, end - begin);
        if (found == SIZE_MAX)
            return false;
        begin += found;
    }
    return true;
}
