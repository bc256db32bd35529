/*
 * Parses one event. If its text is not complete in memory, the caller brings more and starts again,
 * so no state is kept in between.
 */
#include "tool/trace/event.h"

#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

enum event_key {
    KEY_OTHER,
    KEY_NAME,
    KEY_CAT,
    KEY_PH,
    KEY_PID,
    KEY_TID,
    KEY_TS,
    KEY_DUR,
    KEY_ARGS,
    KEY_FILE,
    KEY_LINE,
    KEY_ID,
    KEY_TTS,
    KEY_TDUR,
};

static enum event_key find_key(struct dft_text key)
{
    switch (key.length) {
    case 2:
        return dft_text_is(key, "ph")   ? KEY_PH
               : dft_text_is(key, "ts") ? KEY_TS
               : dft_text_is(key, "id") ? KEY_ID
                                        : KEY_OTHER;
    case 3:
        return dft_text_is(key, "cat")   ? KEY_CAT
               : dft_text_is(key, "pid") ? KEY_PID
               : dft_text_is(key, "tid") ? KEY_TID
               : dft_text_is(key, "dur") ? KEY_DUR
               : dft_text_is(key, "tts") ? KEY_TTS
                                         : KEY_OTHER;
    case 4:
        return dft_text_is(key, "name")   ? KEY_NAME
               : dft_text_is(key, "args") ? KEY_ARGS
               : dft_text_is(key, "file") ? KEY_FILE
               : dft_text_is(key, "line") ? KEY_LINE
               : dft_text_is(key, "tdur") ? KEY_TDUR
                                          : KEY_OTHER;
    default:
        return KEY_OTHER;
    }
}

bool dft_event_has_key(struct dft_text key)
{
    enum event_key found = find_key(key);

    return found != KEY_OTHER && found != KEY_FILE && found != KEY_LINE;
}

static enum dft_scan parse_text(struct dft_scanner *scanner, struct dft_event_memory *memory,
                                struct dft_text *text)
{
    struct dft_scan_string string;
    enum dft_scan status = dft_scan_string(scanner, &string);

    if (status == DFT_SCAN_OK)
        *text = dft_scan_decode(string, &memory->scratch);
    return status;
}

static enum dft_scan parse_phase(struct dft_scanner *scanner, struct dft_event_memory *memory,
                                 struct dft_event *event)
{
    const char *begin = scanner->at;
    struct dft_text phase;
    enum dft_scan status = parse_text(scanner, memory, &phase);

    if (status != DFT_SCAN_OK)
        return status;
    if (phase.length != 1)
        return dft_scan_problem(scanner, begin, "\"ph\" is not a single letter");
    event->ph = *phase.at;
    return DFT_SCAN_OK;
}

static enum dft_scan parse_nanoseconds(struct dft_scanner *scanner, int64_t *value)
{
    struct dft_text token;
    bool rounded;
    enum dft_scan status = dft_scan_number(scanner, &token);

    if (status == DFT_SCAN_OK && !dft_number_scale(token, 3, value, &rounded))
        return dft_scan_problem(scanner, token.at,
                                "the time is out of range: nanoseconds must fit into 63 bits");
    return status;
}

/* The id of a flow or an asynchronous event. A value of another type is ignored. */
static enum dft_scan parse_event_id(struct dft_scanner *scanner, struct dft_event_memory *memory,
                                    struct dft_text *id)
{
    char byte;
    enum dft_scan status = dft_scan_peek(scanner, &byte);

    if (status != DFT_SCAN_OK)
        return status;
    return byte == '"' ? parse_text(scanner, memory, id) : dft_scan_value(scanner, id);
}

/* The CPU time of a thread: additional information, which is ignored if it is no time. */
static enum dft_scan parse_cpu_time(struct dft_scanner *scanner, bool *is_known, int64_t *ns)
{
    struct dft_text raw;
    bool rounded;
    enum dft_scan status = dft_scan_value(scanner, &raw);

    if (status == DFT_SCAN_OK)
        *is_known = *raw.at >= '0' && *raw.at <= '9' && dft_number_scale(raw, 3, ns, &rounded);
    return status;
}

/*
 * The id of a process or thread: a whole number, or a string, as some tools write it. A string that
 * is not a number becomes a hash, which only has to differ from others.
 */
