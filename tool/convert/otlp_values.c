/*
 * From JSON to AnyValue. The JSON has been scanned before, and is correct.
 */
#include "tool/convert/otlp_values.h"

#include "tool/trace/json.h"

#include <inttypes.h>

/* Deeper values are text. */
#define DEPTH_MAX 32

struct walk {
    FILE *out;
    struct dft_scanner scanner;
    struct dft_scratch scratch;
};

static void put_any(struct walk *walk, unsigned depth);

static void put_list(struct walk *walk, unsigned depth)
{
    bool is_first = true;
    char byte;

    fputs("{\"arrayValue\":{\"values\":[", walk->out);
    walk->scanner.at++;
    while (dft_scan_peek(&walk->scanner, &byte) == DFT_SCAN_OK && byte != ']') {
        if (byte == ',') {
            walk->scanner.at++;
            continue;
        }
        fputs(is_first ? "" : ",", walk->out);
        put_any(walk, depth + 1);
        is_first = false;
    }
    walk->scanner.at++;
    fputs("]}}", walk->out);
}

/* The members up to the closing brace, or up to the end. */
static void put_members(struct walk *walk, unsigned depth)
{
    struct dft_scan_string key;
    bool first = true, done = false, is_first = true;

    while (dft_scan_member(&walk->scanner, &first, &done, &key) == DFT_SCAN_OK && !done) {
        fputs(is_first ? "{\"key\":" : ",{\"key\":", walk->out);
        dft_text_print_json(walk->out, dft_scan_decode(key, &walk->scratch));
        fputs(",\"value\":", walk->out);
        put_any(walk, depth + 1);
        fputc('}', walk->out);
        is_first = false;
    }
}

static bool is_whole(struct dft_text token)
{
    for (size_t i = 0; i < token.length; i++) {
        if (token.at[i] == '.' || (token.at[i] | 32) == 'e')
            return false;
    }
    return true;
}

/* 64-bit integers are strings in protobuf's JSON. */
static void put_number(FILE *out, struct dft_text token)
{
    bool rounded;
    int64_t value;

    if (is_whole(token) && dft_number_scale(token, 0, &value, &rounded) && !rounded) {
        fprintf(out, "{\"intValue\":\"%" PRId64 "\"}", value);
        return;
    }
    fputs("{\"doubleValue\":", out);
    dft_text_print_utf8(out, token);
    fputc('}', out);
}

static void put_any(struct walk *walk, unsigned depth)
{
    struct dft_scan_string string;
    struct dft_text raw;
    char byte;

    if (dft_scan_peek(&walk->scanner, &byte) != DFT_SCAN_OK)
        return;
    if (byte == '"') {
        dft_scan_string(&walk->scanner, &string);
        fputs("{\"stringValue\":", walk->out);
        dft_text_print_json(walk->out, dft_scan_decode(string, &walk->scratch));
        fputc('}', walk->out);
    } else if (byte == '[' && depth < DEPTH_MAX) {
        put_list(walk, depth);
    } else if (byte == '{' && depth < DEPTH_MAX) {
        fputs("{\"kvlistValue\":{\"values\":[", walk->out);
        walk->scanner.at++;
        put_members(walk, depth);
        fputs("]}}", walk->out);
    } else {
        dft_scan_value(&walk->scanner, &raw);
        if (byte == 't' || byte == 'f')
            fprintf(walk->out, "{\"boolValue\":%s}", byte == 't' ? "true" : "false");
        else if (byte == 'n')
            fputs("{}", walk->out);
        else if (byte == '[' || byte == '{') {
            fputs("{\"stringValue\":", walk->out);
            dft_text_print_json(walk->out, raw);
            fputc('}', walk->out);
        } else {
            put_number(walk->out, raw);
        }
    }
}

/* A copy with a byte behind it, which ends numbers. */
static struct walk begin(FILE *out, struct dft_text text, char last)
{
    struct walk walk = {.out = out};
    char *copy = dft_scratch_take(&walk.scratch, text.length + 1);

    memcpy(copy, text.at, text.length);
    copy[text.length] = last;
    walk.scanner = (struct dft_scanner){.at = copy, .end = copy + text.length + 1};
    return walk;
}

static void put_value(FILE *out, struct dft_text raw)
{
    struct walk walk = begin(out, raw, ' ');

    put_any(&walk, 0);
    dft_scratch_free(&walk.scratch);
}

void dft_otlp_put_members(FILE *out, struct dft_text members)
{
    struct walk walk = begin(out, members, '}');

    put_members(&walk, 0);
    dft_scratch_free(&walk.scratch);
}

/* OpenTelemetry has names for these. */
#define FILE_KEY "code.file.path"
#define LINE_KEY "code.line.number"

static const char *standard_key(const struct dft_event *event, struct dft_text key)
{
    if (!dft_event_is_place_arg(event, key))
        return NULL;
    return dft_text_is(key, "file") ? FILE_KEY : LINE_KEY;
}

void dft_otlp_put_attributes(FILE *out, const struct dft_event *event)
{
    fprintf(out, "{\"key\":\"thread.id\",\"value\":{\"intValue\":\"%" PRId64 "\"}}", event->tid);
    if (event->cat.length > 0) {
        fputs(",{\"key\":\"category\",\"value\":{\"stringValue\":", out);
        dft_text_print_json(out, event->cat);
        fputs("}}", out);
    }
    if (event->file.length > 0) {
        fputs(",{\"key\":\"" FILE_KEY "\",\"value\":{\"stringValue\":", out);
        dft_text_print_json(out, event->file);
        fprintf(out, "}},{\"key\":\"" LINE_KEY "\",\"value\":{\"intValue\":\"%" PRId64 "\"}}",
                event->line);
    }
    for (size_t i = 0; i < event->arg_count; i++) {
        const struct dft_arg *arg = &event->args[i];
        const char *standard = standard_key(event, arg->key);

        if (dft_record_is_format_arg(arg->key) || dft_text_is(arg->key, "instant"))
            continue;
        fputs(",{\"key\":", out);
        dft_text_print_json(out, standard ? dft_text(standard) : arg->key);
        fputs(",\"value\":", out);
        put_value(out, arg->value);
        fputc('}', out);
    }
}