static enum dft_scan parse_id(struct dft_scanner *scanner, struct dft_event_memory *memory,
                              int64_t *id)
{
    struct dft_text token;
    bool rounded = false;
    char byte;
    enum dft_scan status = dft_scan_peek(scanner, &byte);

    if (status == DFT_SCAN_OK && byte == '"') {
        status = parse_text(scanner, memory, &token);
        if (status != DFT_SCAN_OK)
            return status;
        size_t digits = 0;
        while (digits < token.length && token.at[digits] >= '0' && token.at[digits] <= '9')
            digits++;
        if (digits > 0 && digits == token.length && dft_number_scale(token, 0, id, &rounded))
            return DFT_SCAN_OK;
        uint64_t hash = 0xCBF29CE484222325u;
        for (size_t i = 0; i < token.length; i++)
            hash = (hash ^ (unsigned char)token.at[i]) * 0x100000001B3u;
        *id = (int64_t)(hash | (uint64_t)1 << 63);
        return DFT_SCAN_OK;
    }
    if (status == DFT_SCAN_OK)
        status = dft_scan_number(scanner, &token);
    if (status == DFT_SCAN_OK && (!dft_number_scale(token, 0, id, &rounded) || rounded))
        return dft_scan_problem(scanner, token.at, "\"pid\" and \"tid\" must be whole numbers");
    return status;
}

static void add_arg(struct dft_event_memory *memory, size_t count, struct dft_arg arg)
{
    memory->args = dft_tool_grow(memory->args, count, &memory->arg_room, sizeof *memory->args);
    memory->args[count] = arg;
}

static enum dft_scan parse_args(struct dft_scanner *scanner, struct dft_event_memory *memory,
                                struct dft_event *event)
{
    struct dft_scan_string key;
    struct dft_text raw;
    bool first = true;
    bool done = false;
    char byte;
    enum dft_scan status = dft_scan_peek(scanner, &byte);

    event->arg_count = 0;
    if (status != DFT_SCAN_OK)
        return status;
    if (byte != '{')
        return dft_scan_value(scanner, &raw); /* some tools write null or an empty string */
    scanner->at++;
    for (;;) {
        struct dft_arg arg;

        status = dft_scan_member(scanner, &first, &done, &key);
        if (status != DFT_SCAN_OK || done)
            return status;
        status = dft_scan_value(scanner, &arg.value);
        if (status != DFT_SCAN_OK)
            return status;
        arg.key = dft_scan_decode(key, &memory->scratch);
        add_arg(memory, event->arg_count++, arg);
    }
}

/* A value of another type is ignored: other tools may use the key for something else. */
static enum dft_scan parse_place(struct dft_scanner *scanner, struct dft_event_memory *memory,
                                 struct dft_text *file, int64_t *line)
{
    struct dft_text raw;
    bool rounded;
    char byte;
    enum dft_scan status = dft_scan_peek(scanner, &byte);

    if (status == DFT_SCAN_OK && file && byte == '"')
        return parse_text(scanner, memory, file);
    if (status == DFT_SCAN_OK)
        status = dft_scan_value(scanner, &raw);
    if (status == DFT_SCAN_OK && line && byte >= '0' && byte <= '9' &&
        (!dft_number_scale(raw, 0, line, &rounded) || rounded))
        *line = 0;
    return status;
}

static enum dft_scan parse_member(struct dft_scanner *scanner, struct dft_event_memory *memory,
                                  enum event_key key, struct dft_event *event)
{
    struct dft_text ignored;
    bool is_known;

    switch (key) {
    case KEY_NAME:
        return parse_text(scanner, memory, &event->name);
    case KEY_CAT:
        return parse_text(scanner, memory, &event->cat);
    case KEY_PH:
        return parse_phase(scanner, memory, event);
    case KEY_PID:
        return parse_id(scanner, memory, &event->pid);
    case KEY_TID:
        return parse_id(scanner, memory, &event->tid);
    case KEY_TS:
        event->has_ts = true;
        return parse_nanoseconds(scanner, &event->ts_ns);
    case KEY_DUR:
        event->has_dur = true;
        return parse_nanoseconds(scanner, &event->dur_ns);
    case KEY_ARGS:
        return parse_args(scanner, memory, event);
    case KEY_FILE:
        return parse_place(scanner, memory, &event->file, NULL);
    case KEY_LINE:
        return parse_place(scanner, memory, NULL, &event->line);
    case KEY_ID:
        return parse_event_id(scanner, memory, &event->id);
    case KEY_TTS:
        return parse_cpu_time(scanner, &event->has_tts, &event->tts_ns);
    case KEY_TDUR:
        return parse_cpu_time(scanner, &is_known, &event->tdur_ns);
    case KEY_OTHER:
        break;
    }
    return dft_scan_value(scanner, &ignored);
}

/* Checks what every event must have. */
static enum dft_scan check_event(struct dft_scanner *scanner, const char *begin,
                                 const struct dft_event *event)
{
    int64_t end;

    if (event->ph == '\0')
        return dft_scan_problem(scanner, begin, "the event has no \"ph\"");
    if (event->ph == 'X' && !event->has_ts)
        return dft_scan_problem(scanner, begin, "the event has \"ph\":\"X\" but no \"ts\"");
    if ((event->ph == 'B' || event->ph == 'E') && !event->has_ts)
        return dft_scan_problem(scanner, begin,
                                "the event begins or ends a call but has no \"ts\"");
    if (event->dur_ns < 0)
        return dft_scan_problem(scanner, begin, "the event has a negative \"dur\"");
    if (__builtin_add_overflow(event->ts_ns, event->dur_ns, &end))
        return dft_scan_problem(scanner, begin, "the event's end is out of range");
    return DFT_SCAN_OK;
}

enum dft_scan dft_event_parse(struct dft_scanner *scanner, struct dft_event_memory *memory,
                              struct dft_event *event)
{
    const char *begin = scanner->at;
    struct dft_scan_string key;
    bool first = true;
    bool done = false;

    dft_scratch_reset(&memory->scratch);
    if (dft_event_cache_parse(&memory->cache, scanner, event))
        return DFT_SCAN_OK;
    enum dft_scan status = dft_scan_byte(scanner, '{', "an event");

    *event = (struct dft_event){.name = {"", 0}, .cat = {"", 0}, .file = {"", 0}, .id = {"", 0}};
    while (status == DFT_SCAN_OK) {
        status = dft_scan_member(scanner, &first, &done, &key);
        if (status != DFT_SCAN_OK || done)
            break;
        status =
            parse_member(scanner, memory, find_key(dft_scan_decode(key, &memory->scratch)), event);
    }
    if (status == DFT_SCAN_OK)
        status = check_event(scanner, begin, event);
    if (status == DFT_SCAN_MORE)
        scanner->at = begin;
    event->args = memory->args;
    event->raw = (struct dft_text){begin, (size_t)(scanner->at - begin)};
    if (status == DFT_SCAN_OK) {
        event->kind = dft_record_classify(event);
        dft_event_cache_add(&memory->cache, event);
    }
    return status;
}

void dft_event_memory_free(struct dft_event_memory *memory)
{
    dft_scratch_free(&memory->scratch);
    free(memory->args);
    dft_event_cache_free(&memory->cache);
    *memory = (struct dft_event_memory){0};
}

const struct dft_text *dft_event_arg(const struct dft_event *event, const char *key)
{
    for (size_t i = event->arg_count; i > 0; i--) {
        if (dft_text_is(event->args[i - 1].key, key))
            return &event->args[i - 1].value;
    }
    return NULL;
}

static bool scale_arg(const struct dft_event *event, const char *key, int power, int64_t *value,
                      bool *rounded)
{
    const struct dft_text *raw = dft_event_arg(event, key);

    return raw && (*raw->at == '-' || (*raw->at >= '0' && *raw->at <= '9')) &&
           dft_number_scale(*raw, power, value, rounded);
}

bool dft_event_arg_int(const struct dft_event *event, const char *key, int64_t *value)
{
    bool rounded;

    return scale_arg(event, key, 0, value, &rounded) && !rounded;
}

bool dft_event_arg_decimal(const struct dft_event *event, const char *key, int power,
                           int64_t *value)
{
    bool rounded;

    return scale_arg(event, key, power, value, &rounded);
}

bool dft_event_arg_true(const struct dft_event *event, const char *key)
{
    const struct dft_text *raw = dft_event_arg(event, key);

    return raw && dft_text_is(*raw, "true");
}
